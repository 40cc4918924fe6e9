import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createApp } from "../app.ts";
import { route } from "../pages/route.ts";
import { json, text } from "../../platform/http/response/response.ts";
import { SimulatedClock } from "../../platform/shared/clock.ts";
import { worker } from "../../graphs/definition/definition.ts";
import type { AppOptions } from "../options.ts";

const SECRET = "0123456789abcdef0123456789abcdef";
const KEY = "k-operators-only";

async function booted(options: AppOptions = {}) {
  const env = { SVC_DATABASE_URL: "memory:", SVC_SECRET: SECRET, SVC_EXEC_API_KEY: KEY, SVC_LOG_LEVEL: "error" };
  const app = createApp({ env, ...options });
  await app.boot();
  return app;
}

describe("extensions of an app", () => {
  it("are below the framework's prefix and outside the app's middleware", async () => {
    const app = await booted({
      middleware: [async () => text("Sign in first", 401)],
      extensions: {
        look: [route("GET", "/", () => json({ at: "top" })), route("GET", "/:one", (ctx) => json(ctx.params))],
      },
    });
    const get = async (path: string): Promise<unknown> =>
      (await app.fetch(new Request(`http://localhost${path}`))).json();
    assert.deepEqual(await get("/_svc/look"), { at: "top" });
    assert.deepEqual(await get("/_svc/look/here"), { one: "here" });
    await app.close();
  });

  it("can't have the name of a built-in path", async () => {
    await assert.rejects(booted({ extensions: { graphs: [route("GET", "/", () => json({}))] } }), {
      code: "SVC_DEFINITION",
    });
    await assert.rejects(booted({ extensions: { "a/b": [] } }), { code: "SVC_DEFINITION" });
  });
});

describe("sealed values", () => {
  it("can be opened for their purpose and within their lifetime, unchanged", async () => {
    const clock = new SimulatedClock();
    const app = await booted({ clock });
    const sealed = app.seal("unsubscribe", { user: 7 }, "1h");
    assert.deepEqual(app.unseal("unsubscribe", sealed), { user: 7 });
    assert.equal(app.unseal("sign-in", sealed), undefined);
    assert.equal(app.unseal("unsubscribe", `${sealed}A`), undefined);
    await clock.advance(3_600_000);
    assert.equal(app.unseal("unsubscribe", sealed), undefined);
    await app.close();
  });
});

