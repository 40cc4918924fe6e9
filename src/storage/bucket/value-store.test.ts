import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, beforeEach, describe, it } from "node:test";
import { testDatabase, withoutPostgres } from "../../testing/test-database.ts";
import type { Json } from "../../platform/shared/json.ts";
import type { Store } from "../contract/contract.ts";
import type { GraphEvent, NewEvent } from "../contract/graph-rows.ts";
import type { GraphStore } from "../contract/graph-store.ts";
import { ENCRYPTED, openedStore, TEST_KEY } from "../contract/opened-store.testkit.ts";
import { runState } from "../contract/run-state.ts";
import { graphRow, nextId, nodeRow } from "../contract/sample-rows.testkit.ts";
import type { Transition } from "../contract/transition.ts";
import { PayloadCipher } from "../encryption/payload-cipher.ts";
import type { PayloadKey } from "../encryption/payload-keys.ts";
import { countPayloads, rotatePayloads } from "../encryption/rotate-payloads.ts";
import { SqlitePayloads } from "../sqlite/payload-database.ts";
import { openStore } from "../open-store.ts";
import type { BucketConfig } from "./bucket-url.ts";
import { fakeS3, type FakeS3 } from "./fake-s3.testkit.ts";
import { ValueCommits } from "./value-commits.ts";
import { ValueObjects, type ValueWriter } from "./value-objects.ts";

const hasNoPostgres = await withoutPostgres();
const ABOVE = 200;
const PLANTED = "planted";
/** Each is one object: no two are alike. */
const large = (name: string): Json => ({ name, text: PLANTED.repeat(100) });
const small = (name: string): Json => ({ name });
const DAY_MS = 24 * 60 * 60 * 1000;
const FINISHED = { status: "done", phase: "done", finishedMs: 5 } as const;

const log = (graphId: string, data: Json): NewEvent => ({ graphId, type: "log", timestampMs: 1, data });
/** The last `seq` events are there already. */
const following = (graphId: string, seq: number, data: Json, line = Number(graphId.slice(2))): Transition => ({
  graphId,
  fence: { epoch: 1, phases: [graphRow(graphId).phase], seq, line },
  events: [log(graphId, data)],
});

async function newRun({ graphs }: Store, change: Parameters<typeof graphRow>[1] = {}): Promise<string> {
  const id = nextId();
  await graphs.commit({ graphId: id, insert: graphRow(id, change), insertNodes: [nodeRow(id, "a")] });
  return id;
}

const dataOf = async ({ graphs }: Store, id: string): Promise<(Json | undefined)[]> =>
  (await graphs.events(id, 0)).map(({ data }) => data);

