/** Moves that are killed and continued at each of their steps, on databases in memory. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SimulatedClock } from "../../platform/shared/clock.ts";
import { keyOf, type Dump, type DumpKey, type DumpRow, type DumpTable } from "../contract/dump.ts";
import { isNotMoved, type MigrationState } from "../contract/migration-state.ts";
import { move, undoMove, type MoveEvent } from "./move.ts";
import { rehearse, type RehearsalEvent } from "./rehearse.ts";

const TABLES: readonly DumpTable[] = [
  {
    name: "one",
    columns: [
      { name: "id", kind: "text" },
      { name: "data", kind: "text" },
    ],
    key: ["id"],
    batch: 2,
  },
  { name: "none", columns: [{ name: "id", kind: "text" }], key: ["id"], batch: 2 },
  {
    name: "two",
    columns: [
      { name: "id", kind: "text" },
      { name: "n", kind: "integer" },
    ],
    key: ["id", "n"],
    // Ends between two rows with the same id.
    batch: 3,
  },
];

/** The data that survives a killed process. */
interface Disk {
  rows: Map<string, Map<string, DumpRow>>;
  mark: MigrationState | undefined;
}

const emptyDisk = (): Disk => ({ rows: new Map(TABLES.map(({ name }) => [name, new Map()])), mark: undefined });

function sourceDisk(): Disk {
  const disk = emptyDisk();
  for (const id of ["a", "b", "c", "d", "e"]) {
    disk.rows.get("one")?.set(`["${id}"]`, [id, id === "c" ? "no\0" : `of ${id}`]);
    for (const n of [1, 2]) disk.rows.get("two")?.set(`["${id}",${n}]`, [id, n]);
  }
  return disk;
}

class Killed extends Error {}

/** A process that is killed after a number of steps on either disk, before or after the step is written. */
class Life {
  #steps = 0;
  readonly #killAt: number;
  readonly #isWritten: boolean;

  constructor(killAt: number, isWritten: boolean) {
    this.#killAt = killAt;
    this.#isWritten = isWritten;
  }

