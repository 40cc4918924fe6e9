/** The responses that carry the mark of a page rendered by svc, and the mark of the page's policy. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { createApp, html as htmlAnswer, page, route, withHeaders, type App } from "svckit";
import { html } from "svckit/jsx-runtime";

const ORIGIN = "http://localhost";
const view = () => html(() => "<h1>Page</h1>");

describe("the page mark", () => {
  let app: App;
  const get = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
    app.fetch(new Request(ORIGIN + path, { headers: { accept: "text/html", ...headers } }));
  before(() => {
    app = createApp({
      pages: [
        page("/", { title: "Page", view }),
        page("/shared", { title: "Shared", cache: { public: true, sharedMaxAge: "1h" }, view }),
        page("/own", { title: "Own", security: { csp: { "img-src": ["https://example.com"] } }, view }),
        page("/as-text", {
          title: "Text",
          middleware: [async (_, next) => withHeaders(await next(), { "content-type": "text/plain" })],
          view,
        }),
      ],
      routes: [
        route("GET", "/html", () => htmlAnswer("<h1>Mine")),
        route("GET", "/claims", () => htmlAnswer("<h1>Mine", 200, ["x-svc-page", "1"])),
        route("GET", "/Claims", () => htmlAnswer("<h1>Mine", 200, ["X-Svc-Page", "1"])),
        route("GET", "/proxied", () => app.fetch(new Request(`${ORIGIN}/`, { headers: { accept: "text/html" } }))),
      ],
      env: { NODE_ENV: "production", SVC_DATABASE_URL: "memory:", SVC_SECRET: "s".repeat(32) },
    });
  });
  after(() => app.close());

  it("is on pages that svc rendered, cached or new, and on its error pages", async () => {
    for (const path of ["/", "/shared", "/shared", "/own", "/nowhere"])
      assert.equal((await get(path)).headers.get("x-svc-page"), "1", path);
  });

  it("is on no response of the app's own code, even if that sets or forwards the header", async () => {
    for (const path of ["/html", "/claims", "/Claims", "/proxied", "/as-text"])
      assert.equal((await get(path)).headers.get("x-svc-page"), null, path);
  });

  it("is not on a 304, after which the browser keeps its policy", async () => {
    const etag = (await get("/shared")).headers.get("etag") ?? "";
    const { status, headers } = await get("/shared", { "if-none-match": etag });
    assert.deepEqual([status, headers.get("x-svc-page")], [304, null]);
  });

  it("comes with a policy mark that is equal for a nonce and for hashes, and differs between policies", async () => {
    const marks = await Promise.all(
      ["/", "/shared", "/own"].map(async (path) => {
        const [, mark] = / data-svc-policy="([^"]+)"/.exec(await (await get(path)).text()) ?? [];
        assert.ok(mark, path);
        return mark;
      }),
    );
    assert.equal(marks[0], marks[1]);
    assert.notEqual(marks[0], marks[2]);
  });
});
