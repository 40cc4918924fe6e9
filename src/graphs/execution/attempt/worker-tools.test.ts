/** `ctx.fetch` and `ctx.ai`, in the engine's thread and in one of its own, against a server on this machine. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { systemClock } from "../../../platform/shared/clock.ts";
import type { Json } from "../../../platform/shared/json.ts";
import { openStore } from "../../../storage/open-store.ts";
import { worker } from "../../definition/definition.ts";
import { createEngine } from "../../engine/engine.ts";
import type { Engine } from "../../engine/engine-types.ts";
import type { Snapshot } from "../../machine/view-types.ts";
import type { Worker } from "../../definition/definition-types.ts";
import type { WorkerContext } from "../../definition/worker-types.ts";
import type { WorkerToolOptions } from "./worker-tools.ts";

const PATIENCE_MS = 60_000;
const folder = mkdtempSync(join(tmpdir(), "svc-tools-"));
let server: Server;
let origin: string;
/** Settles when a client has gone away from "/slow". */
let left: Promise<unknown>;

const SPOKEN = [
  { choices: [{ delta: { content: "Yes." }, finish_reason: "stop" }] },
  { choices: [], usage: { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 } },
];

async function withEngine(
  workers: readonly Worker<never, unknown>[],
  tools: WorkerToolOptions | undefined,
  run: (engine: Engine) => Promise<void>,
): Promise<void> {
  const store = await openStore("memory:");
  const engine = createEngine({ store, clock: systemClock, workers, ...(tools && { tools }) });
  try {
    await run(engine);
  } finally {
    await engine.close();
    await store.close();
  }
}

async function ended(engine: Engine, name: string, input: Json): Promise<{ snapshot: Snapshot; events: string }> {
  const { snapshot } = await engine.start(name, input);
  const events = [];
  for await (const event of engine.subscribe(snapshot.graph_id, 0, AbortSignal.timeout(PATIENCE_MS)))
    events.push(event);
  const last = await Promise.resolve(engine.snapshot(snapshot.graph_id));
  assert.ok(last);
  return { snapshot: last, events: JSON.stringify(events) };
}

const LOOPBACK = ["127.0.0.1/32"];
const once1 = { retry: { max: 1 } };
const reads = worker("reads", once1, async (url: string, ctx) => (await ctx.fetch(url)).text());
const asks = worker("asks", once1, async (question: string, ctx) => {
  const { text, usage } = await ctx.ai.ask(question);
  return { text, tokens: usage?.total_tokens ?? 0 };
});

describe("a worker's context", () => {
  before(async () => {
    server = createServer((request, reply) => {
      if (request.url === "/slow") return void (left = once(reply, "close"));
      if (request.url === "/page") return void reply.end("a page");
      reply.writeHead(200, { "content-type": "text/event-stream" });
      for (const event of SPOKEN) reply.write(`data: ${JSON.stringify(event)}\n\n`);
      reply.end("data: [DONE]\n\n");
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(() => {
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true });
  });

  it("fetches from public addresses alone, unless the app opens a range", async () => {
    await withEngine([reads], undefined, async (engine) => {
      const { snapshot } = await ended(engine, "reads", `${origin}/page`);
      assert.match(snapshot.error?.message ?? "", /loopback/);
    });
    await withEngine([reads], { fetch: { allowCidrs: LOOPBACK } }, async (engine) => {
      const { snapshot } = await ended(engine, "reads", `${origin}/page`);
      assert.deepEqual(snapshot.result, "a page");
    });
  });

  it("ends what it fetches with the attempt", async () => {
    let isAsked: () => void;
    const asked = new Promise<void>((resolve) => (isAsked = resolve));
    const waits = worker("waits", once1, async (url: string, ctx: WorkerContext) => {
      server.once("request", () => isAsked());
      return (await ctx.fetch(url)).text();
    });
    await withEngine([waits], { fetch: { allowCidrs: LOOPBACK } }, async (engine) => {
      const { snapshot } = await engine.start("waits", `${origin}/slow`);
      await asked;
      await engine.cancel(snapshot.graph_id);
      await left;
    });
  });

  it("asks the language model that the app names, and tells its tokens as an event", async () => {
    const tools = { ai: { url: `${origin}/v1`, model: "small", allowCidrs: LOOPBACK } };
    await withEngine([asks], tools, async (engine) => {
      const { snapshot, events } = await ended(engine, "asks", "Really?");
      assert.deepEqual(snapshot.result, { text: "Yes.", tokens: 4 });
      assert.match(events, /"ai\.usage".*"total_tokens":4/);
    });
  });

  it("says what to do where the app names no language model", async () => {
    await withEngine([asks], undefined, async (engine) => {
      const { snapshot } = await ended(engine, "asks", "Really?");
      assert.match(snapshot.error?.message ?? "", /no endpoint for it; name one: createApp\(\{ tools: \{ ai:/);
    });
  });

  it("has both in a thread", async () => {
    const file = join(folder, "isolated.mjs");
    const definition = JSON.stringify(new URL("../../definition/definition.js", import.meta.url).href);
    writeFileSync(
      file,
      `import { worker } from ${definition};
      export const both = worker("both", { isolate: { module: import.meta.url }, retry: { max: 1 } }, async (url, ctx) => [
        await (await ctx.fetch(url)).text(), (await ctx.ai.ask("Really?")).text]);`,
    );
    const { both } = (await import(pathToFileURL(file).href)) as { both: Worker<never, unknown> };
    const ai = { url: `${origin}/v1`, model: "small", allowCidrs: LOOPBACK };
    await withEngine([both], { fetch: { allowCidrs: LOOPBACK }, ai }, async (engine) => {
      const { snapshot, events } = await ended(engine, "both", `${origin}/page`);
      assert.deepEqual(snapshot.result, ["a page", "Yes."]);
      assert.match(events, /"ai\.usage"/);
    });
  });

  it("with a bad range is refused as the engine is made", () => {
    const store = openStore("memory:");
    return assert.rejects(
      async () =>
        createEngine({ store: await store, clock: systemClock, tools: { fetch: { allowCidrs: ["nonsense"] } } }),
      { code: "SVC_CONFIG" },
    );
  });
});
