/** Contract section 5, row by row, through `app.fetch`. */
import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { createFixture, withFixture } from "./app.ts";

const fixture = createFixture();
const { client } = fixture;
after(() => fixture.close());

interface Call {
  body?: string | Uint8Array<ArrayBuffer>;
  headers?: Record<string, string>;
}

async function call(name: string, init: Call = {}) {
  const headers = { "content-type": "application/json", "x-svc-csrf": await client.csrfToken(), ...init.headers };
  const response = await client.request(`/_svc/action/${name}`, {
    method: "POST",
    body: '{"args":[]}',
    ...init,
    headers,
  });
  return { response, status: response.status, reply: (await response.json()) as Record<string, unknown> };
}

const refused = (error: string) => ({ ok: false, value: null, error });

describe("actions", () => {
  it("answer with the envelope and the function's value", async () => {
    assert.deepEqual(await client.action("echo", 1, { a: [true, null] }, "ü"), {
      status: 200,
      reply: { ok: true, value: [1, { a: [true, null] }, "ü"], error: null },
    });
  });

  it("answer null where there is no value", async () => {
    assert.deepEqual((await client.action("nothing")).reply, { ok: true, value: null, error: null });
  });

  it("run what the schema made of the argument", async () => {
    assert.equal((await client.action("addTodo", { title: "milk" })).reply.value, "MILK");
  });

  it("answer 422 with issues when the schema refuses", async () => {
    assert.deepEqual(await client.action("addTodo", { title: "" }), {
      status: 422,
      reply: { ...refused("title: must not be empty"), issues: [{ path: ["title"], message: "must not be empty" }] },
    });
  });

  it("refuse more arguments than a schema checks", async () => {
    assert.equal((await client.action("addTodo", { title: "milk" }, "unchecked")).status, 422);
  });

  it("tell 401, 403 and 422 as the action says them", async () => {
    assert.deepEqual(await client.action("signedInOnly"), { status: 401, reply: refused("Sign in to see this") });
    assert.deepEqual(await client.action("never"), { status: 403, reply: refused("Forbidden") });
    assert.deepEqual(await client.action("picky"), {
      status: 422,
      reply: { ...refused("Name is taken"), issues: [{ path: ["name"], message: "taken" }] },
    });
  });

  for (const name of ["unknown", "constructor", "__proto__", "toString", "hasOwnProperty"]) {
    it(`answer 404 for the name ${name}`, async () => {
      const { status, reply } = await call(name);
      assert.deepEqual({ status, reply }, { status: 404, reply: refused("Unknown action") });
    });
  }

  it("answer 403 without a token, with a wrong one, and without the cookie", async () => {
    const { status, reply } = await call("echo", { headers: { "x-svc-csrf": "" } });
    assert.deepEqual({ status, reply }, { status: 403, reply: refused("Forbidden") });
    assert.equal((await call("echo", { headers: { "x-svc-csrf": "x".repeat(43) } })).status, 403);
    assert.equal((await call("echo", { headers: { cookie: "" } })).status, 200, "the client sends its own cookie");
    const bare = await fixture.app.fetch(
      new Request("http://localhost/_svc/action/echo", {
        method: "POST",
        body: '{"args":[]}',
        headers: { "content-type": "application/json", "x-svc-csrf": await client.csrfToken() },
      }),
    );
    assert.equal(bare.status, 403);
  });

  it("answer 403 to other sites", async () => {
    for (const headers of [
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
      { origin: "https://evil.example" },
      { origin: "null" },
    ] as Record<string, string>[]) {
      assert.equal((await call("echo", { headers })).status, 403, JSON.stringify(headers));
    }
    assert.equal(
      (await call("echo", { headers: { "sec-fetch-site": "same-origin", origin: "http://localhost" } })).status,
      200,
    );
  });

  it("answer 415 when the body is not JSON", async () => {
    for (const type of ["text/plain", "application/x-www-form-urlencoded", "application/jsonx"]) {
      const { status, reply } = await call("echo", { headers: { "content-type": type } });
      assert.deepEqual({ status, reply }, { status: 415, reply: refused("Unsupported content type") }, type);
    }
    assert.equal((await call("echo", { headers: { "content-type": "application/json; charset=utf-8" } })).status, 200);
  });

  it("answer 413 above 1 MiB", async () => {
    const { status, reply } = await call("echo", { body: JSON.stringify({ args: ["x".repeat(1024 * 1024)] }) });
    assert.deepEqual({ status, reply }, { status: 413, reply: refused("Payload too large") });
  });

  it("answer 422 for bad JSON, bad UTF-8, args that are no array, deep nesting and keys that reach prototypes", async () => {
    const bodies: (string | Uint8Array<ArrayBuffer>)[] = [
      "{",
      "",
      "[]",
      "null",
      "{}",
      '{"args":{}}',
      '{"args":[{"__proto__":{}}]}',
      '{"args":[{"constructor":1}]}',
      `{"args":${"[".repeat(40)}${"]".repeat(40)}}`,
      new Uint8Array([0x7b, 0xff, 0x7d]),
    ];
    for (const body of bodies) {
      const { status, reply } = await call("echo", { body });
      assert.equal(status, 422, String(body));
      assert.equal(reply["ok"], false);
      assert.ok(String(reply["error"]).length > 5);
    }
  });

  it("answer 405 with Allow to another method", async () => {
    const response = await client.get("/_svc/action/echo");
    assert.equal(response.status, 405);
    assert.equal(response.headers.get("allow"), "POST");
  });

  it("check name before token, content type before token, token before size", async () => {
    assert.equal((await call("unknown", { headers: { "x-svc-csrf": "" } })).status, 404);
    assert.equal((await call("echo", { headers: { "x-svc-csrf": "", "content-type": "text/plain" } })).status, 415);
    assert.equal((await call("echo", { headers: { "x-svc-csrf": "" }, body: "x".repeat(2 ** 20 + 1) })).status, 403);
  });

  it("survive a throw: 500, told in development, kept to a bare text in production", async () => {
    assert.deepEqual(await client.action("throws"), { status: 500, reply: refused("secret detail") });
    assert.match(fixture.logged.join("\n"), /secret detail/);
    await withFixture(
      async ({ client: visitor }) => {
        assert.deepEqual(await visitor.action("throws"), { status: 500, reply: refused("Internal error") });
        assert.equal((await visitor.action("echo", 1)).status, 200);
      },
      { NODE_ENV: "production" },
      { demo: true },
    );
  });

  it("answer 429 with the headers of a limit, counted before the token", async () => {
    await withFixture(
      async ({ client: visitor }) => {
        assert.equal((await visitor.action("echo")).status, 200);
        await visitor.request("/_svc/action/echo", { method: "POST" });
        const response = await visitor.post("/_svc/action/echo", { args: [] });
        assert.equal(response.status, 429);
        assert.deepEqual(await response.json(), refused("Too many requests"));
        assert.ok(Number(response.headers.get("retry-after")) >= 1);
        assert.equal(response.headers.get("ratelimit-policy"), '"actions";q=2;w=60');
        assert.match(response.headers.get("ratelimit") ?? "", /^"actions";r=0;t=\d+$/);
      },
      { SVC_RATE_ACTIONS: "2" },
    );
  });
});
