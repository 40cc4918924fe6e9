/** The app under fuzz: pages, routes, actions and forms for every kind of input. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { action, Await, createApp, json, page, readForm, route, type App, type Middleware } from "svckit";
import { worker } from "svckit/graph";
import { createTestClient } from "svckit/testing";
import * as v from "valibot";
import type { Visitor } from "./callers.ts";

export const API_KEY = "operator-key-of-the-tests";

/** High enough to disable rate limits, since they would hide the code behind them. */
const NO_LIMIT = "1000000";

declare module "svckit" {
  interface SessionData {
    fuzzed: number;
  }
}

/** Maximum size of a file that the app accepts. */
export const MAX_FILE_BYTES = 20_000;

/** Delay of deferred content. Clients that leave early have left by then. */
const LATE_MS = 100;

/** Shorter than the defaults, to keep the test short. */
const PATIENCE = { headers: 1000, request: 3000 };

const double = worker("double", (input: { value: number }) => input.value * 2);

const late = (): Promise<string> => new Promise((resolve) => setTimeout(resolve, LATE_MS, "later"));

async function* each(...args: unknown[]): AsyncGenerator<unknown, void, void> {
  yield* args;
}

const todo = v.object({ title: v.pipe(v.string(), v.nonEmpty("must not be empty")) });

export interface Target {
  readonly app: App;
  readonly port: number;
  /** Cookie and token that a browser sends with a mutation. */
  readonly session: { cookie: string; token: string };
  /** Visitors, each with a cookie and a matching token. */
  readonly visitors: readonly Visitor[];
  /** Id of a registered webhook. */
  readonly webhookId: string;
  /** Id of a run that is done or will be shortly. */
  readonly graphId: string;
  /** Errors in the log. A correct run has none. The reader removes them. */
  readonly faults: string[];
  /** Counts of requests, streams and files that still exist, by name; all zero when the app is idle. */
  left(): Promise<Record<string, number>>;
  close(): Promise<void>;
}

/** @param middleware around every page, route and action; used to plant bugs that the fuzz must find. */
export async function openTarget(middleware: readonly Middleware[] = []): Promise<Target> {
  const folder = mkdtempSync(join(tmpdir(), "svc-fuzz-"));
  const before = process.env["TMPDIR"];
  // Uploads are written here, so that leftover files are noticed.
  const temporary = join(folder, "temporary");
  mkdirSync(temporary);
  process.env["TMPDIR"] = temporary;
  const faults: string[] = [];
  const fault = (fields: { err?: unknown }, message: string): void => {
    // The first few suffice. Keeping thousands would distort the measured memory.
    if (faults.length < 20) faults.push(`${message}: ${fields.err instanceof Error ? fields.err.stack : ""}`);
  };
  const quiet = (): void => undefined;
  const app = createApp({
    middleware,
    pages: [
      page("/show/:what", {
        title: (_data, ctx) => ctx.params["what"] ?? "",
        view: (_data, ctx) => [ctx.params["what"], [...ctx.query].flat(), Object.entries(ctx.cookies).flat()],
      }),
      page("/late", { title: "Late", view: () => ["now ", Await({ value: late(), children: String })] }),
    ],
    routes: [
      route("POST", "/form", async (ctx) => {
        const { fields, files } = await readForm(ctx, 64 * 1024);
        const sizes = Object.entries(files).map(([name, file]) => [name, file.name, file.type, file.bytes.length]);
        return json({ fields, sizes });
      }),
      route("POST", "/open", async (ctx) => json((await ctx.bytes(64 * 1024)).length), { csrf: false }),
      route("GET", "/request", (ctx) => json([ctx.request.url, ctx.clientIp, [...ctx.request.headers]])),
      route("GET", "/session", async (ctx) => {
        const session = await ctx.session();
        session.set("fuzzed", (session.get("fuzzed") ?? 0) + 1);
        return json([session.get("fuzzed"), ctx.signedCookie("signed") ?? null]);
      }),
      route("GET", "/files/**:path", (ctx) => json(ctx.params)),
    ],
    actions: {
      echo: action((...args: unknown[]) => args),
      addTodo: action(todo, ({ title }) => title),
      each: action(each),
    },
    submits: {
      upload: {
        files: { file: { max: 2, maxBytes: MAX_FILE_BYTES }, photo: { types: ["image/*"], maxBytes: MAX_FILE_BYTES } },
        run: ({ fields, files }) => [fields.length, ...files.map(({ size }) => size)],
      },
    },
    security: { report: true },
    timeouts: PATIENCE,
    workers: [double],
    env: {
      SVC_DATA_DIR: folder,
      SVC_DATABASE_URL: "memory:",
      SVC_EXEC_API_KEY: API_KEY,
      SVC_WEBHOOK_ALLOW_CIDRS: "127.0.0.0/8",
      SVC_TRUST_PROXY: "127.0.0.0/8",
      SVC_ALLOWED_HOSTS: "shop.example",
      SVC_RATE_ACTIONS: NO_LIMIT,
      SVC_RATE_SUBMITS: NO_LIMIT,
      NODE_ENV: "test",
    },
    log: { debug: quiet, info: quiet, warn: quiet, error: fault },
  });
  const publicDir = join(folder, "public");
  mkdirSync(publicDir);
  writeFileSync(join(publicDir, "file.txt"), "0123456789".repeat(50));
  const started = await app.start({ port: 0, host: "127.0.0.1", publicDir });
  const visitors = await Promise.all([1, 2, 3].map(() => visit(app)));
  const [{ token, cookie } = assert.fail()] = visitors;
  // The webhook delivers to this server, so that it is really called.
  const { registration } = await app.webhooks.create({ url: `${started.url}/open` });
  const { snapshot } = await app.engine.start("double", { value: 1 }, { idempotencyKey: "once" });
  return {
    app,
    port: Number(new URL(started.url).port),
    session: { token, cookie: `__svc-csrf=${cookie}` },
    visitors,
    webhookId: registration.id,
    graphId: snapshot.graph_id,
    faults,
    left: async () => {
      const { requests, event_streams: streams } = await app.operations.status();
      return { requests: requests.in_flight, streams, files: readdirSync(temporary).length };
    },
    close: async () => {
      await started.close();
      if (before === undefined) delete process.env["TMPDIR"];
      else process.env["TMPDIR"] = before;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function visit(app: App): Promise<Visitor> {
  const client = createTestClient(app);
  const token = await client.csrfToken();
  return { token, cookie: client.cookies.get("__svc-csrf") ?? assert.fail("no cookie") };
}
