/** A test client with apps in memory. It gets CSRF tokens from the app itself, or from a page if only `fetch` is given. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { action } from "../app/actions/action.ts";
import type { App } from "../app/app-types.ts";
import { createApp } from "../app/app.ts";
import { currentContext } from "../app/pipeline/current-request.ts";
import { page } from "../app/pages/page.ts";
import { createTestClient } from "./client.ts";

const loads: string[] = [];

/** An app in production: it has no demo page, and its own page contains no token. */
function productionApp(secrets: Record<string, string> = { SVC_SECRET: "s".repeat(32) }): App {
  const env = { NODE_ENV: "production", SVC_DATABASE_URL: "memory:", SVC_LOG_LEVEL: "silent", ...secrets };
  const signIn = action(async (user: string) => {
    const session = await currentContext().session();
    session.regenerate();
    session.set("user" as never, user as never);
    return user;
  });
  return createApp({
    env,
    actions: { signIn, echo: action(async (value: string) => value) },
    pages: [page("/", { title: "", load: () => void loads.push("/"), view: () => "no token" })],
  });
}

describe("createTestClient", () => {
  it("gets a CSRF token from the app without requesting a page, before and after a sign-in", async () => {
    const app = productionApp();
    const client = createTestClient(app);
    loads.length = 0;
    assert.deepEqual((await client.action("echo", "hello")).reply, { ok: true, value: "hello", error: null });
    const before = await client.csrfToken();
    assert.equal((await client.action("signIn", "Ada")).status, 200);
    assert.notEqual(await client.csrfToken(), before);
    assert.equal((await client.action("echo", "again")).status, 200);
    assert.deepEqual(loads, []);
    await app.close();
  });

  it("calls an app at its site URL, because it answers for no other host", async () => {
    const app = productionApp({ SVC_SECRET: "s".repeat(32), SVC_SITE_URL: "https://shop.example" });
    assert.equal((await createTestClient(app).get("/")).status, 200);
    assert.equal((await createTestClient(app, { origin: "http://localhost" }).get("/")).status, 421);
    await app.close();
  });

  it("sends a token that only its own visitor may use", async () => {
    const app = productionApp();
    const [one, other] = [createTestClient(app), createTestClient(app)];
    await other.csrfToken();
    const response = await other.post("/_svc/action/echo", { args: [""] }, { "x-svc-csrf": await one.csrfToken() });
    assert.equal(response.status, 403);
    await app.close();
  });

  it("requires a tokenPage if only fetch is given, or if the page contains no token", async () => {
    const app = productionApp();
    const fetch = (request: Request): Promise<Response> => app.fetch(request);
    await assert.rejects(createTestClient({ fetch }).csrfToken(), /pass tokenPage, a page that shows one/);
    await assert.rejects(createTestClient({ fetch }, { tokenPage: "/" }).csrfToken(), /\/ shows no CSRF token/);
    await app.close();
  });
});