for (const url of ["sqlite::memory:", "encrypted sqlite::memory:", "postgres:"]) {
  describe(`values of runs in a bucket, on ${url}`, { skip: url === "postgres:" && hasNoPostgres }, () => {
    let s3: FakeS3;
    let store: Store;
    let opened: ReturnType<typeof openedStore>;
    /** Names of the objects of a run, without those of its other folders. */
    const objectsOf = (id: string): string[] =>
      [...s3.objects.keys()].filter((name) => name.startsWith(`app/${id}/v/`));
    const held = (): (() => void) => {
      let release = (): void => undefined;
      const until = new Promise<undefined>((resolve) => (release = () => resolve(undefined)));
      s3.intercept = () => until;
      return () => {
        s3.intercept = undefined;
        release();
      };
    };

    before(async () => {
      s3 = await fakeS3();
      opened = openedStore(url, s3.config({ values: ABOVE }));
      store = await opened.open();
    });
    beforeEach(() => {
      s3.seen.length = 0;
      s3.intercept = undefined;
    });
    after(async () => {
      await opened.close();
      await s3.close();
    });

    it("are objects above the limit, and rows up to it, and each call returns them", async () => {
      const id = nextId();
      const row = graphRow(id, { input: large("input"), idempotencyKey: `key ${id}` });
      const node = {
        ...nodeRow(id, "a"),
        input: large("node input"),
        result: large("node result"),
        state: large("state"),
      };
      const past = { ...nodeRow(id, "past"), result: large("past") };
      const signal = {
        graphId: id,
        seq: 1,
        name: "go",
        key: undefined,
        actor: undefined,
        createdMs: 1,
        node: undefined,
      };
      const events = [log(id, large("event")), log(id, small("event"))];
      await store.graphs.commit({
        graphId: id,
        insert: row,
        insertNodes: [node, nodeRow(id, "b")],
        pastNodes: [past],
        signals: [{ ...signal, payload: large("signal") }],
        events,
      });
      await store.graphs.commit({ graphId: id, graph: { result: large("result") } });
      assert.equal(objectsOf(id).length, 8);
      const contents = objectsOf(id).map((name) => s3.objects.get(name)?.data.includes(PLANTED));
      assert.equal(
        contents.every((isPlain) => isPlain === !url.startsWith(ENCRYPTED)),
        true,
      );

      const whole = { ...row, result: large("result") };
      const [loaded] = await store.graphs.load([id]);
      assert.deepEqual(loaded?.row, whole);
      assert.deepEqual(loaded.nodes, [node, nodeRow(id, "b")]);
      assert.deepEqual(loaded.signals, [{ ...signal, payload: large("signal") }]);
      assert.deepEqual(await store.graphs.graph(id), whole);
      assert.deepEqual(await store.graphs.byIdempotencyKey(row.worker, `key ${id}`), whole);
      assert.deepEqual((await store.graphs.heads([id]))[0]?.row, whole);
      assert.deepEqual(await store.graphs.pastNodes(id), [past]);
      assert.deepEqual(await dataOf(store, id), [large("event"), small("event")]);
    });

    it("are not read by lists, which know their sizes", async () => {
      const id = await newRun(store, { input: large("input") });
      const result = large("result");
      await store.graphs.commit({ graphId: id, nodes: [{ id: "a", result }], graph: { result: small("result") } });
      s3.seen.length = 0;
      const [shown] = await store.graphs.heads([id], undefined, "noted");
      assert.match(String(shown?.row.input), /^\[\d+ bytes, in the bucket\]$/);
      assert.deepEqual(shown?.row.result, small("result"));
      const bytes = shown.nodes[0]?.resultBytes ?? 0;
      const least = Buffer.byteLength(JSON.stringify(result));
      // Encrypted values are longer.
      assert.ok(url.startsWith(ENCRYPTED) ? bytes > least : bytes === least, String(bytes));
      assert.equal((await store.graphs.list({ idPrefix: id })).items.length, 1);
      assert.equal((await runState(store.graphs, id))?.phase, graphRow(id).phase);
      assert.deepEqual(s3.seen, []);
    });

    it("fail their commit if the bucket is down, and nothing that follows it is written", async () => {
      const [id, other] = [await newRun(store), await newRun(store)];
      s3.intercept = () => ({ status: 503, code: "SlowDown" });
      const first = store.graphs.commit(following(id, 0, large("lost")));
      const second = store.graphs.commit(following(id, 1, small("after it")));
      const elsewhere = store.graphs.commit(following(other, 0, small("elsewhere")));
      await assert.rejects(first, { code: "SVC_BUCKET", message: /503 SlowDown/ });
      assert.deepEqual([await second, await elsewhere], [false, true]);
      // The run counts like its lost copy by now.
      assert.equal(await store.graphs.commit(following(id, 0, small("again"), 1e6)), true);
      assert.equal(await store.graphs.commit(following(id, 1, small("still after it"))), false);
      s3.intercept = undefined;
      assert.equal(await store.graphs.commit(following(id, 1, large("again"), 1e6)), true);
      assert.deepEqual(await dataOf(store, id), [small("again"), large("again")]);
      assert.deepEqual(await dataOf(store, other), [small("elsewhere")]);
    });

    it("keep the order of the commits of their run while the bucket is slow, and other runs do not wait", async () => {
      const [id, other] = [await newRun(store), await newRun(store)];
      const release = held();
      let written = 0;
      const commits = [large("1"), small("2"), large("3"), small("4")].map(async (data, seq) => {
        const isWritten = await store.graphs.commit(following(id, seq, data));
        written++;
        return isWritten;
      });
      assert.equal(await store.graphs.commit(following(other, 0, small("elsewhere"))), true);
      assert.deepEqual([written, await dataOf(store, id)], [0, []]);
      release();
      assert.deepEqual(await Promise.all(commits), [true, true, true, true]);
      assert.deepEqual(await dataOf(store, id), [large("1"), small("2"), large("3"), small("4")]);
    });

    it("are uploaded before a transaction of their run begins, and stay rows beside it", async () => {
      const id = await newRun(store);
      const before = objectsOf(id).length;
      const release = held();
      const first = store.graphs.commit(following(id, 0, large("1")));
      const written = store.graphs.transact({
        graphId: id,
        isAsync: url === "postgres:",
        statements: () => null,
        decide: () => following(id, 2, large("3")),
      });
      const beside = store.graphs.commit(following(id, 1, large("2")));
      release();
      assert.deepEqual([await first, await beside, await written], [true, true, null]);
      assert.deepEqual(await dataOf(store, id), [large("1"), large("2"), large("3")]);
      assert.equal(objectsOf(id).length - before, 1);
      assert.equal(await store.graphs.commit(following(id, 3, large("4"))), true);
      assert.equal(objectsOf(id).length - before, 2);
    });

    it("reach followers of their events", async () => {
      const id = await newRun(store);
      const seen: (readonly GraphEvent[])[] = [];
      const stop = store.graphs.onEvents(id, (events) => seen.push(events));
      await store.graphs.commit({ graphId: id, events: [log(id, small("1"))] });
      await store.graphs.commit({ graphId: id, events: [log(id, large("2"))] });
      stop();
      // An empty call asks the follower to read.
      assert.deepEqual(
        seen.map((events) => events.map(({ data }) => data)),
        [[small("1")], []],
      );
      assert.equal(store.graphs.eventsAtHand?.(id, 1), undefined);
      assert.deepEqual(
        (await store.graphs.events(id, 1)).map(({ data }) => data),
        [large("2")],
      );
    });

    it("are deleted with their run, and those of other runs stay", async () => {
      const ended = { ...FINISHED, worker: `purged ${url}`, input: large("input") };
      const [gone, kept] = [await newRun(store, ended), await newRun(store, { input: large("input") })];
      assert.deepEqual([objectsOf(gone).length, objectsOf(kept).length], [1, 1]);
      assert.deepEqual((await store.graphs.purge({ worker: ended.worker, finishedBeforeMs: 1e13 })).ids, [gone]);
      assert.deepEqual([objectsOf(gone).length, objectsOf(kept).length], [0, 1]);
    });

    it("are deleted by the sweep a day after they were written, if no row knows them", async () => {
      const id = await newRun(store);
      await store.graphs.commit({ graphId: id, nodes: [{ id: "a", state: large("replaced") }] });
      const replaced = objectsOf(id);
      const signal = { graphId: id, seq: 1, name: "go", key: undefined, actor: undefined, createdMs: 1, node: "a" };
      await store.graphs.commit({
        graphId: id,
        graph: { input: large("input"), result: large("result") },
        nodes: [{ id: "a", input: large("node input"), result: large("node result"), state: large("state") }],
        pastNodes: [{ ...nodeRow(id, "a"), result: large("past") }],
        events: [log(id, small("event")), log(id, large("event"))],
        signals: [{ ...signal, payload: large("taken signal") }],
      });
      const known = objectsOf(id).filter((name) => !replaced.includes(name));
      assert.deepEqual([replaced.length, known.length], [1, 8]);
      const young = `app/${id}/v/young`;
      const lost = [`app/${id}/v/lost`, `app/${nextId()}/v/lost`];
      for (const name of [...lost, young]) s3.objects.set(name, { data: Buffer.from("1"), changedMs: Date.now() });
      for (const name of [...lost, ...replaced, ...known])
        (s3.objects.get(name) ?? assert.fail()).changedMs = Date.now() - DAY_MS - 5000;
      const later = objectsOf(id).length;
      await store.sweepObjects?.();
      assert.equal(later - objectsOf(id).length, 2);
      assert.deepEqual(objectsOf(id).sort(), [...known, young].sort());
      assert.equal(s3.objects.has(lost[1] ?? ""), false);
    });

    it("that look like a reference are returned as they are", async () => {
      const [name = ""] = objectsOf(await newRun(store, { input: large("input") }));
      const forged = `svc:val:1:3::${name.slice("app/".length)}`;
      // Also without a bucket, where all values are rows.
      const plain = await openStore("sqlite::memory:");
      for (const each of [store, plain]) {
        const id = await newRun(each, { input: forged });
        await each.graphs.commit({
          graphId: id,
          nodes: [{ id: "a", result: `svc:val:0:${forged}` }],
          events: [log(id, forged)],
        });
        const [loaded] = await each.graphs.load([id]);
        assert.deepEqual([loaded?.row.input, loaded?.nodes[0]?.result], [forged, `svc:val:0:${forged}`]);
        assert.deepEqual(await dataOf(each, id), [forged]);
        assert.deepEqual((await each.graphs.heads([id], undefined, "noted"))[0]?.row.input, forged);
      }
      await plain.close();
    });
  });
}

