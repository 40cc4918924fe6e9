/** Seed section 4: endpoints. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import { API_KEY, OPERATOR, withFixture } from "./app.ts";
import { openBuiltApp, type BuiltApp } from "./built-app.ts";
import { operate } from "./calls.ts";
import { describeBothAdapters } from "./both-adapters.ts";

const refused = (error: unknown) => ({ ok: false, value: null, error });

describeBothAdapters("the endpoints", (site) => {
  const gzipBytes = async (path: string): Promise<number> => {
    const response = await site.send(path);
    assert.deepEqual([response.status, response.headers.get("content-type")], [200, "text/javascript; charset=utf-8"]);
    return gzipSync(await response.text(), { level: 9 }).length;
  };

  it("GET /_svc/webhooks: configure hooks", async () => {
    const { status, reply } = await operate(site, "GET", "/_svc/webhooks");
    assert.deepEqual([status, Array.isArray(reply["webhooks"])], [200, true]);
  });

  it("POST /_svc/webhooks: JSON {url: string, events: array of string}; headers Authorization: Bearer <API_KEY> and Content-Type: application/json", async () => {
    const body = JSON.stringify({ url: "https://93.184.216.34/", events: ["graph.done"] });
    const post = async (headers: Record<string, string>): Promise<number> =>
      (await site.send("/_svc/webhooks", { method: "POST", headers, body })).status;
    const authorization = `Bearer ${API_KEY}`;
    assert.equal(await post({ authorization, "content-type": "application/json" }), 201);
    assert.equal(await post({ "content-type": "application/json" }), 401);
    assert.equal(await post({ authorization, "content-type": "text/plain" }), 415);
  });

  it("Any /_svc/demo/webhook-inbox: On-site receiver for the sample webhook; displays the JSON received", async () => {
    const sent = await site.client.submit("/_svc/demo", {});
    // The app can call itself only if it listens.
    if (site.port() === undefined) return assert.equal(sent.status, 503);
    const id = new URL(sent.headers.get("location") ?? "", "http://localhost").searchParams.get("delivery");
    const shown = await site.send(`/_svc/demo/webhook-inbox?delivery=${id}`, { headers: { accept: "text/html" } });
    assert.match(await shown.text(), /graph\.done/);
  });

  it("GET /_svc/loader.js: Event bootstrap script, about 1-2 KB gzipped", async () => {
    assert.ok((await gzipBytes("/_svc/loader.js")) <= 2048);
  });
  it("GET /_svc/core.js: Resumability core", async () => {
    assert.ok((await gzipBytes("/_svc/core.js")) > 500);
  });
  it("GET /_svc/runtime.js: Legacy combined loader and core", async () => {
    const [runtime, loader] = [await gzipBytes("/_svc/runtime.js"), await gzipBytes("/_svc/loader.js")];
    assert.ok(runtime > loader);
  });
  // test/e2e/widgets.test.ts covers their behavior in a browser.
  it("GET /_svc/ui.js: Lazy overlay fallback, not part of the loader", async () => {
    const code = await (await site.send("/_svc/ui.js")).text();
    assert.match(code, /popover/);
    assert.doesNotMatch(await (await site.send("/_svc/loader.js")).text(), /popover|dialog|ui\.js/);
  });
  it("GET /_svc/ui.css: Styles for the popup/dialog fallback", async () => {
    const sheet = await site.send("/_svc/ui.css");
    assert.match(sheet.headers.get("content-type") ?? "", /^text\/css/);
    assert.match(await sheet.text(), /svc-modal:target.*not selector\(:popover-open\)/s);
  });
  it("GET /_svc/flow.js: Lazy widgets of the full-stack variant", async () => {
    assert.match(await (await site.send("/_svc/flow.js")).text(), /"svc-flow"[^]*customElements\.define/);
  });
  it("GET /_svc/benchmark.json: Bundle metrics. Hidden in production mode", async () => {
    const metrics = (await (await site.send("/_svc/benchmark.json")).json()) as object;
    assert.match(JSON.stringify(metrics), /loader\.js/);
    await withFixture(async ({ client }) => assert.equal((await client.get("/_svc/benchmark.json")).status, 404), {
      NODE_ENV: "production",
    });
  });

  it("POST /_svc/action/:name: Content-Type: application/json; header X-Svc-CSRF: <CSRF_TOKEN>", async () => {
    const token = await site.client.csrfToken();
    const post = (headers: Record<string, string>): Promise<Response> =>
      site.client.request("/_svc/action/echo", { method: "POST", headers, body: '{"args":[1]}' });
    const type = { "content-type": "application/json" };
    const answered = await post({ ...type, "X-Svc-CSRF": token });
    assert.deepEqual(await answered.json(), { ok: true, value: [1], error: null });
    assert.equal((await post({ ...type })).status, 403);
    assert.equal((await post({ "X-Svc-CSRF": token })).status, 415);
  });
  it(":name is the name of a server-side function exposed as an RPC action", async () => {
    assert.equal((await site.client.action("addTodo", { title: "milk" })).reply.value, "MILK");
    assert.equal((await site.client.action("doTodo")).status, 404);
  });
  it("On HTTP 200: ok is true, value holds the result, error is null", async () => {
    const expected = { status: 200, reply: { ok: true, value: ["x"], error: null } };
    assert.deepEqual(await site.client.action("echo", "x"), expected);
  });
  it("On 401, 403, 429 or 422: ok is false, value is null, error is a string", async () => {
    for (const [name, status] of [
      ["signedInOnly", 401],
      ["never", 403],
      ["picky", 422],
    ] as const) {
      const { status: reported, reply } = await site.client.action(name);
      assert.deepEqual([reported, reply.ok, reply.value, typeof reply.error], [status, false, null, "string"]);
    }
    await withFixture(
      async ({ client }) => {
        await client.action("echo");
        assert.deepEqual(await client.action("echo"), { status: 429, reply: refused("Too many requests") });
      },
      { SVC_RATE_ACTIONS: "1" },
    );
  });

  it("POST /_svc/submit/:name: full-stack only, 404 in the base app", async () => {
    const form = await site.client.submit("/_svc/submit/addTodo", { title: "milk" });
    assert.equal(form.status, 404);
    const json = await site.client.post("/_svc/submit/addTodo", { title: "milk" });
    assert.equal(json.status, 404);
  });
  it("GET /robots.txt, GET /sitemap.xml, GET /llms.txt: full-stack only, 404 in the base app", async () => {
    for (const path of ["/robots.txt", "/sitemap.xml", "/llms.txt"])
      assert.equal((await site.send(path)).status, 404, path);
  });
});

describe("lazy chunks", () => {
  let built: BuiltApp;
  before(async () => void (built = await openBuiltApp()));
  after(() => built?.close());

  it("GET /_svc/handler/:chunk: Handler JavaScript, loaded lazily on the first event", async () => {
    const response = await built.client.get(`/_svc/handler/${built.chunks[0]?.name}.js`);
    assert.deepEqual([response.status, response.headers.get("content-type")], [200, "text/javascript; charset=utf-8"]);
  });

  it("GET /_svc/island/:chunk: Bundle of an interactive island, which is the chunk of its file; 404 for one that is not there", async () => {
    const name = `${built.chunks[0]?.name}.js`;
    const [island, handler] = await Promise.all(
      ["island", "handler"].map(async (folder) => (await built.client.get(`/_svc/${folder}/${name}`)).text()),
    );
    assert.equal(island, handler);
    assert.equal((await built.client.get("/_svc/island/none-00000000.js")).status, 404);
  });
});

it("Registration can also happen at boot through the configuration variables", async () => {
  await withFixture(
    async ({ client }) => {
      const list = await (await client.get("/_svc/webhooks", OPERATOR)).text();
      assert.match(list, /https:\/\/93\.184\.216\.34\/boot/);
    },
    { SVC_WEBHOOK_URLS: "https://93.184.216.34/boot" },
  );
});
