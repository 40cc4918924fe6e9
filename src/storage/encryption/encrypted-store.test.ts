/** A store with keys: values without one, missing keys, and the change of keys. */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { systemClock } from "../../platform/shared/clock.ts";
import { recordLog } from "../../testing/log.ts";
import { testDatabase, withoutPostgres, type TestDatabase } from "../../testing/test-database.ts";
import type { Store } from "../contract/contract.ts";
import { attemptRow, graphRow, nextId, nodeRow, outboxRow } from "../contract/sample-rows.testkit.ts";
import { openDump } from "../move/open-databases.ts";
import { move } from "../move/move.ts";
import { openStore } from "../open-store.ts";
import { backUp } from "../sqlite/backup.ts";
import { PostgresPayloads } from "../postgres/payload-database.ts";
import { SqlitePayloads } from "../sqlite/payload-database.ts";
import { PayloadCipher } from "./payload-cipher.ts";
import type { PayloadKey } from "./payload-keys.ts";
import { countPayloads, rotatePayloads, type PayloadDatabase } from "./rotate-payloads.ts";

const OLD = { id: "old", secret: "o".repeat(32) };
const NEW = { id: "new", secret: "n".repeat(32) };
const MISSING = { code: "SVC_PAYLOAD_KEY" };
const LONG = "long ".repeat(20_000);

interface Place {
  open: (keys: readonly PayloadKey[]) => Promise<Store>;
  url: string;
  /** Undefined: PostgreSQL. */
  file?: string;
  payloads: () => Promise<PayloadDatabase>;
  /** Whether the database may contain a text. */
  contains?: (text: string) => boolean;
}

const folder = mkdtempSync(join(tmpdir(), "svc-keys-"));
const databases: TestDatabase[] = [];
after(async () => {
  rmSync(folder, { recursive: true });
  for (const database of databases) await database.drop();
});

async function placeOf(kind: string): Promise<Place> {
  if (kind === "SQLite") {
    const file = join(folder, `${nextId()}.db`);
    return {
      url: `sqlite:${file}`,
      file,
      open: (payloadKeys) => openStore(`sqlite:${file}`, { payloadKeys }),
      payloads: () => SqlitePayloads.open(file),
      contains: (text) => readFileSync(file, "latin1").includes(text),
    };
  }
  const database = await testDatabase();
  databases.push(database);
  return {
    url: database.url,
    open: (payloadKeys) => openStore(database.url, { payloadKeys }),
    payloads: () => PostgresPayloads.open(database.url),
  };
}

/** Writes a run with a payload of each kind. @returns its id */
async function fill(store: Store): Promise<string> {
  const id = nextId();
  const error = { message: "no luck", reason: "error" as const, origin: { causes: ["Error: deep"] } };
  await store.graphs.commit({
    graphId: id,
    insert: graphRow(id, {
      status: "failed",
      phase: "failed",
      input: { text: "in" },
      result: LONG,
      error: { message: "no luck", reason: "error" },
      progress: { value: 0.5, note: "half" },
      summary: "one line",
    }),
    insertNodes: [{ ...nodeRow(id, "a/b"), error, result: [1], state: { n: 1 }, input: LONG }],
    events: [
      { graphId: id, type: "log", timestampMs: 1, node: "a/b", data: { message: "hello" } },
      { graphId: id, type: "graph.failed", timestampMs: 2 },
    ],
    outbox: [{ ...outboxRow(id), id: `msg_${id}`, body: '{"result":1}' }],
    signals: [
      {
        graphId: id,
        seq: 1,
        name: "go",
        payload: "yes",
        key: undefined,
        actor: undefined,
        createdMs: 1,
        node: undefined,
      },
    ],
    pastNodes: [{ ...nodeRow(id, "a/b"), result: "past" }],
    audit: {
      atMs: 1,
      actor: "op",
      address: undefined,
      operation: "graph.x",
      target: id,
      note: undefined,
      data: { a: 1 },
    },
  });
  await store.graphs.writePart(id, "f/1", 0, Buffer.from("bytes"));
  await store.webhooks.recordAttempts([
    { attempt: { ...attemptRow(`msg_${id}`), number: 1, response: "thanks" }, change: { status: "pending" } },
  ]);
  await store.sentEvents.add({ name: "e", id, position: databases.length + ids++, data: { text: "sent" } });
  await store.startGroups.count("g", id, () => [
    {
      graph: "g",
      key: id,
      generation: id,
      isOpen: false,
      dueMs: 1,
      events: [{ id, name: "e", sentMs: 1, data: "grouped" }],
      isList: false,
      count: 1,
    },
  ]);
  await store.answers.claim({ id, bodyHash: "h", createdMs: 1, answer: undefined }, 0);
  await store.answers.settle(id, 200, "answer");
  return id;
}
let ids = 1;

