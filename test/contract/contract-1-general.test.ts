/** Contract section 1 and the parts of 6 that need no build, through `app.fetch`. */
import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { createApp, page } from "svc";
import { API_KEY, createFixture, OPERATOR, withFixture } from "./app.ts";

const fixture = createFixture();
const { client } = fixture;
after(() => fixture.close());

const ALWAYS: Record<string, string> = {
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "strict-origin-when-cross-origin",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), microphone=(), geolocation=()",
};

describe("every answer", () => {
  for (const path of [
    "/plain",
    "/nowhere",
    "/broken",
    "/health",
    "/_svc/webhooks",
    "/_svc/demo",
    "/%00",
    "/a/../b%2e",
  ]) {
    it(`has the security headers and a request id: ${path}`, async () => {
      const { headers } = await client.get(path);
      for (const [name, value] of Object.entries(ALWAYS)) assert.equal(headers.get(name), value, name);
      assert.match(headers.get("x-request-id") ?? "", /^[\x21-\x7e]{1,128}$/);
      assert.equal(headers.get("strict-transport-security"), null);
    });
  }

  it("keeps a request id that was sent, and replaces one that is too long", async () => {
    assert.equal((await client.get("/health", { "x-request-id": "abc-1" })).headers.get("x-request-id"), "abc-1");
    const long = "x".repeat(129);
    assert.notEqual((await client.get("/health", { "x-request-id": long })).headers.get("x-request-id"), long);
  });

  it("has HSTS over HTTPS", async () => {
    const response = await fixture.app.fetch(new Request("https://localhost/health"));
    assert.equal(response.headers.get("strict-transport-security"), "max-age=31536000; includeSubDomains");
  });
});

describe("HTML", () => {
  it("has a policy with a fresh nonce each time", async () => {
    const policies = await Promise.all(
      [1, 2].map(async () => (await client.get("/_svc/demo")).headers.get("content-security-policy")),
    );
    assert.match(policies[0] ?? "", /script-src 'self' 'nonce-[\w+/=]{24}' 'strict-dynamic'; /);
    assert.doesNotMatch(policies[0] ?? "", /unsafe-eval|script-src[^;]*unsafe-inline/);
    assert.notEqual(policies[0], policies[1]);
  });

  it("of a page shows what its loader gave", async () => {
    const response = await client.get("/plain");
    assert.equal(response.status, 200);
    assert.match(await response.text(), /Ada/);
  });
});

describe("errors", () => {
  it("are problem+json for programs and a page for people", async () => {
    const forPrograms = await client.get("/nowhere");
    assert.equal(forPrograms.status, 404);
    assert.equal(forPrograms.headers.get("content-type"), "application/problem+json");
    const { status, code } = (await forPrograms.json()) as { status: number; code: string };
    assert.deepEqual({ status, code }, { status: 404, code: "SVC_NOT_FOUND" });
    const forPeople = await client.get("/<b>nowhere", { accept: "text/html" });
    assert.equal(forPeople.headers.get("content-type"), "text/html; charset=utf-8");
    assert.doesNotMatch(await forPeople.text(), /<b>/);
  });

  it("of ours tell a request id in production and nothing else", async () => {
    await withFixture(
      async ({ client: visitor, logged }) => {
        for (const accept of ["text/html", "application/json"]) {
          const response = await visitor.get("/broken", { accept, "x-request-id": "req-7" });
          const body = await response.text();
          assert.equal(response.status, 500);
          assert.match(body, /req-7/);
          assert.doesNotMatch(body, /secret|\/etc|at /);
        }
        assert.match(logged.join("\n"), /req-7[^]*secret detail/);
      },
      { NODE_ENV: "production" },
    );
    assert.match(await (await client.get("/broken")).text(), /secret detail/);
  });
});

describe("methods", () => {
  it("that a path does not have are answered 405 with Allow", async () => {
    const response = await client.request("/plain", { method: "DELETE" });
    assert.equal(response.status, 405);
    assert.equal(response.headers.get("allow"), "GET, HEAD");
  });

  it("HEAD is wherever GET is, without a body", async () => {
    const response = await client.request("/plain", { method: "HEAD" });
    assert.equal(response.status, 200);
    assert.ok(Number(response.headers.get("content-length")) > 0);
    assert.equal(await response.text(), "");
  });
});

