/** The app under test: all features of the base app, created through public entry points only, with nothing stored on disk. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { action, createApp, fail, forbidden, page, route, unauthorized, type App, type AppOptions } from "svckit";
import { graph, worker } from "svckit/graph";
import { createTestClient, recordLog, type TestClient } from "svckit/testing";
import * as v from "valibot";

export const API_KEY = "operator-key-of-the-tests";
export const OPERATOR = { authorization: `Bearer ${API_KEY}` };

const todoSchema = v.object({ title: v.pipe(v.string(), v.nonEmpty("must not be empty")) });

const double = worker("double", (input: { value: number }) => input.value * 2);
const held = worker(
  "held",
  (_input: unknown, ctx) =>
    new Promise((_, reject) => ctx.signal.addEventListener("abort", () => reject(new Error("aborted")))),
);
const broken = worker("broken", { retry: { max: 1 } }, () => {
  throw new Error("out of paper");
});
export const sum = graph("sum", (g) => {
  const first = g.node("first", double);
  return g.node(
    "second",
    worker("plus-one", (_input: unknown, ctx) => Number(ctx.deps["first"]) + 1),
    { after: [first] },
  );
});

/** The workers of the fixture, in the form of `ACTIONS`. */
export const WORKERS = [double, held, broken];

/** The actions of the fixture. A test that needs others adds to them. */
export const ACTIONS = {
  echo: action((...args: unknown[]) => args),
  nothing: action(() => undefined),
  addTodo: action(todoSchema, (todo) => todo.title.toUpperCase()),
  signedInOnly: action(() => unauthorized("Sign in to see this")),
  never: action(() => forbidden()),
  picky: action(() => fail("Name is taken", [{ path: ["name"], message: "taken" }])),
  throws: action(() => {
    throw new Error("secret detail");
  }),
};

export interface Fixture {
  app: App;
  client: TestClient;
  /** The log lines of the app. */
  logged: readonly string[];
  close(): Promise<void>;
}

/** @param env overrides the defaults of tests: a memory store and an operator key. */
export function createFixture(env: Record<string, string> = {}, options: AppOptions = {}): Fixture {
  const folder = mkdtempSync(join(tmpdir(), "svc-contract-"));
  const log = recordLog();
  const app = createApp({
    pages: [page("/plain", { title: "Plain", load: () => ({ name: "Ada" }), view: (data) => `<p>${data.name}</p>` })],
    routes: [
      route("POST", "/echo", async (ctx) => new Response(await ctx.text(1000))),
      route("GET", "/broken", () => {
        throw new Error("secret detail in /etc/x");
      }),
    ],
    actions: ACTIONS,
    workers: WORKERS,
    graphs: [sum],
    env: { SVC_DATA_DIR: folder, SVC_DATABASE_URL: "memory:", SVC_EXEC_API_KEY: API_KEY, NODE_ENV: "test", ...env },
    log,
    ...options,
  });
  return {
    app,
    logged: log.texts,
    client: createTestClient(app),
    close: async () => {
      await app.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A fixture for one test. */
export async function withFixture(
  run: (fixture: Fixture) => Promise<void>,
  env: Record<string, string> = {},
  options: AppOptions = {},
): Promise<void> {
  const fixture = createFixture(env, options);
  try {
    await run(fixture);
  } finally {
    await fixture.close();
  }
}