describe("operations", () => {
  it("list settings with their sources, and never a secret", async () => {
    const app = await booted({
      env: { SVC_DATABASE_URL: "memory:", SVC_SECRET: SECRET, SVC_EXEC_API_KEY: KEY, SVC_RETENTION: "30d" },
      graphRetention: "7d",
      graphLimits: { inputBytes: 2048 },
    });
    const settings = app.operations.settings();
    const of = (name: string) => settings.find((one) => one.name === name);
    assert.deepEqual(of("SVC_RETENTION"), {
      name: "SVC_RETENTION",
      source: "environment",
      value: "30d",
      is_secret: false,
    });
    assert.deepEqual([of("SVC_GRAPH_INPUT_BYTES")?.source, of("SVC_GRAPH_INPUT_BYTES")?.value], ["app", "2048"]);
    assert.deepEqual([of("SVC_PROGRESS_RATE")?.source, of("SVC_PROGRESS_RATE")?.value], ["default", "10"]);
    assert.deepEqual(of("PORT")?.source, "default");
    assert.deepEqual(of("SVC_SECRET"), { name: "SVC_SECRET", source: "environment", value: null, is_secret: true });
    assert.ok(!JSON.stringify(settings).includes(SECRET));
    await app.close();
  });

  it("list the effective address of the process and its source, regardless of the variables", async () => {
    const app = createApp({
      env: { SVC_DATABASE_URL: "memory:", SVC_SECRET: SECRET, SVC_LOG_LEVEL: "error", PORT: "3999", HOST: "127.0.0.1" },
    });
    const started = await app.start({ port: 0 });
    const settings = app.operations.settings();
    const of = (name: string) => settings.find((one) => one.name === name);
    assert.deepEqual([of("PORT")?.source, of("PORT")?.value], ["start", new URL(started.url).port]);
    assert.deepEqual([of("HOST")?.source, of("HOST")?.value], ["environment", "127.0.0.1"]);
    await started.close();
  });

  it("recognize the operator's key, and record changes in the audit trail", async () => {
    const app = await booted();
    const { operations } = app;
    assert.deepEqual(
      [operations.isOperator("key", KEY, "203.0.113.9"), operations.isOperator("key", "k", "203.0.113.9")],
      [true, false],
    );
    await operations.record("cache.clear", "prices", { by: "ada", note: "stale" });
    const { items, total } = await operations.audit({ target: "prices" });
    assert.deepEqual([total, items[0]?.actor, items[0]?.note], [1, "ada", "stale"]);
    await app.close();
  });

  it("report rates of a queue and active runs: a retried run ends twice, but was not active before its start", async () => {
    let calls = 0;
    const torn = worker("torn", { retry: { max: 1 } }, () => {
      if (++calls === 1) throw new Error("torn");
      return null;
    });
    const app = await booted({ workers: [torn], clock: new SimulatedClock(Date.UTC(2026, 0, 2)) });
    const { snapshot } = await app.engine.start("torn", null);
    await app.engine.idle();
    await app.engine.retry(snapshot.graph_id);
    await app.engine.idle();
    const { hour, minutes } = await app.operations.recent();
    assert.deepEqual([hour.started, hour.failed, hour.done], [1, 1, 1]);
    assert.deepEqual(
      minutes.slice(-2).map(({ under_way: activeCount }) => activeCount),
      [0, 0],
    );
    const [queue] = await app.operations.queues();
    assert.deepEqual([queue?.ready_per_minute, queue?.ended_per_minute], [2, 2]);
    await app.close();
  });

  it("count runs, and show nodes with their inputs", async () => {
    const app = await booted({ workers: [worker("double", (n: number) => n * 2)] });
    const { snapshot } = await app.engine.start("double", 21);
    await app.engine.idle();
    const { started, done, failed } = (await app.operations.recent()).hour;
    assert.deepEqual([started, done, failed], [1, 1, 0]);
    const node = await app.engine.node(snapshot.graph_id, "double");
    assert.deepEqual([node?.status, node?.input, node?.result], ["done", 21, 42]);
    assert.equal(await app.engine.node(snapshot.graph_id, "triple"), undefined);
    const events = await app.engine.events(snapshot.graph_id, { after: 1 });
    assert.deepEqual([events[0]?.seq, events.at(-1)?.type], [2, "graph.done"]);
    const answer = await app.fetch(
      new Request(`http://localhost/_svc/graphs/${snapshot.graph_id}/nodes/double`, {
        headers: { authorization: `Bearer ${KEY}` },
      }),
    );
    assert.equal(((await answer.json()) as { result: number }).result, 42);
    await app.close();
  });
});

describe("a listener for changes", () => {
  const inbox = "https://93.184.216.34/hook";
  const nobody = (): Promise<unknown> => Promise.resolve();

  it("is called for changes of runs, controls and webhooks until it stops", async () => {
    const app = await booted({
      workers: [worker("double", (n: number) => n * 2)],
      schedules: [{ name: "yearly", cron: "30 2 1 1 *", worker: "double" }],
    });
    const { engine, operations, webhooks } = app;
    const reported = new Set<string>();
    const stop = operations.onChange((change) => reported.add(change.of === "graph" ? change.id : change.of));
    const after = async (step: () => Promise<unknown>): Promise<string[]> => {
      reported.clear();
      await step();
      return [...reported];
    };
    const { snapshot } = await engine.start("double", 21);
    await engine.idle();
    assert.deepEqual([...reported], [snapshot.graph_id]);
    assert.deepEqual(await after(nobody), []);
    assert.deepEqual(await after(() => engine.queues.pause("double")), ["controls"]);
    assert.deepEqual(await after(() => engine.queues.resume("double")), ["controls"]);
    assert.deepEqual(await after(() => engine.schedule.pause("yearly")), ["controls"]);
    assert.deepEqual(await after(() => webhooks.create({ url: inbox, enabled: false })), ["webhooks"]);
    const { id } = (await webhooks.list(new URLSearchParams())).webhooks[0] ?? assert.fail();
    assert.deepEqual(await after(() => webhooks.rotateSecret(id, {})), ["webhooks"]);
    assert.deepEqual(await after(() => webhooks.remove(id)), ["webhooks"]);
    stop();
    assert.deepEqual(await after(() => engine.queues.pause("double")), []);
    await app.close();
  });
});

describe("paths of extensions", () => {
  it("are known before the app boots", () => {
    const app = createApp({ extensions: { look: [route("GET", "/", () => json({}))] } });
    assert.deepEqual(app.extensionPaths, ["/_svc/look"]);
  });
});