/** All payloads of a run, as its readers get them. */
async function contentOf(store: Store, id: string): Promise<unknown> {
  const { graphs, webhooks, sentEvents, startGroups, answers, audit } = store;
  return {
    run: await graphs.load([id]),
    heads: (await graphs.heads([id])).map(({ row }) => row),
    events: await graphs.events(id, 0),
    past: await graphs.pastNodes(id),
    part: Buffer.from((await graphs.part(id, "f/1", 0)) ?? []).toString(),
    delivery: await webhooks.delivery(`msg_${id}`),
    attempts: await webhooks.attempts(`msg_${id}`),
    sent: (await sentEvents.after("e", -1, 9)).filter((event) => event.id === id),
    groups: (await startGroups.due(9, 9)).filter(({ key }) => key === id),
    answer: await answers.find(id),
    audit: (await audit.list({ target: id })).items.map(({ data }) => data),
  };
}

async function within<Result>(place: Place, keys: readonly PayloadKey[], use: (store: Store) => Promise<Result>) {
  const store = await place.open(keys);
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

async function ofPayloads<Result>(place: Place, use: (database: PayloadDatabase) => Promise<Result>) {
  const database = await place.payloads();
  try {
    return await use(database);
  } finally {
    await database.close();
  }
}

const countsOf = (place: Place): Promise<Record<string, number>> =>
  ofPayloads(place, async (database) =>
    Object.fromEntries([...(await countPayloads(database))].map(([id, count]) => [id ?? "none", count])),
  );

for (const kind of ["SQLite", "PostgreSQL"])
  describe(`Payload keys on ${kind}`, { skip: kind === "PostgreSQL" && (await withoutPostgres()) }, () => {
    it("decrypt what they have encrypted, and leave readable what was stored before", async () => {
      const place = await placeOf(kind);
      const id = await within(place, [], fill);
      const plain = await within(place, [], (store) => contentOf(store, id));
      assert.deepEqual(await within(place, [OLD], (store) => contentOf(store, id)), plain);
      const next = await within(place, [OLD], fill);
      const sealed = await within(place, [NEW, OLD], (store) => contentOf(store, next));
      assert.match(
        JSON.stringify(sealed),
        /"one line".*"hello".*"past".*"bytes".*"thanks".*"sent".*"grouped".*"answer"/,
      );
    });

    it("that are missing fail the calls for their runs with the name of the key, and no call for others", async () => {
      const place = await placeOf(kind);
      const locked = await within(place, [OLD], fill);
      await within(place, [NEW], async (store) => {
        const id = await fill(store);
        await assert.rejects(store.graphs.load([locked]), MISSING);
        await assert.rejects(store.graphs.graph(locked), MISSING);
        await assert.rejects(store.webhooks.delivery(`msg_${locked}`), MISSING);
        const heads = await store.graphs.heads([locked, id]);
        assert.match(String(heads[0]?.row.input), /\[SVC_PAYLOAD_KEY\].*"old".*SVC_PAYLOAD_KEYS/);
        assert.deepEqual(heads[1]?.row.input, { text: "in" });
        const { items } = await store.graphs.list({ status: "failed" });
        const failed = [locked, id].map((one) => `${one} failed`).toSorted();
        assert.deepEqual(items.map(({ id: one, status }) => `${one} ${status}`).toSorted(), failed);
        assert.deepEqual(
          (await store.sentEvents.pending(-1, 1e9, 1)).map((event) => event.id),
          [id],
        );
        assert.deepEqual(
          (await store.startGroups.due(9, 1)).map(({ key }) => key),
          [id],
        );
        const queue = { registrationId: outboxRow(id).registrationId, isRetry: true };
        const due = await store.webhooks.due(queue, 1e15, 9);
        assert.equal(due.find((row) => row.id === `msg_${id}`)?.body, '{"result":1}');
        const unreadable = due.find((row) => row.id === `msg_${locked}`);
        assert.throws(() => unreadable?.body, MISSING);
      });
    });

    it("let lists be searched by the text of errors and summaries", async () => {
      const place = await placeOf(kind);
      await within(place, [OLD], async (store) => {
        const id = await fill(store);
        for (const query of [{ error: "LUCK" }, { summary: "One" }, { error: "luck", status: "failed" as const }]) {
          const { items, total } = await store.graphs.list(query);
          assert.deepEqual([items.map((head) => head.id), total], [[id], 1]);
        }
        assert.equal((await store.graphs.list({ error: "other" })).total, 0);
      });
    });

    it("are replaced by a rotation, which continues after an interruption, and counts the values of each key", async () => {
      const place = await placeOf(kind);
      const plain = await within(place, [], fill);
      const sealed = await within(place, [OLD], fill);
      const both = (store: Store) => Promise.all([contentOf(store, plain), contentOf(store, sealed)]);
      const before = await within(place, [OLD], both);
      const { old = 0, none = 0, ...others } = await countsOf(place);
      assert.deepEqual([others, old > 15, none], [{}, true, old]);
      const cipher = new PayloadCipher([NEW, OLD]);
      // The process dies after some tables.
      let tables = 0;
      const interrupted = ofPayloads(place, (database) =>
        rotatePayloads(database, cipher, () => {
          if (++tables === 4) throw new Error("killed");
        }),
      );
      await assert.rejects(interrupted, /killed/);
      const halfway = await countsOf(place);
      assert.ok((halfway["new"] ?? 0) > 0 && (halfway["old"] ?? 0) > 0, JSON.stringify(halfway));
      assert.deepEqual(await within(place, [NEW, OLD], both), before);
      const changed = await ofPayloads(place, (database) => rotatePayloads(database, cipher, () => undefined));
      assert.ok(changed > 0);
      assert.deepEqual(await countsOf(place), { new: old + none });
      assert.deepEqual(await within(place, [NEW], both), before);
      assert.equal(await ofPayloads(place, (database) => rotatePayloads(database, cipher, () => undefined)), 0);
      // The file has no page with an earlier value.
      for (const text of ["svc:enc:1:old", "long long", "one line"]) assert.ok(!place.contains?.(text), text);
    });

    it("of a backup, and of a database that was moved, are those of the original", async () => {
      const place = await placeOf(kind);
      const id = await within(place, [OLD], fill);
      const before = await within(place, [OLD], (store) => contentOf(store, id));
      const target = join(folder, `${nextId()}.db`);
      if (place.file !== undefined) await backUp(place.file, target);
      const moved = place.file === undefined ? target : join(folder, `${nextId()}.db`);
      const [source, arriving] = [await openDump(place.url, false), await openDump(`sqlite:${moved}`, true)];
      await move({ source, target: arriving, clock: systemClock, addJobs: async () => 0, onEvent: () => undefined });
      await source.close();
      await arriving.close();
      for (const file of new Set([target, moved])) {
        const copy: Place = { ...place, open: (payloadKeys) => openStore(`sqlite:${file}`, { payloadKeys }) };
        assert.deepEqual(await within(copy, [OLD], (store) => contentOf(store, id)), before);
        await assert.rejects(
          within(copy, [NEW], (store) => store.graphs.load([id])),
          MISSING,
        );
      }
    });

    it("are not overwritten by a rotation that has read an older value", async () => {
      const place = await placeOf(kind);
      const id = await within(place, [OLD], fill);
      await ofPayloads(place, async (database) => {
        const table = database.tables.find(({ name }) => name === "graph");
        assert.ok(table);
        const rows = await database.read(table, undefined);
        const changes = rows.map((row) => ({ row, next: { input: '"stale"' } }));
        // An SQLite file has one process.
        if (place.file !== undefined) return;
        await within(place, [OLD], (store) => store.graphs.commit({ graphId: id, graph: { input: "newer" } }));
        assert.equal(await database.write(table, changes), 0);
        assert.equal((await within(place, [OLD], (store) => store.graphs.graph(id)))?.input, "newer");
      });
    });

    it("that are missing stop a rotation with the name of the key", async () => {
      const place = await placeOf(kind);
      await within(place, [OLD], fill);
      const cipher = new PayloadCipher([NEW]);
      await assert.rejects(
        ofPayloads(place, (database) => rotatePayloads(database, cipher, () => undefined)),
        /"old", which SVC_PAYLOAD_KEYS does not contain/,
      );
    });
  });

describe("A schedule whose input has a missing key", () => {
  it("keeps its input when it changes, lists the reason, and gets a new input", async () => {
    const place = await placeOf("SQLite");
    const row = {
      name: "daily",
      worker: "w",
      cron: "0 0 * * *",
      timeZone: "UTC",
      input: { text: "in" },
      catchUp: "none" as const,
      overlap: "skip" as const,
      source: "app" as const,
      isPaused: false,
      nextMs: 1,
      lastMs: undefined,
      lastGraphId: undefined,
      createdMs: 1,
      updatedMs: 1,
    };
    await within(place, [OLD], (store) => store.schedules.change("daily", () => row));
    await within(place, [NEW], async ({ schedules }) => {
      await schedules.change("daily", (old) => ({ ...(old ?? row), isPaused: true }));
      assert.match(String((await schedules.schedules())[0]?.input), /"old"/);
      await assert.rejects(schedules.schedule("daily"), MISSING);
    });
    await within(place, [OLD], async ({ schedules }) => {
      assert.deepEqual(await schedules.schedule("daily"), { ...row, isPaused: true });
    });
    await within(place, [NEW], async ({ schedules }) => {
      await schedules.change("daily", () => row);
      assert.deepEqual(await schedules.schedule("daily"), row);
    });
  });
});

describe("Pending events whose key is missing", () => {
  it("are reported in the log, once for each look", async () => {
    const file = join(folder, "log.db");
    const first = await openStore(`sqlite:${file}`, { payloadKeys: [OLD] });
    await first.sentEvents.add({ name: "e", id: "1", position: 1, data: 1 });
    await first.close();
    const log = recordLog();
    const store = await openStore(`sqlite:${file}`, { payloadKeys: [NEW], log });
    assert.deepEqual(await store.sentEvents.pending(-1, 9, 5), []);
    assert.equal(log.texts.filter((text) => text.includes("can't be decrypted")).length, 1);
    await store.close();
  });
});
