/** Thousands of commits that arrive together leave turns of the event loop to others. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { withoutPostgres } from "../../testing/test-database.ts";
import { openStore } from "../open-store.ts";
import { ANSWERS_OF_TURN } from "./answer-turns.ts";
import { openedStore } from "./opened-store.testkit.ts";
import { graphRow, nextId } from "./sample-rows.testkit.ts";

const RUNS = 3000;
/** One slice of answers, after one that was a little shorter. */
const MOST = 2 * ANSWERS_OF_TURN - 1;
const hasNoPostgres = await withoutPostgres();
const folder = mkdtempSync(join(tmpdir(), "svc-turns-"));

/** Counts the answers of each turn of the event loop. */
class Turns {
  most = 0;
  #now = 0;
  #isOver = false;

  constructor() {
    const turn = (): void => {
      this.#now = 0;
      if (!this.#isOver) setImmediate(turn);
    };
    setImmediate(turn);
  }

  count(): void {
    this.most = Math.max(this.most, ++this.#now);
  }

  end(): void {
    this.#isOver = true;
  }
}

describe("commits that arrive together", () => {
  after(() => rmSync(folder, { recursive: true }));

  for (const url of ["sqlite::memory:", `sqlite:${join(folder, "many.db")}`, "postgres:"])
    it(
      `are written and answered in turns of the event loop, those of a run in order, on ${url.split("/")[0]}`,
      {
        skip: url === "postgres:" && hasNoPostgres,
      },
      async (t) => {
        const opened = openedStore(url);
        t.after(() => opened.close());
        const store = await opened.open();
        const turns = new Turns();
        const answered = new Map<string, number[]>();
        const commits = Array.from({ length: RUNS }, () => nextId()).flatMap((id) => {
          const note = (seq: number) => (isHeld: boolean) => {
            turns.count();
            assert.equal(isHeld, true);
            answered.set(id, [...(answered.get(id) ?? []), seq]);
          };
          const event = { graphId: id, type: "custom", timestampMs: 1 } as const;
          const begun = store.graphs.commit({ graphId: id, insert: graphRow(id), events: [event] });
          const fence = { epoch: 1, phases: ["queued"], seq: 1 } as const;
          return [
            begun.then(note(1)),
            store.graphs
              .commit({ graphId: id, fence: { ...fence, phases: [...fence.phases] }, events: [event] })
              .then(note(2)),
          ];
        });
        await Promise.all(commits);
        turns.end();
        assert.deepEqual(new Set([...answered.values()].map(String)), new Set(["1,2"]));
        assert.ok(turns.most <= MOST, `${turns.most} commits were answered in one turn of the event loop`);
      },
    );

  it("are all answered if the store is closed meanwhile", async () => {
    const store = await openStore(`sqlite:${join(folder, "closed.db")}`);
    const ids = Array.from({ length: RUNS }, () => nextId());
    const commits = ids.map((id) => store.graphs.commit({ graphId: id, insert: graphRow(id) }));
    await store.close();
    assert.deepEqual(new Set(await Promise.all(commits)), new Set([true]));
  });
});
