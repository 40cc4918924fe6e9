/** Contract section 5: server actions. See action-order.test.ts for the order of checks pair by pair. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { route } from "svckit";
import { sendRaw } from "svckit/testing";
import { withFixture } from "./app.ts";
import { describeBothAdapters, type Site } from "./both-adapters.ts";

interface Call {
  body?: string | Uint8Array<ArrayBuffer>;
  headers?: Record<string, string>;
}

interface Answered {
  status: number;
  headers: Headers;
  reply: Record<string, unknown>;
}

/** A call as browser code makes it, with the given differences. */
async function call({ client }: Pick<Site, "client">, name: string, init: Call = {}): Promise<Answered> {
  const headers = { "content-type": "application/json", "x-svc-csrf": await client.csrfToken(), ...init.headers };
  const response = await client.request(`/_svc/action/${name}`, {
    method: "POST",
    body: '{"args":[]}',
    ...init,
    headers,
  });
  return {
    status: response.status,
    headers: response.headers,
    reply: (await response.json()) as Record<string, unknown>,
  };
}

const refused = (error: unknown) => ({ ok: false, value: null, error });

describeBothAdapters(
  "actions",
  (site) => {
    const { client } = site;

    it("answer with the envelope and the function's value, or null if there is none", async () => {
      assert.deepEqual(await client.action("echo", 1, { a: [true, null] }, "ü"), {
        status: 200,
        reply: { ok: true, value: [1, { a: [true, null] }, "ü"], error: null },
      });
      assert.deepEqual((await client.action("nothing")).reply, { ok: true, value: null, error: null });
    });

    it("run with the output of the schema, and reject arguments that the schema does not check", async () => {
      assert.equal((await client.action("addTodo", { title: "milk" })).reply.value, "MILK");
      assert.equal((await client.action("addTodo", { title: "milk" }, "unchecked")).status, 422);
    });

    it("Order of checks: method, name, rate limit, content type, origin and CSRF, size, UTF-8, parse, depth, schema, run", async () => {
      const wrong = { "x-svc-csrf": "" };
      const large = "x".repeat(2 ** 20 + 1);
      assert.equal((await client.get("/_svc/action/unknown")).status, 405);
      assert.equal((await call(site, "unknown", { headers: wrong })).status, 404);
      assert.equal((await call(site, "echo", { headers: { ...wrong, "content-type": "text/plain" } })).status, 415);
      assert.equal((await call(site, "echo", { headers: wrong, body: large })).status, 403);
      assert.equal((await call(site, "echo", { body: large })).status, 413);
      assert.match(String((await call(site, "addTodo", { body: '{"args":[{"title":1}]' })).reply["error"]), /JSON/);
    });

    it("action asks for a signed-in caller and there is none (unauthorized()): 401, its message", async () => {
      assert.deepEqual(await client.action("signedInOnly"), { status: 401, reply: refused("Sign in to see this") });
    });

    it("CSRF token missing or wrong: 403 Forbidden", async () => {
      for (const token of ["", "x".repeat(43)]) {
        const { status, reply } = await call(site, "echo", { headers: { "x-svc-csrf": token } });
        assert.deepEqual([status, reply], [403, refused("Forbidden")]);
      }
      const bare = await site.send("/_svc/action/echo", {
        method: "POST",
        body: '{"args":[]}',
        headers: { "content-type": "application/json", "x-svc-csrf": await client.csrfToken() },
      });
      assert.equal(bare.status, 403, "without the cookie");
    });

    it("CSRF token missing or wrong in a request of a page of this site: 403 Your session has expired. Reload the page.", async () => {
      for (const headers of [{ "sec-fetch-site": "same-origin" }, { origin: "http://localhost" }] as Record<
        string,
        string
      >[])
        for (const token of ["", "x".repeat(43)]) {
          const { status, reply } = await call(site, "echo", { headers: { ...headers, "x-svc-csrf": token } });
          assert.deepEqual([status, reply], [403, refused("Your session has expired. Reload the page.")]);
        }
    });

    it("cross-site Sec-Fetch-Site, foreign Origin; forbidden(): 403 Forbidden", async () => {
      for (const headers of [
        { "sec-fetch-site": "cross-site" },
        { "sec-fetch-site": "same-site" },
        { origin: "https://evil.example" },
        { origin: "null" },
      ] as Record<string, string>[]) {
        const { status, reply } = await call(site, "echo", { headers });
        assert.deepEqual([status, reply], [403, refused("Forbidden")], JSON.stringify(headers));
      }
      const own = { "sec-fetch-site": "same-origin", origin: "http://localhost" };
      assert.equal((await call(site, "echo", { headers: own })).status, 200);
      assert.deepEqual(await client.action("never"), { status: 403, reply: refused("Forbidden") });
    });

    for (const name of ["unknown", "constructor", "__proto__", "toString", "hasOwnProperty"]) {
      it(`unknown name, or a name of a prototype property: 404 Unknown action (${name})`, async () => {
        const { status, reply } = await call(site, name);
        assert.deepEqual([status, reply], [404, refused("Unknown action")]);
      });
    }

    it("body over 1 MiB: 413, unread: Payload too large", async () => {
      const body = JSON.stringify({ args: ["x".repeat(1024 * 1024)] });
      const { status, reply } = await call(site, "echo", { body });
      assert.deepEqual([status, reply], [413, refused("Payload too large")]);
      const port = site.port();
      if (port === undefined) return;
      const cookie = [...client.cookies].map((pair) => pair.join("=")).join("; ");
      const head = `POST /_svc/action/echo HTTP/1.1\r\nHost: localhost\r\nCookie: ${cookie}\r\nX-Svc-CSRF: ${await client.csrfToken()}\r\n`;
      // The server refuses the request by its length alone. The client sends no body bytes.
      const answer = await sendRaw(port, `${head}Content-Type: application/json\r\nContent-Length: 9999999\r\n\r\n`);
      assert.match(answer, /^HTTP\/1\.1 413 [^]*Payload too large/);
    });

    it("not JSON (actions): 415 Unsupported content type", async () => {
      for (const type of [
        "text/plain",
        "application/x-www-form-urlencoded",
        "application/jsonx",
        "multipart/form-data",
      ]) {
        const { status, reply } = await call(site, "echo", { headers: { "content-type": type } });
        assert.deepEqual([status, reply], [415, refused("Unsupported content type")], type);
      }
      const withCharset = { "content-type": "application/json; charset=utf-8" };
      assert.equal((await call(site, "echo", { headers: withCharset })).status, 200);
    });

    it("bad JSON, args not an array, schema refuses: 422 what and where", async () => {
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
        const { status, reply } = await call(site, "echo", { body });
        assert.deepEqual([status, reply], [422, refused(reply["error"])], String(body));
        assert.ok(String(reply["error"]).length > 5);
      }
      const issues = [{ path: ["title"], message: "must not be empty" }];
      assert.deepEqual(await client.action("addTodo", { title: "" }), {
        status: 422,
        reply: { ...refused("title: must not be empty"), issues },
      });
    });

    it("the function throws: 500, process lives: development: the message", async () => {
      assert.deepEqual(await client.action("throws"), { status: 500, reply: refused("secret detail") });
      assert.match(site.logged.join("\n"), /secret detail/);
      assert.equal((await client.action("echo", 1)).status, 200);
    });

    it("Cookie __svc-csrf (HttpOnly; SameSite=Lax; Path=/; Secure on HTTPS)", async () => {
      const cookie = (await site.send("/_svc/demo")).headers.get("set-cookie") ?? "";
      const [pair, ...attributes] = cookie.split("; ");
      assert.match(pair ?? "", /^__svc-csrf=/);
      assert.deepEqual(attributes.sort(), ["HttpOnly", "Path=/", "SameSite=Lax"]);
      const secure = await site.app.fetch(new Request("https://localhost/_svc/demo"));
      assert.match(secure.headers.get("set-cookie") ?? "", /; Secure(?:;|$)/);
    });

    it("CSRF: signed double submit: token bound to the session and signed with SVC_SECRET: neither another session's nor a made-up cookie will do", async () => {
      const own = await client.csrfToken();
      const stranger = await site.send("/_svc/demo");
      const theirs = /name="_csrf" value="([^"]+)"/.exec(await stranger.text())?.[1] ?? "";
      const cookie = (stranger.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
      const post = async (token: string, sent: string): Promise<number> => {
        const headers = { "content-type": "application/json", "x-svc-csrf": token, cookie: sent };
        return (await site.send("/_svc/action/echo", { method: "POST", headers, body: '{"args":[]}' })).status;
      };
      assert.equal(await post(theirs, cookie), 200);
      assert.equal(await post(own, cookie), 403);
      assert.equal(await post(theirs, `__svc-csrf=${"0".repeat(32)}.${"x".repeat(43)}`), 403);
    });

    it("the token is sent as X-Svc-CSRF or, in forms without script, field _csrf", async () => {
      const token = await client.csrfToken();
      const form = (fields: Record<string, string>): Promise<Response> =>
        client.request("/echo", { method: "POST", body: new URLSearchParams(fields) });
      assert.equal((await form({ _csrf: "x" })).status, 403);
      assert.equal((await form({})).status, 403);
      const byField = await client.request("/form", { method: "POST", body: new URLSearchParams({ _csrf: token }) });
      assert.equal(byField.status, 200);
      const byHeader = await client.request("/echo", { method: "POST", headers: { "x-svc-csrf": token }, body: "x" });
      assert.equal(await byHeader.text(), "x");
    });

    it("Submits are the full-stack variant's: 404 with the envelope in the base app", async () => {
      const response = await client.submit("/_svc/submit/addTodo", { title: "milk" });
      const reply = (await response.json()) as { error: string };
      assert.deepEqual([response.status, reply], [404, refused(reply.error)]);
    });
  },
  {},
  {
    routes: [
      route("POST", "/echo", async (ctx) => new Response(await ctx.text(1000))),
      route("POST", "/form", () => new Response("taken")),
    ],
  },
);

