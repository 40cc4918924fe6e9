/**
 * Plants a unique word in secrets of every kind, then visits all screens that are linked for each role, including downloads, and checks
 * that no planted word is in them or in the log.
 */
import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, it } from "node:test";
import type { App } from "svckit";
import { FinalError, graph, worker, type Json } from "svckit/graph";
import type { TestClient } from "svckit/testing";
import { farClient, OPERATOR_KEY, opsSample, runTo, until } from "./ops-app.ts";

let number = 0;
/** A unique word. */
const planted = (): string => `canary${++number}x${"q".repeat(20)}`;
const found = (text: string): string[] => [...new Set(text.match(/canary\d+xq{20}/g))];

/** Keys that are hidden by default, and one that the app hides. */
const SECRET_KEYS = ["password", "db_password", "clientSecret", "token", "refreshToken", "apiKey", "api-key", "email"];

function secrets(): Record<string, Json> {
  const flat = Object.fromEntries(SECRET_KEYS.map((key) => [key, planted()]));
  const deep = [{ Authorization: `Bearer ${planted()}`, cookie: [planted()], credentials: { user: planted() } }];
  return { ...flat, deep, privateKey: { pem: planted() }, "2": { cardNumber: planted() }, seen: true };
}

const leaks = worker("leaks", async (_: Json, ctx) => {
  ctx.emit("app.reported", secrets());
  ctx.state.set("kept", secrets());
  await ctx.step("inside", () => secrets());
  await ctx.waitFor("go");
  return secrets();
});
const fails = worker("fails", { retry: { max: 1 } }, () => {
  throw new FinalError("It could not be done");
});
const both = graph<Json, unknown>("both", (g) => {
  const first = g.node("first", leaks, { input: (input) => input });
  return g.map(
    "each",
    worker("echo", (input: Json) => input),
    first,
    (value) => [value as Json, secrets()],
  );
});

const SIGNING = planted();
const SECRET = `${planted()}${"s".repeat(32)}`;
const lines: string[] = [];
const report = (fields: unknown, text?: string): void => void lines.push(JSON.stringify(fields) + (text ?? ""));
const log = { debug: report, info: report, warn: report, error: report };

describe("Secrets planted in an app", () => {
  let app: App;
  let receiver: Server;
  before(async () => {
    receiver = createServer((_, answer) => answer.writeHead(500).end("no"));
    await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
    const target = `127.0.0.1:${(receiver.address() as AddressInfo).port}`;
    app = opsSample({
      env: {
        SVC_EXEC_API_KEY: OPERATOR_KEY,
        SVC_SECRET: SECRET,
        SVC_WEBHOOK_SECRET: SIGNING,
        SVC_WEBHOOK_ALLOW_CIDRS: "127.0.0.0/8",
      },
      ops: { redact: ["EMAIL"], undo: false },
      more: {
        log,
        workers: [leaks, fails],
        graphs: [both],
        schedules: [{ name: "rare", cron: "30 2 1 1 *", worker: "leaks", input: secrets() }],
      },
    });
    await app.boot();
    await app.webhooks.create({
      url: `http://${target}/hook`,
      secret: planted(),
      headers: { "X-Api-Token": planted(), Authorization: `Bearer ${planted()}` },
    });
    for (const name of ["both", "both"]) {
      const id = await runTo(app, name, secrets(), "running");
      await app.engine.signal(id, "go", secrets());
      await until(async () => (await app.engine.snapshot(id))?.phase === "done", "an end");
    }
    await app.engine.start("leaks", secrets());
    await runTo(app, "fails", secrets(), "failed");
    const attempts = async () => (await app.webhooks.deliveries(new URLSearchParams())).deliveries;
    await until(async () => (await attempts()).some(({ attempt_count: count }) => count > 0), "an attempt");
  });
  after(async () => {
    await app.close();
    receiver.close();
  });

  /** All pages that are linked from the screens, as the signed-in client sees them. */
  async function crawl(client: TestClient): Promise<Map<string, string>> {
    const seen = new Map<string, string>();
    const toSee = ["/_svc/ops", "/_svc/ops/runs?export=ndjson", "/_svc/ops/runs?export=csv"];
    for (let path = toSee.shift(); path !== undefined && seen.size < MOST_SCREENS; path = toSee.shift()) {
      if (seen.has(path)) continue;
      const answer = await client.get(path);
      const text = await answer.text();
      seen.set(path, `${answer.status} ${JSON.stringify([...answer.headers])} ${text}`);
      for (const [, href = ""] of text.matchAll(/(?:href|src|action)="([^"]+)"/g)) {
        const { origin, pathname, search } = new URL(href.replaceAll("&amp;", "&"), `http://app${path}`);
        if (origin === "http://app" && pathname.startsWith("/_svc/ops")) toSee.push(pathname + search);
      }
    }
    return seen;
  }

  for (const role of ["read", "operator"])
    it(`are on no screen that is linked for the role ${role}`, async () => {
      const client = farClient(app);
      const answer = await client.submit("/_svc/ops/sign-in", { key: OPERATOR_KEY, role });
      assert.equal(answer.status, 303);
      const screens = await crawl(client);
      const leaking = [...screens].flatMap(([path, text]) => found(text).map((word) => `${path} ${word}`));
      assert.deepEqual(leaking, []);
      assert.deepEqual(found(lines.join()), []);
      for (const start of ["/_svc/ops/runs/g_", "/_svc/ops/deliveries/", "/_svc/ops/webhooks/", "/_svc/ops/audit"])
        assert.ok(
          [...screens.keys()].some((path) => path.startsWith(start)),
          start,
        );
    });
});

/** Limit of the crawl, because lists link to more and more filters. */
const MOST_SCREENS = 400;