describe("routes of the app", () => {
  it("refuse a mutation without a token and run one with it", async () => {
    assert.equal((await client.request("/echo", { method: "POST", body: "x" })).status, 403);
    const response = await client.post("/echo", "x");
    assert.equal(await response.text(), '"x"');
  });

  it("take the token from a form's field", async () => {
    const { readForm, route } = await import("svc");
    await withFixture(
      async ({ client: visitor }) => {
        const plain = await visitor.submit("/form", { name: "Ada" });
        assert.equal(await plain.text(), "Ada 0");
        const file = await visitor.submit("/form", { name: "Bob", file: new Blob(["12345"]) });
        assert.equal(await file.text(), "Bob 5");
        const forged = await visitor.request("/form", {
          method: "POST",
          body: new URLSearchParams({ name: "x", _csrf: "y" }),
        });
        assert.equal(forged.status, 403);
        const large = await visitor.submit("/form", { name: "x".repeat(3000) });
        assert.equal(large.status, 413);
      },
      {},
      {
        routes: [
          route("POST", "/form", async (ctx) => {
            const { fields, files } = await readForm(ctx, 2000);
            return new Response(`${fields["name"]} ${files["file"]?.bytes.length ?? 0}`);
          }),
        ],
      },
    );
  });
});

describe("rows of later issues and of the other variant", () => {
  for (const path of [
    "/_svc/flow.js",
    "/_svc/ui.js",
    "/_svc/ui.css",
    "/robots.txt",
    "/sitemap.xml",
    "/llms.txt",
    "/_svc/handler/x.js",
    "/_svc/island/x.js",
    "/_svc/handler/..%2f..%2fpackage.json",
  ]) {
    it(`${path} is not there`, async () => {
      assert.ok([400, 404].includes((await client.get(path)).status));
    });
  }
  it("submits are not there", async () => {
    assert.equal((await client.post("/_svc/submit/x", {})).status, 404);
  });
});

describe("status and metrics", () => {
  it("are the operator's", async () => {
    assert.equal((await client.get("/_svc/status")).status, 401);
    const status = (await (await client.get("/_svc/status", OPERATOR)).json()) as Record<string, unknown>;
    assert.equal(status["status"], "ready");
    const metrics = await client.get("/_svc/metrics", OPERATOR);
    assert.match(
      await metrics.text(),
      /^# HELP svc_graphs .+\n# TYPE svc_graphs gauge\nsvc_graphs\{status="pending"\} \d+\n/m,
    );
  });
});

describe("definitions", () => {
  it("of one path twice stop the boot", async () => {
    const twice = page("/a", { title: "A", view: () => "" });
    const app = createApp({ pages: [twice, twice], env: { SVC_DATABASE_URL: "memory:", SVC_SECRET: "s".repeat(32) } });
    await assert.rejects(app.boot(), /GET \/a is defined twice/);
    await app.close();
  });

  it("below the framework's own path are refused where they are written", () => {
    assert.throws(() => page("/_svc/mine", { title: "", view: () => "" }), /framework's own/);
    assert.throws(() => page("mine", { title: "", view: () => "" }), /must start with a slash/);
  });
});

describe("a listening app", () => {
  it("boots, is ready, and ends open streams and itself when closed", async () => {
    const own = createFixture();
    const started = await own.app.start({ port: 0 });
    assert.equal(await (await fetch(`${started.url}/ready`)).text(), "ready");
    assert.equal(await (await fetch(`${started.url}/health`)).text(), "ok");
    const headers = { authorization: `Bearer ${API_KEY}`, "content-type": "application/json" };
    const body = JSON.stringify({ worker: "held", input: {} });
    const graph = (await (await fetch(`${started.url}/_svc/graphs`, { method: "POST", headers, body })).json()) as {
      graph_id: string;
    };
    const stream = await fetch(`${started.url}/_svc/graphs/${graph.graph_id}/events`, { headers });
    const read = stream.text();
    await fetch(`${started.url}/_svc/graphs/${graph.graph_id}/cancel`, { method: "POST", headers });
    assert.match(await read, /"type":"graph.failed"/);
    await started.close();
    await own.close();
    await assert.rejects(fetch(`${started.url}/health`));
  });

  it("names the port that is taken", async () => {
    const first = createFixture();
    const second = createFixture();
    const started = await first.app.start({ port: 0 });
    const port = Number(new URL(started.url).port);
    await assert.rejects(second.app.start({ port }), new RegExp(`Port ${port} on 127.0.0.1 is taken`));
    await started.close();
    await first.close();
    await second.close();
  });
});