describeBothAdapters(
  "actions in production",
  (site) => {
    it("the function throws: 500, process lives: Internal error", async () => {
      assert.deepEqual(await site.client.action("throws"), { status: 500, reply: refused("Internal error") });
      assert.equal((await site.client.action("echo", 1)).status, 200);
    });
  },
  { NODE_ENV: "production" },
  { demo: true },
);

describeBothAdapters(
  "actions over their limit",
  (site) => {
    it("over the limit: 429 + Retry-After + RateLimit/RateLimit-Policy: Too many requests, counted before the body is read", async () => {
      assert.equal((await site.client.action("echo")).status, 200);
      // Counted although the token is missing.
      await site.client.request("/_svc/action/echo", { method: "POST" });
      const { status, headers, reply } = await call(site, "echo");
      assert.deepEqual([status, reply], [429, refused("Too many requests")]);
      assert.ok(Number(headers.get("retry-after")) >= 1);
      assert.equal(headers.get("ratelimit-policy"), '"actions";q=2;w=60');
      assert.match(headers.get("ratelimit") ?? "", /^"actions";r=0;t=\d+$/);
    });
  },
  { SVC_RATE_ACTIONS: "2" },
);

it("Rate limit: per client (IPv4 address, IPv6 /64)", async () => {
  await withFixture(
    async ({ app, client }) => {
      const { url, close } = await app.start({ port: 0, host: "127.0.0.1" });
      const cookie = async (): Promise<string> => [...client.cookies].map((pair) => pair.join("=")).join("; ");
      const token = await client.csrfToken();
      const statusFrom = async (address: string): Promise<number> => {
        const headers = {
          "content-type": "application/json",
          "x-svc-csrf": token,
          cookie: await cookie(),
          host: "localhost",
          "x-forwarded-for": address,
        };
        return (await fetch(`${url}/_svc/action/echo`, { method: "POST", headers, body: '{"args":[]}' })).status;
      };
      assert.deepEqual([await statusFrom("203.0.113.7"), await statusFrom("203.0.113.7")], [200, 429]);
      assert.equal(await statusFrom("203.0.113.8"), 200, "another IPv4 address");
      assert.deepEqual([await statusFrom("2001:db8::1"), await statusFrom("2001:db8::ffff")], [200, 429], "one /64");
      assert.equal(await statusFrom("2001:db8:0:1::1"), 200, "another /64");
      assert.equal(await statusFrom("::ffff:203.0.113.7"), 429, "an IPv4 address in IPv6");
      await close();
    },
    { SVC_RATE_ACTIONS: "1", SVC_TRUST_PROXY: "127.0.0.1/32" },
  );
});
