/** Contract section 1: general. */
import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { createApp, page, route } from "svckit";
import { sendRaw } from "svckit/testing";
import { describeBothAdapters } from "./both-adapters.ts";
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
};

const PROBLEM = "application/problem+json";

describeBothAdapters("general", (site) => {
  const post = async (path: string, body: string | Uint8Array<ArrayBuffer>): Promise<number> => {
    const headers = { ...OPERATOR, "content-type": "application/json", "x-svc-csrf": await site.client.csrfToken() };
    return (await site.client.request(path, { method: "POST", headers, body })).status;
  };

  for (const path of ["/_svc/action/echo", "/_svc/graphs", "/_svc/webhooks"]) {
    it(`Bodies: JSON in UTF-8, strict: malformed UTF-8, malformed JSON, nesting over 32, a key __proto__/constructor/prototype → 422 (${path})`, async () => {
      const invalid: (string | Uint8Array<ArrayBuffer>)[] = [
        new Uint8Array([0x22, 0xc3, 0x28, 0x22]),
        "{",
        "{'a':1}",
        `{"args":${"[".repeat(32)}${"]".repeat(32)},"worker":"double"}`,
        ...["__proto__", "constructor", "prototype"].map((key) => `{"args":[{"${key}":1}],"input":{"${key}":1}}`),
      ];
      for (const body of invalid) assert.equal(await post(path, body), 422, String(body));
    });
  }

  it("Error body: actions and submits: {ok:false,value:null,error} (+ issues on 422 from a schema)", async () => {
    const { status, reply } = await site.client.action("addTodo", { title: "" });
    const issues = [{ path: ["title"], message: "must not be empty" }];
    assert.deepEqual([status, reply], [422, { ok: false, value: null, error: "title: must not be empty", issues }]);
    for (const path of ["/_svc/action/unknown", "/_svc/submit/unknown"]) {
      const other = (await (await site.client.post(path, {})).json()) as Record<string, unknown>;
      assert.deepEqual([other["ok"], other["value"], typeof other["error"]], [false, null, "string"], path);
    }
  });

  it("Error body: Every other endpoint: RFC 9457 application/problem+json {type,title,status,detail,code}", async () => {
    for (const [path, status] of [
      ["/nowhere", 404],
      ["/_svc/webhooks", 401],
      ["/_svc/handler/x.js", 404],
      ["/a%00", 400],
    ] as const) {
      const response = await site.send(path);
      assert.deepEqual([response.status, response.headers.get("content-type")], [status, PROBLEM], path);
      const problem = (await response.json()) as Record<string, unknown>;
      assert.deepEqual(Object.keys(problem), ["type", "title", "status", "detail", "code"]);
      assert.deepEqual([problem["status"], problem["type"]], [status, "about:blank"]);
    }
  });

  it("errors are HTML pages for browsers, which escape the text of the request", async () => {
    const forPeople = await site.send("/%3Cb%3Enowhere", { headers: { accept: "text/html" } });
    assert.equal(forPeople.headers.get("content-type"), "text/html; charset=utf-8");
    assert.doesNotMatch(await forPeople.text(), /<b>/);
  });

  it("Production errors: development tells all", async () => {
    assert.match(await (await site.send("/broken")).text(), /secret detail/);
  });

  it("Request id: X-Request-Id on every response; an incoming one of ≤128 visible ASCII characters is kept", async () => {
    const idOf = async (given?: string): Promise<string> => {
      const headers = given === undefined ? {} : { "x-request-id": given };
      return (await site.send("/health", { headers })).headers.get("x-request-id") ?? "";
    };
    assert.equal(await idOf("abc-1"), "abc-1");
    assert.equal(await idOf("x".repeat(128)), "x".repeat(128));
    for (const given of [undefined, "x".repeat(129), "two words", "", "\u00fc"])
      assert.match(await idOf(given), /^[0-9a-f]{32}$/, given);
    assert.notEqual(await idOf(), await idOf());
  });

  it("Methods: known path, wrong method → 405 with Allow", async () => {
    for (const [path, allow] of [
      ["/plain", "GET, HEAD"],
      ["/_svc/webhooks", "GET, HEAD, POST"],
      ["/_svc/loader.js", "GET, HEAD"],
    ]) {
      const response = await site.send(path ?? "", { method: "PUT" });
      const allowed = (response.headers.get("allow") ?? "").split(", ").sort().join(", ");
      assert.deepEqual([response.status, allowed], [405, allow], path);
    }
  });

  it("Methods: HEAD wherever GET", async () => {
    for (const path of ["/plain", "/health", "/_svc/core.js", "/_svc/demo", "/nowhere"]) {
      const [get, head] = [await site.send(path), await site.send(path, { method: "HEAD" })];
      assert.deepEqual([head.status, await head.text()], [get.status, ""], path);
      const length = (await get.arrayBuffer()).byteLength;
      assert.equal(head.headers.get("content-length"), String(length), path);
    }
  });

  it("Methods: TRACE/CONNECT → 405", async () => {
    const port = site.port();
    // No web request can have these methods.
    if (port === undefined) return assert.throws(() => new Request("http://localhost/", { method: "TRACE" }));
    const trace = await sendRaw(port, "TRACE /plain HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    const connect = await sendRaw(port, "CONNECT evil.example:443 HTTP/1.1\r\nHost: localhost\r\n\r\n");
    for (const answer of [trace, connect]) assert.match(answer, /^HTTP\/1\.1 405 [^]*^allow: /im);
  });

  it("Refused at the door: two Host or two Content-Type headers, absolute-form or //host targets, %00, a path that decodes to ..: 400", async () => {
    assert.equal((await site.send("/a%00")).status, 400);
    const port = site.port();
    if (port === undefined) return;
    const head = "Host: x\r\nConnection: close\r\n";
    for (const text of [
      "GET /plain HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n",
      `POST /echo HTTP/1.1\r\n${head}Content-Type: text/plain\r\nContent-Type: text/plain\r\n\r\n`,
      `GET http://evil.example/plain HTTP/1.1\r\n${head}\r\n`,
      `GET //evil.example/plain HTTP/1.1\r\n${head}\r\n`,
      `GET /a/%2e%2e/plain HTTP/1.1\r\n${head}\r\n`,
      `GET /a/..%2fplain HTTP/1.1\r\n${head}\r\n`,
      `GET /a/../plain HTTP/1.1\r\n${head}\r\n`,
    ])
      assert.match(await sendRaw(port, text), /^HTTP\/1\.1 400 /, text);
  });

  it("Refused at the door: Header flood 431, URL over 8 KiB 414", async () => {
    assert.equal((await site.send(`/${"x".repeat(8193)}`)).status, 414);
    const port = site.port();
    if (port === undefined) return;
    const flood = `GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${"x: 1\r\n".repeat(200)}\r\n`;
    assert.match(await sendRaw(port, flood), /^HTTP\/1\.1 431 /);
    const long = `GET / HTTP/1.1\r\nHost: x\r\nx: ${"x".repeat(20_000)}\r\n\r\n`;
    assert.match(await sendRaw(port, long), /^HTTP\/1\.1 431 /);
  });

  it("Health: GET /health → 200 ok while the process lives", async () => {
    const response = await site.send("/health");
    assert.deepEqual([response.status, await response.text()], [200, "ok"]);
  });

  it("Health: GET /ready → 200 ready", async () => {
    await site.app.boot();
    const response = await site.send("/ready");
    assert.deepEqual([response.status, await response.text()], [200, "ready"]);
  });

  for (const path of [
    "/plain",
    "/nowhere",
    "/broken",
    "/health",
    "/_svc/webhooks",
    "/_svc/loader.js",
    "/_svc/demo",
    "/_svc/action/echo",
    "/a%00",
    `/${"x".repeat(9000)}`,
  ]) {
    it(`Headers on every response: nosniff, DENY, strict-origin-when-cross-origin, same-origin, Permissions-Policy closing camera, microphone, geolocation (${path.slice(0, 40)})`, async () => {
      const { headers } = await site.send(path);
      for (const [name, value] of Object.entries(ALWAYS)) assert.equal(headers.get(name), value, name);
      for (const feature of ["camera=()", "microphone=()", "geolocation=()"])
        assert.ok(headers.get("permissions-policy")?.includes(feature), feature);
      assert.match(headers.get("x-request-id") ?? "", /^[\x21-\x7e]{1,128}$/);
      assert.equal(headers.get("strict-transport-security"), null);
    });
  }

  it("Strict-Transport-Security: max-age=31536000; includeSubDomains when HTTPS is detected", async () => {
    const response = await site.app.fetch(new Request("https://localhost/health"));
    assert.equal(response.headers.get("strict-transport-security"), "max-age=31536000; includeSubDomains");
    const claimed = await site.send("/health", { headers: { "x-forwarded-proto": "https" } });
    assert.equal(claimed.headers.get("strict-transport-security"), null, "from an untrusted client");
  });

  it("on HTML a CSP with a fresh nonce: script-src 'self' 'nonce-…' 'strict-dynamic', and Never unsafe-eval, never unsafe-inline for scripts", async () => {
    for (const path of ["/plain", "/_svc/demo"]) {
      const policies = [await site.send(path), await site.send(path)].map(
        ({ headers }) => headers.get("content-security-policy") ?? "",
      );
      assert.notEqual(policies[0], policies[1], "a fresh nonce");
      const directives = (policies[0] ?? "").replaceAll(/nonce-[\w+/=]{24}/g, "nonce-…").split("; ");
      for (const directive of [
        "default-src 'self'",
        "script-src 'self' 'nonce-…' 'strict-dynamic'",
        "style-src 'self' 'nonce-…'",
        "style-src-attr 'unsafe-inline'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "object-src 'none'",
        "base-uri 'self'",
        "form-action 'self'",
        "frame-ancestors 'none'",
      ])
        assert.ok(directives.includes(directive), directive);
      assert.doesNotMatch(policies.join(), /unsafe-eval|script-src[^;]*unsafe-inline/);
    }
  });
});

describeBothAdapters(
  "behind a trusted proxy",
  (site) => {
    it("Strict-Transport-Security: X-Forwarded-Proto from a trusted proxy only", async () => {
      // Trust depends on the peer address, which only a socket has.
      if (site.port() === undefined) return;
      const { headers } = await site.send("/health", { headers: { "x-forwarded-proto": "https" } });
      assert.equal(headers.get("strict-transport-security"), "max-age=31536000; includeSubDomains");
    });
  },
  { SVC_TRUST_PROXY: "127.0.0.1/32" },
);

describeBothAdapters(
  "production",
  (site) => {
    it("Production errors: a 500 tells a request id, never a message, stack or path", async () => {
      for (const accept of ["text/html", "application/json"]) {
        const response = await site.send("/broken", { headers: { accept, "x-request-id": "req-7" } });
        const body = await response.text();
        assert.deepEqual([response.status, response.headers.get("x-request-id")], [500, "req-7"]);
        assert.match(body, /req-7/);
        assert.doesNotMatch(body, /secret|\/etc|at /);
      }
      assert.match(site.logged.join("\n"), /req-7[^]*secret detail/);
    });

    it("The same CSP in development", async () => {
      const policyOf = ({ headers }: Response): string =>
        (headers.get("content-security-policy") ?? "").replaceAll(/nonce-[\w+/=]+/g, "");
      let inDevelopment = "";
      await withFixture(async ({ client: visitor }) => void (inDevelopment = policyOf(await visitor.get("/plain"))), {
        NODE_ENV: "development",
      });
      assert.equal(policyOf(await site.send("/plain")), inDevelopment);
    });
  },
  { NODE_ENV: "production" },
);

it("Headers on every response: Configurable through security", async () => {
  await withFixture(
    async ({ client: visitor, app }) => {
      const { headers } = await visitor.get("/plain");
      assert.equal(headers.get("referrer-policy"), "no-referrer");
      assert.match(headers.get("content-security-policy") ?? "", /font-src [^;]*https:\/\/fonts\.example/);
      const secure = await app.fetch(new Request("https://localhost/health"));
      assert.equal(secure.headers.get("strict-transport-security"), null);
    },
    {},
    { security: { referrerPolicy: "no-referrer", hsts: false, csp: { "font-src": ["https://fonts.example"] } } },
  );
});

it("Health: GET /ready → 503 while booting or draining", async () => {
  const own = createFixture();
  assert.equal((await own.client.get("/ready")).status, 503, "not booted");
  const started = await own.app.start({ port: 0, host: "127.0.0.1" });
  assert.equal((await own.client.get("/ready")).status, 200);
  const closed = started.close();
  assert.equal((await own.client.get("/ready")).status, 503, "draining");
  assert.equal((await own.client.get("/health")).status, 200);
  await closed;
  await own.close();
});

describe("routes of the app", () => {
  it("refuse a mutation without a token and run one with it", async () => {
    assert.equal((await client.request("/echo", { method: "POST", body: "x" })).status, 403);
    const response = await client.post("/echo", "x");
    assert.equal(await response.text(), '"x"');
  });

  it("read the token from a form field", async () => {
    const { readForm, route } = await import("svckit");
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

describe("status and metrics", () => {
  it("require the operator's key", async () => {
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
  it("of one path twice fail the boot", async () => {
    const twice = page("/a", { title: "A", view: () => "" });
    const app = createApp({ pages: [twice, twice], env: { SVC_DATABASE_URL: "memory:", SVC_SECRET: "s".repeat(32) } });
    await assert.rejects(app.boot(), /GET \/a is defined twice/);
    await app.close();
  });

  it("of a catch-all path, and the app's middleware, do not apply below the framework's own path", async () => {
    const seen: string[] = [];
    const app = createApp({
      routes: [route(["GET", "POST"], "/**:rest", ({ path }) => new Response(path), { csrf: false })],
      middleware: [
        (ctx, next) => {
          seen.push(ctx.path);
          return next();
        },
      ],
      env: { SVC_DATABASE_URL: "memory:", SVC_SECRET: "s".repeat(32) },
    });
    const ask = (path: string, method = "GET"): Promise<Response> =>
      app.fetch(new Request(`http://localhost${path}`, { method }));
    const refused = await ask("/_svc/action/x");
    assert.deepEqual([refused.status, refused.headers.get("allow")], [405, "POST"]);
    for (const path of ["/_svc/nope", "/_svc/nope/more", "/_svc/"]) assert.equal((await ask(path)).status, 404, path);
    assert.equal((await ask("/_svc/loader.js", "POST")).status, 405);
    assert.equal((await ask("/_svc/loader.js")).status, 200);
    assert.deepEqual(seen, []);
    assert.equal(await (await ask("/anything/else")).text(), "/anything/else");
    await app.close();
  });

  it("below the framework's own path are rejected immediately", () => {
    assert.throws(() => page("/_svc/mine", { title: "", view: () => "" }), /reserved for the framework/);
    assert.throws(() => page("mine", { title: "", view: () => "" }), /must start with a slash/);
  });
});

describe("a listening app", () => {
  it("boots, is ready, and on close ends open streams and stops listening", async () => {
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

  it("reports the port that is taken", async () => {
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
