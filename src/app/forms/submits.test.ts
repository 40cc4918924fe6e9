/** Form submits through an app: redirects of middleware, failed forms, and interrupted forms. */
import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { SimulatedClock } from "../../platform/shared/clock.ts";
import { SqliteAnswers } from "../../storage/sqlite/answers.ts";
import { createTestClient, type TestClient } from "../../testing/client.ts";
import { recordLog } from "../../testing/log.ts";
import { createApp } from "../app.ts";
import type { AppOptions } from "../options.ts";
import { redirect } from "../pipeline/outcome.ts";
import { page } from "../pages/page.ts";
import { submitted } from "./submit.ts";

const OPTIONS: AppOptions = {
  env: { SVC_DATABASE_URL: "memory:", NODE_ENV: "test", SVC_SECRET: "s".repeat(32) },
  log: recordLog(),
};

/** A form as a page without scripts sends it. */
async function send(
  client: TestClient,
  fields: Record<string, string>,
  accept = "text/html",
): Promise<{ status: number; location: string | null; text: string }> {
  const body = new URLSearchParams({ _csrf: await client.csrfToken(), ...fields });
  const response = await client.request("/_svc/submit/pay", { method: "POST", headers: { accept }, body });
  return { status: response.status, location: response.headers.get("location"), text: await response.text() };
}

describe("a form submit that middleware redirects", () => {
  it("responds with 303 or a redirect in the envelope, and does not run", async () => {
    let runs = 0;
    const app = createApp({
      ...OPTIONS,
      middleware: [(ctx, next) => (ctx.method === "POST" ? redirect("/login") : next())],
      submits: { pay: { run: () => void runs++ } },
    });
    const client = createTestClient(app);
    const shown = await send(client, {});
    assert.deepEqual([shown.status, shown.location], [303, "/login"]);
    const reported = await send(client, {}, "application/json");
    assert.deepEqual(JSON.parse(reported.text), { ok: true, value: null, error: null, redirect: "/login" });
    assert.equal(runs, 0);
    await app.close();
  });
});

describe("a failed form submit whose page fails too or is not named", () => {
  const failing = (text: string) => (): never => {
    throw new Error(text);
  };
  const app = createApp({
    ...OPTIONS,
    submits: { pay: { run: failing("not paid") } },
    pages: [
      page("/", { title: "Start", view: () => "start" }),
      page("/failing", { title: "", load: failing("not shown"), view: () => "" }),
    ],
  });
  for (const fields of [{ _page: "/failing" }, { _page: "/nowhere" }, {}] as Record<string, string>[]) {
    it(`renders the built-in error page: ${JSON.stringify(fields)}`, async () => {
      const { status, text } = await send(createTestClient(app), fields);
      assert.equal(status, 500);
      assert.match(text, /<h1[^>]*>500 Internal Server Error.*not paid/s);
      assert.doesNotMatch(text, /not shown/);
    });
  }
  after(() => app.close());
});

describe("a form submit that was interrupted before its answer was stored", () => {
  it("renders the page again when it is sent again, and does not run again", async (test) => {
    const clock = new SimulatedClock(0);
    let runs = 0;
    const app = createApp({
      ...OPTIONS,
      clock,
      submits: { pay: { run: () => void runs++ } },
      pages: [page("/", { title: "Pay", view: (_data, ctx) => submitted(ctx)?.message ?? "" })],
    });
    const client = createTestClient(app);
    const fields = { _key: "one", _page: "/", amount: "5" };
    // Like a crash: the submit has run, and its answer is not stored.
    const settle = test.mock.method(SqliteAnswers.prototype, "settle", async () => {
      throw new Error("gone");
    });
    assert.equal((await send(client, fields)).status, 500);
    settle.mock.restore();
    let isAnswered = false;
    const sent = send(client, fields).finally(() => (isAnswered = true));
    // Polls for the answer, because another process may be producing it.
    while (!isAnswered) await clock.advance(1000);
    const { status, text } = await sent;
    assert.equal(status, 409);
    assert.match(text, /its outcome is unknown/);
    assert.equal(runs, 1);
    await app.close();
  });
});