describe("a database with values in a bucket", () => {
  const folder = mkdtempSync(join(tmpdir(), "svc-values-"));
  let s3: FakeS3;
  let files = 0;
  before(async () => void (s3 = await fakeS3()));
  beforeEach(() => {
    s3.objects.clear();
    s3.markers.clear();
    s3.seen.length = 0;
    s3.intercept = undefined;
  });
  after(async () => {
    await s3.close();
    rmSync(folder, { recursive: true });
  });

  const openWith = (
    url: string,
    bucket?: Partial<BucketConfig>,
    payloadKeys: readonly PayloadKey[] = [],
  ): Promise<Store> => openStore(url, { payloadKeys, bucket: bucket && s3.config({ values: ABOVE, ...bucket }) });

  async function filled(payloadKeys: readonly PayloadKey[] = []): Promise<{ url: string; id: string }> {
    const url = `sqlite:${join(folder, `${++files}.db`)}`;
    const store = await openWith(url, {}, payloadKeys);
    const id = await newRun(store, { input: large("input") });
    await store.graphs.commit({ graphId: id, events: [log(id, large("event"))] });
    await store.close();
    s3.seen.length = 0;
    return { url, id };
  }

  it("reads each object once, also for many readers at once", async () => {
    const { url, id } = await filled();
    const store = await openWith(url, {});
    const rows = await Promise.all(Array.from({ length: 20 }, async () => store.graphs.graph(id)));
    assert.deepEqual(new Set(rows.map((row) => JSON.stringify(row?.input))), new Set([JSON.stringify(large("input"))]));
    assert.deepEqual((await store.graphs.graph(id))?.input, large("input"));
    assert.deepEqual(s3.seen.length, 1);
    await store.close();
  });

  for (const change of [{ values: undefined }, { isWriting: false }])
    it(`reads them and writes new ones as rows with ${JSON.stringify(Object.keys(change))} off`, async () => {
      const { url, id } = await filled();
      const store = await openWith(url, change);
      const next = await newRun(store, { input: large("next") });
      const inputs = [(await store.graphs.graph(id))?.input, (await store.graphs.graph(next))?.input];
      assert.deepEqual(inputs, [large("input"), large("next")]);
      assert.deepEqual(
        s3.seen.filter((one) => !one.startsWith("GET")),
        [],
      );
      await store.close();
    });

  it("names the variable when no bucket is configured, and still lists its runs", async () => {
    const { url, id } = await filled();
    const store = await openWith(url);
    const problem = { code: "SVC_BUCKET", message: /SVC_PAYLOAD_BUCKET is not set/ };
    await assert.rejects(store.graphs.graph(id), problem);
    await assert.rejects(store.graphs.load([id]), problem);
    assert.match(String((await store.graphs.heads([id], undefined, "noted"))[0]?.row.input), /bytes, in the bucket/);
    assert.match(
      String((await store.graphs.heads([id]))[0]?.row.input),
      /^\[SVC_BUCKET\] .*SVC_PAYLOAD_BUCKET is not set/,
    );
    await store.close();
  });

  it("whose bucket has lost an object names it where the value is needed, and shows the reason on screens", async () => {
    const { url, id } = await filled();
    const names = [...s3.objects.keys()];
    s3.objects.clear();
    const store = await openWith(url, {});
    await assert.rejects(store.graphs.load([id]), ({ code, message }: Error & { code?: string }) => {
      assert.ok(
        names.some((name) => message.includes(name)),
        message,
      );
      return code === "SVC_BUCKET" && message.includes("Restore it");
    });
    assert.match(String((await store.graphs.heads([id]))[0]?.row.input), /^\[SVC_BUCKET\] The object app/);
    assert.match(String((await dataOf(store, id))[0]), /^\[SVC_BUCKET\] The object app/);
    await store.close();
  });

  it("whose bucket is down fails calls for large values, and does not show anything in their place", async () => {
    const { url, id } = await filled();
    const store = await openWith(url, {});
    const other = await newRun(store);
    s3.intercept = () => ({ status: 503, code: "SlowDown" });
    const { graphs } = store;
    for (const call of [() => graphs.graph(id), () => graphs.heads([id]), () => graphs.events(id, 0)])
      await assert.rejects(call, { code: "SVC_BUCKET", message: /503 SlowDown/ });
    assert.equal((await store.graphs.graph(other))?.id, other);
    s3.intercept = undefined;
    assert.deepEqual((await store.graphs.graph(id))?.input, large("input"));
    await store.close();
  });

  it("counts the payload keys of its objects, which a rotation leaves readable", async () => {
    const { url, id } = await filled([TEST_KEY]);
    const keys = [{ id: "next", secret: "f".repeat(32) }, TEST_KEY];
    const payloads = await SqlitePayloads.open(url.slice("sqlite:".length));
    await rotatePayloads(payloads, new PayloadCipher(keys), () => undefined);
    assert.equal((await countPayloads(payloads)).get(TEST_KEY.id), 2);
    await payloads.close();
    const store = await openWith(url, {}, keys);
    assert.deepEqual((await store.graphs.graph(id))?.input, large("input"));
    assert.deepEqual(await dataOf(store, id), [large("event")]);
    await store.close();
  });

  it("keeps values that look like a reference through a rotation to keys and back", async () => {
    const { url } = await filled();
    const forged = "svc:val:1:3::name";
    const plain = await openWith(url, {});
    const id = await newRun(plain, { input: forged });
    await plain.close();
    for (const keys of [[TEST_KEY], [{ id: "next", secret: "f".repeat(32) }, TEST_KEY]]) {
      const payloads = await SqlitePayloads.open(url.slice("sqlite:".length));
      await rotatePayloads(payloads, new PayloadCipher(keys), () => undefined);
      await payloads.close();
      const store = await openWith(url, {}, keys);
      assert.equal((await store.graphs.graph(id))?.input, forged);
      await store.close();
    }
  });

  it("is shared by processes, which read each other's values", { skip: hasNoPostgres }, async () => {
    const database = await testDatabase();
    const [one, two] = await Promise.all([openWith(database.url, {}), openWith(database.url, {})]);
    const id = await newRun(one, { input: large("one") });
    assert.deepEqual((await two.graphs.graph(id))?.input, large("one"));
    await two.graphs.commit({
      graphId: id,
      nodes: [{ id: "a", result: large("two") }],
      events: [log(id, large("two"))],
    });
    assert.deepEqual((await one.graphs.load([id]))[0]?.nodes[0]?.result, large("two"));
    assert.deepEqual(await dataOf(one, id), [large("two")]);
    for (const store of [one, two]) await store.close();
    await database.drop();
  });
});

describe("a transition without large values", () => {
  for (const above of [undefined, ABOVE])
    it(`reaches the database at once and as it is, with the limit ${above}`, async () => {
      const passedOn: Transition[] = [];
      const commit = async (transition: Transition): Promise<boolean> => passedOn.push(transition) > 0;
      // No other members are called.
      const graphs = { commit } as unknown as GraphStore;
      const writer = above === undefined ? undefined : ({ above } as ValueWriter);
      const commits = new ValueCommits(graphs, new ValueObjects(undefined), writer);
      const id = nextId();
      const transition = {
        graphId: id,
        insert: graphRow(id),
        insertNodes: [nodeRow(id, "a")],
        events: [log(id, small("e"))],
      };
      const written = commits.commit(transition);
      assert.equal(passedOn[0], transition);
      assert.equal(await written, true);
    });
});
