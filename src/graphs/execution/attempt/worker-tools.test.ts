/** `ctx.fetch` in the engine's thread and in a worker thread, against a local server. */
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
/** Settles when a client has disconnected from "/slow". */
let left: Promise<unknown>;

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

async function ended(engine: Engine, name: string, input: Json): Promise<Snapshot> {
  const { snapshot } = await engine.start(name, input);
  let count = 0;
  for await (const _event of engine.subscribe(snapshot.graph_id, 0, AbortSignal.timeout(PATIENCE_MS))) count++;
  assert.ok(count > 0);
  const last = await engine.snapshot(snapshot.graph_id);
  assert.ok(last);
  return last;
}

const LOOPBACK = ["127.0.0.1/32"];
const once1 = { retry: { max: 1 } };
const reads = worker("reads", once1, async (url: string, ctx) => (await ctx.fetch(url)).text());

describe("a worker's context", () => {
  before(async () => {
    server = createServer((request, reply) => {
      if (request.url === "/slow") return void (left = once(reply, "close"));
      reply.end("a page");
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(() => {
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true });
  });

  it("fetches only from public addresses, unless the app allows a range", async () => {
    await withEngine([reads], undefined, async (engine) => {
      const snapshot = await ended(engine, "reads", `${origin}/page`);
      assert.match(snapshot.error?.message ?? "", /loopback/);
    });
    await withEngine([reads], { fetch: { allowCidrs: LOOPBACK } }, async (engine) => {
      const snapshot = await ended(engine, "reads", `${origin}/page`);
      assert.deepEqual(snapshot.result, "a page");
    });
  });

  it("aborts its requests when the attempt ends", async () => {
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

  it("fetches in a worker thread, too", async () => {
    const file = join(folder, "isolated.mjs");
    const definition = JSON.stringify(new URL("../../definition/definition.js", import.meta.url).href);
    writeFileSync(
      file,
      `import { worker } from ${definition};
      export const isolated = worker("isolated", { isolate: { module: import.meta.url }, retry: { max: 1 } },
        async (url, ctx) => (await ctx.fetch(url)).text());`,
    );
    const { isolated } = (await import(pathToFileURL(file).href)) as { isolated: Worker<never, unknown> };
    await withEngine([isolated], { fetch: { allowCidrs: LOOPBACK } }, async (engine) => {
      const snapshot = await ended(engine, "isolated", `${origin}/page`);
      assert.deepEqual(snapshot.result, "a page");
    });
    await withEngine([isolated], undefined, async (engine) => {
      const snapshot = await ended(engine, "isolated", `${origin}/page`);
      assert.match(snapshot.error?.message ?? "", /loopback/);
    });
  });

  it("with an invalid address range is rejected when the engine is created", () => {
    const store = openStore("memory:");
    return assert.rejects(
      async () =>
        createEngine({ store: await store, clock: systemClock, tools: { fetch: { allowCidrs: ["nonsense"] } } }),
      { code: "SVC_CONFIG" },
    );
  });
});
