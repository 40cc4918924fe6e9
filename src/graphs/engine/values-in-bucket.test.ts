/** Runs whose inputs, results, signals and events are objects in a bucket, and faults of the bucket while they run. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, beforeEach, describe, it } from "node:test";
import type { Json } from "../../platform/shared/json.ts";
import { fakeS3, type FakeS3 } from "../../storage/bucket/fake-s3.testkit.ts";
import { positionAt } from "../../storage/contract/sent-events.ts";
import { graph, worker } from "../definition/definition.ts";
import { event } from "../definition/event.ts";
import { bench, type Bench } from "./engine.testkit.ts";

const large = (name: string): string => name.repeat(1000);
const sent = event<{ text: string }>("sent");
let calls = 0;
const copy = worker("copy", async (input: Json, ctx) => {
  calls++;
  ctx.emit("found", large("emitted"));
  const step = await ctx.step("step", () => large("step"));
  const row = await ctx.tx(() => large("row"));
  const signal = await ctx.waitFor<Json>("go");
  const { data } = await ctx.waitForEvent(sent);
  return { input, step, row, signal, text: data.text, result: large("result") };
});
const RESULT = {
  input: large("input"),
  step: large("step"),
  row: large("row"),
  signal: large("signal"),
  text: large("sent"),
  result: large("result"),
};

describe("Large values of a run in a bucket", () => {
  const folder = mkdtempSync(join(tmpdir(), "svc-values-engine-"));
  let s3: FakeS3;
  let files = 0;
  before(async () => void (s3 = await fakeS3()));
  beforeEach(() => {
    s3.objects.clear();
    s3.markers.clear();
    s3.intercept = undefined;
  });
  after(async () => {
    await s3.close();
    rmSync(folder, { recursive: true });
  });

  const down = (): void => void (s3.intercept = () => ({ status: 503, code: "SlowDown" }));
  const newUrl = (): string => `sqlite:${join(folder, `${++files}.db`)}`;
  const opened = (url: string): Promise<Bench> =>
    bench({ workers: [copy] }, url, undefined, s3.config({ values: 1024 }));

  it("reach its worker, its caller and its screens, also after a restart", async () => {
    const url = newUrl();
    const first = await opened(url);
    const { snapshot } = await first.engine.start("copy", large("input"));
    const id = snapshot.graph_id;
    await first.engine.idle();
    await first.engine.close(0);
    await first.store.close();
    const second = await opened(url);
    await second.engine.recover();
    await second.engine.signal(id, "go", large("signal"));
    await second.engine.idle();
    await second.engine.send(sent, { text: large("sent") });
    assert.deepEqual(await second.engine.result(id), RESULT);
    assert.deepEqual((await second.engine.snapshot(id))?.result, RESULT);
    assert.match(String((await second.engine.list({})).items[0]?.result), /bytes, in the bucket/);
    const events = await second.engine.events(id);
    assert.deepEqual(events.find(({ type }) => type === "custom")?.data, { name: "found", data: large("emitted") });
    assert.deepEqual((await second.engine.node(id, "copy#step"))?.result, large("step"));
    assert.ok(s3.objects.size >= 5, String(s3.objects.size));
    await second.store.close();
  });

  it("make the attempt run again without a try when the bucket was down, and steps before it are kept", async () => {
    const { engine, store, pass } = await opened(newUrl());
    calls = 0;
    const { snapshot } = await engine.start("copy", large("input"));
    const id = snapshot.graph_id;
    await engine.idle();
    down();
    await assert.rejects(engine.signal(id, "go", large("signal")), { code: "SVC_BUCKET" });
    await pass(1000);
    s3.intercept = undefined;
    await pass(1000);
    await engine.signal(id, "go", large("signal"));
    await engine.send(sent, { text: large("sent") });
    await engine.idle();
    await pass(2000);
    assert.deepEqual(await engine.result(id), RESULT);
    const [node] = (await engine.snapshot(id))?.nodes ?? [];
    assert.deepEqual([node?.attempts, calls > 1], [1, true]);
    await store.close();
  });

  it("refuse a start while the bucket is down, which leaves no run", async () => {
    const { engine, store } = await opened(newUrl());
    down();
    await assert.rejects(engine.start("copy", large("input")), { code: "SVC_BUCKET" });
    assert.equal((await engine.list({})).total, 0);
    await engine.start("copy", "small");
    await engine.idle();
    await store.close();
  });

  it("of an event start its run after a crash, reach later waits, and are deleted after its retention", async () => {
    const started = worker("started", (data: { text: string }) => data.text);
    const later = worker("later", async (_: Json, ctx) => {
      const { data } = await ctx.waitForEvent(sent, { lookback: "1h" });
      return data.text;
    });
    const onSent = graph("onSent", (g) => g.node("started", started), { on: sent });
    const table = await bench({ graphs: [onSent], workers: [later] }, newUrl(), undefined, s3.config({ values: 1024 }));
    const eventObjects = (): string[] => [...s3.objects.keys()].filter((name) => name.includes("/svc-events/"));
    // The process dies after it has stored the event.
    const position = positionAt(table.clock.now());
    await table.store.sentEvents.add({ name: "sent", id: "e1", position, data: { text: large("sent") } });
    assert.equal(eventObjects().length, 1);
    await table.crash();
    await table.engine.idle();
    assert.equal((await table.engine.list({ worker: "onSent" })).items[0]?.status, "done");
    const { snapshot } = await table.engine.start("later", null);
    assert.equal(await table.engine.result(snapshot.graph_id), large("sent"));
    await table.pass(25 * 60 * 60 * 1000);
    await table.engine.send("other", null);
    await table.engine.idle();
    assert.deepEqual(eventObjects(), []);
    await table.store.close();
  });

  it("delay only the recovery of its run when the bucket is down at the start of the process", async () => {
    const url = newUrl();
    const first = await opened(url);
    const { snapshot } = await first.engine.start("copy", large("input"));
    await first.engine.idle();
    await first.engine.close(0);
    await first.store.close();
    down();
    const second = await opened(url);
    await second.engine.recover();
    assert.ok(second.logs.some((text) => text.includes("could not be loaded. It is tried again")));
    s3.intercept = undefined;
    await second.pass(2000);
    await second.engine.signal(snapshot.graph_id, "go", large("signal"));
    await second.engine.send(sent, { text: large("sent") });
    assert.deepEqual(await second.engine.result(snapshot.graph_id), RESULT);
    await second.store.close();
  });
});