  async step<T>(work: () => T): Promise<T> {
    if (this.#steps++ !== this.#killAt) return work();
    if (this.#isWritten) work();
    throw new Killed();
  }
}

class MemoryDump implements Dump {
  used: string | undefined;
  /** User of the database from the second query on. */
  usedLater: string | undefined;
  #asked = 0;
  readonly label: string;
  readonly disk: Disk;
  readonly life: Life;

  constructor(label: string, disk: Disk, life: Life) {
    this.label = label;
    this.disk = disk;
    this.life = life;
  }

  async count({ name }: DumpTable): Promise<number> {
    return this.disk.rows.get(name)?.size ?? 0;
  }
  async read(table: DumpTable, after: DumpKey | undefined): Promise<DumpRow[]> {
    const rows = [...(this.disk.rows.get(table.name)?.values() ?? [])];
    const text = (row: DumpRow): string => JSON.stringify(keyOf(table, row));
    return rows
      .toSorted((a, b) => (text(a) < text(b) ? -1 : 1))
      .filter((row) => after === undefined || text(row) > JSON.stringify(after))
      .slice(0, table.batch);
  }
  async mark(): Promise<MigrationState | undefined> {
    return this.disk.mark;
  }
  setMark(mark: MigrationState | undefined): Promise<void> {
    return this.life.step(() => void (this.disk.mark = mark));
  }
  kept(_table: DumpTable, row: DumpRow): DumpRow {
    if (row.includes("refused")) throw new Error("a test has refused a row");
    return row.includes("no\0") ? row.map((value) => (value === "no\0" ? "no\ufffd" : value)) : row;
  }
  load(table: DumpTable, rows: readonly DumpRow[], mark: MigrationState): Promise<void> {
    return this.life.step(() => {
      const known = this.disk.rows.get(table.name);
      for (const row of rows) {
        const key = JSON.stringify(keyOf(table, row));
        if (!known?.has(key)) known?.set(key, row);
      }
      this.disk.mark = mark;
    });
  }
  async finish(): Promise<void> {
    await this.life.step(() => undefined);
  }
  async user(): Promise<string | undefined> {
    return this.#asked++ > 0 ? (this.usedLater ?? this.used) : this.used;
  }
  async close(): Promise<void> {
    return;
  }
}

class Stage {
  readonly source = sourceDisk();
  readonly target = emptyDisk();
  jobs = 0;
  events: MoveEvent[] = [];

  sides(life = new Life(-1, false)): { source: MemoryDump; target: MemoryDump } {
    return {
      source: new MemoryDump("the file", this.source, life),
      target: new MemoryDump("the schema", this.target, life),
    };
  }

  options(sides: { source: MemoryDump; target: MemoryDump }) {
    this.events = [];
    return {
      ...sides,
      tables: TABLES,
      clock: new SimulatedClock(1000),
      addJobs: () => sides.target.life.step(() => ++this.jobs),
      onEvent: (event: MoveEvent) => void this.events.push(event),
    };
  }

  async run(life?: Life): Promise<void> {
    await move(this.options(this.sides(life)));
  }

  tables(): unknown[] {
    return this.events.filter(({ type }) => type === "table");
  }
}

/** Checks that a database where an app may start has all rows, and that the other side rejects apps. */
function requireOneSide({ source, target }: Stage, step: number): void {
  const hasRows = [...target.rows.values()].some(({ size }) => size > 0);
  const mayStart = hasRows && isNotMoved(target.mark);
  assert.ok(!(mayStart && isNotMoved(source.mark)), `on both, after step ${step}`);
  if (mayStart)
    assert.equal(target.rows.get("two")?.size, source.rows.get("two")?.size, `on a part, after step ${step}`);
}

describe("a move", () => {
  it("copies every row, reports the totals of each table, and closes the source", async () => {
    const stage = new Stage();
    await stage.run();
    const one = [...(stage.source.rows.get("one")?.values() ?? [])];
    assert.deepEqual(
      [...(stage.target.rows.get("one")?.values() ?? [])],
      one.map(([id, data]) => [id, data === "no\0" ? "no\ufffd" : data]),
    );
    assert.equal(stage.source.mark?.state, "left");
    assert.equal(stage.target.mark?.state, "arrived");
    assert.deepEqual(
      stage.tables().map((event) => ({ ...(event as object), sha256: undefined })),
      [
        { type: "table", table: "one", replaced: 1, rows: 5, sha256: undefined },
        { type: "table", table: "none", replaced: 0, rows: 0, sha256: undefined },
        { type: "table", table: "two", replaced: 0, rows: 10, sha256: undefined },
      ],
    );
    assert.deepEqual(stage.events.slice(-2), [
      { type: "arrived", rows: 15, jobs: 1 },
      { type: "moved", from: "the file", to: "the schema" },
    ]);
  });

  it("reports that there is nothing to do if it is already complete", async () => {
    const stage = new Stage();
    await stage.run();
    await stage.run();
    assert.deepEqual(stage.events, [{ type: "nothing", from: "the file", to: "the schema" }]);
    assert.equal(stage.jobs, 1);
  });

  it("continues to the same result after a kill at any step, and an app can never start on both sides", async () => {
    const whole = new Stage();
    await whole.run();
    const sums = whole.tables();
    let killed = 0;
    for (const isWritten of [false, true])
      for (let first = 0; ; first++) {
        const stage = new Stage();
        const life = new Life(first, isWritten);
        const hasEnded = await stage.run(life).then(
          () => true,
          (error: unknown) => {
            assert.ok(error instanceof Killed);
            return false;
          },
        );
        if (hasEnded) break;
        killed++;
        requireOneSide(stage, first);
        // Once more in the next process.
        await stage.run(new Life(1, isWritten)).catch((error: unknown) => assert.ok(error instanceof Killed));
        await stage.run();
        assert.deepEqual(stage.target.rows, whole.target.rows);
        assert.equal(stage.source.mark?.state, "left");
        assert.equal(stage.target.mark?.state, "arrived");
        const reported = stage.tables();
        if (reported.length > 0) assert.deepEqual(reported, sums);
      }
    assert.ok(killed > 20, String(killed));
  });

  it("fails on its checksums if the source changed meanwhile, and no app can start on the target", async () => {
    const stage = new Stage();
    await assert.rejects(stage.run(new Life(4, true)), Killed);
    stage.source.rows.get("one")?.set('["a"]', ["a", "changed"]);
    await assert.rejects(
      stage.run(),
      /The table "one" differs: the file has 5 rows \(\w{12}\), the schema 5 .*--undo-mark/,
    );
    assert.equal(stage.target.mark?.state, "arriving");
    assert.equal(stage.jobs, 0);
  });

  it("is rejected without a mark if a process uses either side", async () => {
    for (const side of ["source", "target"] as const) {
      const stage = new Stage();
      const sides = stage.sides();
      sides[side].used = "a process";
      await assert.rejects(move(stage.options(sides)), /is in use by a process\. End it/);
      assert.equal(stage.source.mark, undefined);
      assert.equal(stage.target.mark, undefined);
    }
  });

  it("stops if a process opened a side just before the mark, and continues once that process has ended", async () => {
    for (const side of ["source", "target"] as const) {
      const stage = new Stage();
      const sides = stage.sides();
      sides[side].usedLater = "a process";
      await assert.rejects(move(stage.options(sides)), /is in use by a process\. End it/);
      assert.deepEqual(stage.target.rows, emptyDisk().rows);
      assert.equal(isNotMoved(stage.source.mark), false);
      await stage.run();
      assert.equal(stage.target.mark?.state, "arrived");
    }
  });

  it("can be undone at the source, and starts again with a new id", async () => {
    const stage = new Stage();
    await assert.rejects(undoMove(stage.sides().source), /was not moved anywhere/);
    await assert.rejects(stage.run(new Life(4, true)), Killed);
    assert.equal((await undoMove(stage.sides().source)).peer, "the schema");
    assert.equal(stage.source.mark, undefined);
    await assert.rejects(stage.run(), /The schema contains a part of another move.*drop its schema/);
    await assert.rejects(undoMove(stage.sides().target), /is being filled from the file/);
  });

  it("can be rehearsed: it counts everything and writes nothing", async () => {
    const stage = new Stage();
    const events: RehearsalEvent[] = [];
    const options = { ...stage.options(stage.sides()), onEvent: (event: RehearsalEvent) => void events.push(event) };
    assert.equal(await rehearse(options), true);
    assert.deepEqual(
      events.filter(({ type }) => type === "would"),
      [
        { type: "would", table: "one", rows: 5, replaced: 1, refused: 0 },
        { type: "would", table: "none", rows: 0, replaced: 0, refused: 0 },
        { type: "would", table: "two", rows: 10, replaced: 0, refused: 0 },
      ],
    );
    assert.deepEqual(stage.target, emptyDisk());
    assert.equal(stage.source.mark, undefined);
    stage.target.rows.get("two")?.set('["z",1]', ["z", 1]);
    assert.equal(await rehearse(options), false);
    assert.match(events.flatMap((event) => (event.type === "refusal" ? [event.reason] : [])).join(), /is not empty/);
  });
});
