/** The cost of form bodies that a route reads to find the CSRF token, before it knows the sender. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readForm, route, type AppOptions } from "svckit";
import { withFixture, type Fixture } from "./app.ts";
import { farClient, OPERATOR_KEY, opsSample } from "./ops-app.ts";

const FORM = { "content-type": "application/x-www-form-urlencoded" };

const ROUTES: AppOptions = {
  routes: [
    route("POST", "/save", async (ctx) => new Response(String(Object.keys((await readForm(ctx)).fields).length))),
    route(
      "POST",
      "/import",
      async (ctx) => new Response(String((await readForm(ctx, 4_000_000)).fields["text"]?.length)),
      {
        maxBytes: 4_000_000,
      },
    ),
    route("POST", "/small", async (ctx) => new Response(String((await readForm(ctx)).fields["text"])), {
      maxBytes: 200,
    }),
  ],
};

const withRoutes = (run: (fixture: Fixture) => Promise<void>, env: Record<string, string> = {}): Promise<void> =>
  withFixture(run, env, ROUTES);

/** Posts a form with the visitor's cookie, as a browser without scripts does. */
async function post({ app, client }: Fixture, path: string, fields: string): Promise<Response> {
  const token = await client.csrfToken();
  const cookie = [...client.cookies].map((pair) => pair.join("=")).join("; ");
  const body = `_csrf=${encodeURIComponent(token)}&${fields}`;
  return app.fetch(new Request(`http://localhost${path}`, { method: "POST", headers: { ...FORM, cookie }, body }));
}

/** A request whose body reports when it is read. */
function watched(path: string, headers: Record<string, string>): { request: Request; wasRead: () => boolean } {
  let isRead = false;
  const body = new ReadableStream(
    {
      pull(controller) {
        isRead = true;
        controller.enqueue(new TextEncoder().encode("_csrf=x"));
        controller.close();
      },
    },
    { highWaterMark: 0 },
  );
  const init = { method: "POST", headers, body, duplex: "half" };
  return { request: new Request(`http://localhost${path}`, init), wasRead: () => isRead };
}

describe("a form of a guarded route", () => {
  it("logs once why a site behind a proxy rejects its own forms, with the settings that fix it", () =>
    withRoutes(async ({ app, logged }) => {
      const headers = { ...FORM, origin: "https://shop.example", "sec-fetch-site": "same-origin" };
      const send = async (more: Record<string, string>): Promise<number> => {
        const init = { method: "POST", headers: { ...headers, ...more }, body: "a=1" };
        return (await app.fetch(new Request("http://localhost/save", init))).status;
      };
      const lines = (): readonly string[] => logged.filter((text) => text.includes("SVC_TRUST_PROXY"));
      // A page of another site.
      assert.equal(await send({ "sec-fetch-site": "cross-site" }), 403);
      assert.equal(lines().length, 0);
      for (let time = 0; time < 2; time++) assert.equal(await send({}), 403);
      assert.equal(lines().length, 1);
      assert.match(
        lines()[0] ?? "",
        /page of https:\/\/shop\.example was rejected with 403, .* is http:\/\/localhost .*set SVC_SITE_URL/,
      );
    }));

  it("is accepted with at most 1,000 fields and 1 MiB, and gets 413 above either", () =>
    withRoutes(async (fixture) => {
      const fields = (count: number): string => Array.from({ length: count }, (_, at) => `f${at}=`).join("&");
      assert.equal(await (await post(fixture, "/save", fields(999))).text(), "1000");
      assert.equal((await post(fixture, "/save", fields(1000))).status, 413);
      assert.equal((await post(fixture, "/save", `text=${"x".repeat(1024 * 1024)}`)).status, 413);
    }));

  it("may be as large as its route declares, and no larger", () =>
    withRoutes(async (fixture) => {
      assert.equal(await (await post(fixture, "/import", `text=${"x".repeat(3_000_000)}`)).text(), "3000000");
      assert.equal((await post(fixture, "/import", `text=${"x".repeat(4_000_000)}`)).status, 413);
      assert.equal((await post(fixture, "/small", `text=${"x".repeat(300)}`)).status, 413);
      assert.equal(await (await post(fixture, "/small", "text=x")).text(), "x");
    }));

  it("counts for the client's rate limit before its body is read, whatever its token", () =>
    withRoutes(
      async ({ app, client }) => {
        await client.csrfToken();
        const cookie = [...client.cookies].map((pair) => pair.join("=")).join("; ");
        const statuses: number[] = [];
        for (let count = 0; count < 2; count++)
          statuses.push((await app.fetch(watched("/save", { ...FORM, cookie }).request)).status);
        const last = watched("/save", { ...FORM, cookie });
        const refused = await app.fetch(last.request);
        assert.deepEqual([...statuses, refused.status], [403, 403, 429]);
        assert.match(refused.headers.get("retry-after") ?? "", /^\d+$/);
        assert.equal(last.wasRead(), false);
      },
      { SVC_RATE_SUBMITS: "2" },
    ));
});

describe("a route's maxBytes", () => {
  it("is rejected if it is not a whole number of bytes", () => {
    for (const maxBytes of [0, -1, 1.5, Number.NaN])
      assert.throws(() => route("POST", "/x", () => new Response(), { maxBytes }), { code: "SVC_DEFINITION" });
  });
});

describe("a form of the operator screens", () => {
  it("is not read for a visitor who has not signed in, with or without a CSRF cookie", async () => {
    const env = { NODE_ENV: "production", SVC_SITE_URL: "http://localhost", SVC_EXEC_API_KEY: OPERATOR_KEY };
    const app = opsSample({ env, isLocked: true });
    const client = farClient(app);
    await client.get("/_svc/ops");
    const cookie = [...client.cookies].map((pair) => pair.join("=")).join("; ");
    assert.match(cookie, /__svc-csrf=/);
    for (const path of ["/_svc/ops/runs/start", "/_svc/ops/queues/pick/pause", "/_svc/ops/webhooks"])
      for (const headers of [FORM, { ...FORM, cookie }]) {
        const { request, wasRead } = watched(path, headers);
        assert.equal((await app.fetch(request)).status, 401, path);
        assert.equal(wasRead(), false, path);
      }
    await app.close();
  });
});
