/**
 * Bad input, row by row: how each endpoint answers requests that no client should send. Web requests run through both
 * adapters; a raw socket sends the rest. Bodies and statuses: contract sections 1, 3 and 5.
 */
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import { action, type Started } from "svckit";
import { sendRaw } from "svckit/testing";
import { ACTIONS, API_KEY, createFixture, OPERATOR, type Fixture } from "./app.ts";
import { describeBothAdapters, type Site } from "./both-adapters.ts";

interface Case {
  input: string;
  path?: string;
  method?: string;
  body?: string | Uint8Array<ArrayBuffer>;
  headers?: Record<string, string>;
  status: number | number[];
  /** The text of the envelope, where the contract promises one. */
  error?: string;
}

const MIB = 1024 * 1024;
const FORBIDDEN = { status: 403, error: "Forbidden" };
const nested = (levels: number): string => `{"args":${"[".repeat(levels)}${"]".repeat(levels)}}`;
const cyclic: unknown[] = [];
cyclic.push(cyclic);

const ACTION_CASES: Case[] = [
  { input: "malformed JSON", body: '{"args":[', status: 422 },
  { input: "an empty body", body: "", status: 422 },
  { input: "JSON that is no object", body: "[]", status: 422 },
  { input: "args missing", body: "{}", status: 422 },
  { input: "args that are no array", body: '{"args":{"0":1}}', status: 422 },
  { input: "a wrong content type", headers: { "content-type": "text/plain" }, status: 415 },
  { input: "an empty content type", headers: { "content-type": "" }, status: 415 },
  { input: "a list of content types", headers: { "content-type": "application/json, x" }, status: 415 },
  {
    input: "a form body",
    body: "args=1",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    status: 415,
  },
  { input: "another charset", headers: { "content-type": "application/json; charset=utf-16" }, status: 422 },
  {
    input: "invalid UTF-8",
    body: new Uint8Array([...Buffer.from('{"args":["'), 0xc3, 0x28, 0x22, 0x5d, 0x7d]),
    status: 422,
  },
  { input: "a lone BOM", body: new Uint8Array([0xef, 0xbb, 0xbf]), status: 422 },
  { input: "a body over the cap", body: `{"args":["${"x".repeat(MIB)}"]}`, status: 413, error: "Payload too large" },
  {
    input: "a compressed body",
    body: new Uint8Array(gzipSync('{"args":[]}')),
    headers: { "content-encoding": "gzip" },
    status: 415,
  },
  { input: "nesting over 32", body: nested(32), status: 422 },
  { input: "nesting of 200,000", body: nested(200_000), status: 422 },
  { input: "more than 64 args", body: JSON.stringify({ args: Array(65).fill(0) }), status: 422 },
  { input: "more than 10,000 nodes", body: JSON.stringify({ args: [Array(10_001).fill(0)] }), status: 422 },
  { input: "a __proto__ key", body: '{"args":[{"__proto__":{"polluted":true}}]}', status: 422 },
  { input: "constructor.prototype", body: '{"args":[{"constructor":{"prototype":{"polluted":true}}}]}', status: 422 },
  ...["unknown", "constructor", "__proto__", "prototype", "toString", "then", "hasOwnProperty"].map((name) => ({
    input: `the name ${name}`,
    path: `/_svc/action/${name}`,
    status: 404,
    error: "Unknown action",
  })),
  {
    input: "a name over 128 characters",
    path: `/_svc/action/${"x".repeat(129)}`,
    status: 404,
    error: "Unknown action",
  },
  { input: "a name beyond ASCII", path: "/_svc/action/%C3%A9cho", status: 404, error: "Unknown action" },
  { input: "no token", headers: { "x-svc-csrf": "" }, ...FORBIDDEN },
  { input: "a wrong token", headers: { "x-svc-csrf": "x".repeat(43) }, ...FORBIDDEN },
  { input: "the origin null", headers: { origin: "null" }, ...FORBIDDEN },
  { input: "another port", headers: { origin: "http://localhost:81" }, ...FORBIDDEN },
  { input: "another scheme", headers: { origin: "https://localhost" }, ...FORBIDDEN },
  { input: "a sibling subdomain", headers: { origin: "http://evil.localhost" }, ...FORBIDDEN },
  { input: "Sec-Fetch-Site: cross-site", headers: { "sec-fetch-site": "cross-site" }, ...FORBIDDEN },
  { input: "Sec-Fetch-Site: same-site", headers: { "sec-fetch-site": "same-site" }, ...FORBIDDEN },
  { input: "an action for signed-in callers", path: "/_svc/action/signedInOnly", status: 401 },
  { input: "an action that never settles", path: "/_svc/action/hangs", status: 503 },
  ...["throws", "rejects", "bigint", "cycle", "deep"].map((name) => ({
    input: `an action that can't answer: ${name}`,
    path: `/_svc/action/${name}`,
    status: 500,
  })),
];

/** Names that no web request or path may contain. The server refuses them before any endpoint (contract section 1). */
const NAME_CASES = ["a/b", "..", "%2e%2e", "%2e%2e%2fecho", "%00", "echo%00", "..%5cecho", "%252e%252e"];

const envelope = (error: unknown): object => ({ ok: false, value: null, error });

const failing = {
  hangs: action(() => new Promise(() => undefined), { timeout: 5 }),
  rejects: action(() => Promise.reject("a text instead of an error")), // eslint-disable-line prefer-promise-reject-errors
  bigint: action((): unknown => 1n),
  cycle: action(() => cyclic),
  deep: action(() => JSON.parse("[".repeat(5000) + "]".repeat(5000)) as unknown),
};

describeBothAdapters(
  "an action",
  (site) => {
    for (const { input, path = "/_svc/action/echo", body = '{"args":[]}', headers, status, error } of ACTION_CASES) {
      it(`answers ${String(status)} with the envelope to ${input}`, async () => {
        const response = await site.client.request(path, {
          method: "POST",
          body,
          headers: { "content-type": "application/json", "x-svc-csrf": await site.client.csrfToken(), ...headers },
        });
        const reply = (await response.json()) as { error: unknown };
        assert.equal(response.status, status);
        assert.deepEqual(reply, envelope(error ?? reply.error));
        assert.equal(typeof reply.error, "string");
      });
    }

    it("accepts 64 args, 31 levels and 9,000 nodes", async () => {
      const wide = await site.client.action("echo", ...Array<number>(64).fill(1));
      assert.equal(wide.status, 200);
      const deep = await site.client.request("/_svc/action/echo", {
        method: "POST",
        body: nested(31),
        headers: { "content-type": "application/json", "x-svc-csrf": await site.client.csrfToken() },
      });
      assert.equal(deep.status, 200);
      assert.equal((await site.client.action("echo", Array(9000).fill(1))).status, 200);
    });

    it("answers 415 to a request without a content type", async () => {
      const headers = { "x-svc-csrf": await site.client.csrfToken() };
      // Bytes, because the platform adds the type text/plain to a string.
      const body = new TextEncoder().encode('{"args":[]}');
      assert.equal((await site.client.request("/_svc/action/echo", { method: "POST", body, headers })).status, 415);
    });

    it("does not change Object.prototype", () => {
      assert.equal(Object.hasOwn(Object.prototype, "polluted"), false);
    });

    it("accepts no token of another session, no two tokens and no token in the query", async () => {
      const token = await site.client.csrfToken();
      const post = (path: string, headers: Record<string, string>): Promise<Response> =>
        site.client.request(path, {
          method: "POST",
          body: '{"args":[]}',
          headers: { "content-type": "application/json", ...headers },
        });
      const stranger = await site.send("/_svc/demo");
      const other = /name="_csrf" value="([^"]+)"/.exec(await stranger.text())?.[1] ?? "";
      assert.notEqual(other, token);
      assert.equal((await post("/_svc/action/echo", { "x-svc-csrf": other })).status, 403);
      assert.equal((await post("/_svc/action/echo", { "x-svc-csrf": `${token}, ${token}` })).status, 403);
      assert.equal((await post(`/_svc/action/echo?_csrf=${token}&x-svc-csrf=${token}`, {})).status, 403);
    });

    it("answers 405 with Allow and the envelope to GET", async () => {
      const response = await site.send("/_svc/action/echo");
      assert.deepEqual([response.status, response.headers.get("allow")], [405, "POST"]);
      const reply = (await response.json()) as { error: string };
      assert.deepEqual(reply, envelope(reply.error));
    });

    for (const name of NAME_CASES) {
      it(`refuses the name ${name}, and chunks of that name, to any client`, async () => {
        const sent = await site.client.request(`/_svc/action/${name}`, { method: "POST", body: "{}" });
        assert.ok([400, 404, 405].includes(sent.status), `action: ${sent.status}`);
        for (const kind of ["handler", "island", "asset"]) {
          const { status } = await site.send(`/_svc/${kind}/${name}`);
          assert.ok([400, 404].includes(status), `${kind}: ${status}`);
        }
      });
    }

    it("has no chunk with a name over 64 characters", async () => {
      assert.equal((await site.send(`/_svc/handler/${"x".repeat(65)}.js`)).status, 404);
    });
  },
  {},
  { actions: { ...ACTIONS, ...failing } },
);

interface OperatorCase {
  input: string;
  headers?: Record<string, string>;
  path?: string;
  status: number;
}

const KEY_CASES: OperatorCase[] = [
  { input: "no key", headers: {}, status: 401 },
  { input: "a wrong key", headers: { authorization: "Bearer wrong" }, status: 401 },
  { input: "Basic", headers: { authorization: `Basic ${btoa(`x:${API_KEY}`)}` }, status: 401 },
  { input: "the key alone", headers: { authorization: API_KEY }, status: 401 },
  { input: "two keys", headers: { authorization: `Bearer ${API_KEY}, Bearer ${API_KEY}` }, status: 401 },
  { input: "the key in the query", headers: {}, path: `/_svc/webhooks?key=${API_KEY}&token=${API_KEY}`, status: 401 },
  { input: "bearer in lower case", headers: { authorization: `bearer ${API_KEY}` }, status: 200 },
];

const WEBHOOK_CASES: { input: string; body: unknown; code: string }[] = [
  { input: "an address of the machine", body: { url: "http://127.0.0.1/hook" }, code: "SVC_SSRF" },
  { input: "an address of the cloud", body: { url: "http://169.254.169.254/" }, code: "SVC_SSRF" },
  { input: "an address in hex", body: { url: "http://0x7f000001/" }, code: "SVC_SSRF" },
  { input: "a mapped address", body: { url: "http://[::ffff:10.0.0.1]/" }, code: "SVC_SSRF" },
  { input: "another scheme", body: { url: "gopher://example.com/" }, code: "SVC_WEBHOOK_URL" },
  { input: "credentials", body: { url: "https://user:pw@example.com/" }, code: "SVC_WEBHOOK_URL" },
  { input: "a relative URL", body: { url: "/hook" }, code: "SVC_WEBHOOK_URL" },
  { input: "a URL over 2,048", body: { url: `https://example.com/${"x".repeat(2048)}` }, code: "SVC_WEBHOOK_URL" },
  { input: "no URL", body: { events: [] }, code: "SVC_WEBHOOK_URL" },
  {
    input: "an unknown event",
    body: { url: "https://93.184.216.34/", events: ["graph.odd"] },
    code: "SVC_WEBHOOK_EVENT",
  },
  {
    input: "events that are no array",
    body: { url: "https://93.184.216.34/", events: "graph.done" },
    code: "SVC_WEBHOOK_EVENT",
  },
  { input: "an unknown key", body: { url: "https://93.184.216.34/", event: "graph.done" }, code: "SVC_INVALID" },
  { input: "no object", body: [], code: "SVC_INVALID" },
];

describeBothAdapters("the operator's endpoints", (site) => {
  for (const { input, headers = {}, path = "/_svc/webhooks", status } of KEY_CASES) {
    it(`answer ${status} to ${input}`, async () => {
      const response = await site.send(path, { headers });
      assert.equal(response.status, status);
      assert.equal(response.headers.get("www-authenticate"), status === 401 ? "Bearer" : null);
      if (status === 401) assert.equal(((await response.json()) as { code: string }).code, "SVC_UNAUTHORIZED");
    });
  }

  for (const { input, body, code } of WEBHOOK_CASES) {
    it(`answer 422 ${code} to ${input}, and name no address`, async () => {
      const response = await register(site, body);
      const reply = (await response.json()) as { code: string; detail: string };
      assert.deepEqual([response.status, reply.code], [422, code]);
      assert.equal(response.headers.get("content-type"), "application/problem+json");
    });
  }

  it("answer 422 to bad JSON, a __proto__ key and invalid UTF-8, 413 above 64 KiB, 415 to a form", async () => {
    const send = async (body: string | Uint8Array<ArrayBuffer>, type = "application/json"): Promise<number> => {
      const init = { method: "POST", body, headers: { ...OPERATOR, "content-type": type } };
      return (await site.send("/_svc/webhooks", init)).status;
    };
    assert.equal(await send("{"), 422);
    assert.equal(await send('{"url":"https://93.184.216.34/","__proto__":{"polluted":true}}'), 422);
    assert.equal(await send(new Uint8Array([0x22, 0xff, 0x22])), 422);
    assert.equal(await send(JSON.stringify({ description: "x".repeat(65_536) })), 413);
    assert.equal(await send("url=x", "application/x-www-form-urlencoded"), 415);
    assert.equal(Object.hasOwn(Object.prototype, "polluted"), false);
  });

  it("treat an empty list of events as all events and repeated events as one, and show no secret", async () => {
    const url = "https://93.184.216.34/";
    const secret = "a-secret-of-its-own-0123456789";
    const all = (await (await register(site, { url, events: [], secret })).json()) as { events: string[] };
    assert.deepEqual(all.events, ["graph.done", "graph.failed", "graph.paused"]);
    const once = await register(site, { url, events: ["graph.done", "graph.done"] });
    assert.deepEqual(((await once.json()) as { events: string[] }).events, ["graph.done"]);
    const list = await (await site.send("/_svc/webhooks", { headers: OPERATOR })).text();
    assert.match(list, /"total":1/);
    assert.doesNotMatch(list, /a-secret-of-its-own/);
  });
});

function register(site: Site, body: unknown): Promise<Response> {
  const headers = { ...OPERATOR, "content-type": "application/json" };
  return site.send("/_svc/webhooks", { method: "POST", headers, body: JSON.stringify(body) });
}

describeBothAdapters(
  "the operator's endpoints without a key configured",
  (site) => {
    for (const key of ["", "undefined", "null"]) {
      it(`answer 401 to "Bearer ${key}"`, async () => {
        assert.equal((await site.send("/_svc/webhooks", { headers: { authorization: `Bearer ${key}` } })).status, 401);
      });
    }
  },
  { SVC_EXEC_API_KEY: "" },
);

describeBothAdapters("the demo's inbox", (site) => {
  const post = (body: string, type: string): Promise<Response> =>
    site.send("/_svc/demo/webhook-inbox", { method: "POST", body, headers: { "content-type": type } });

  it("answers 413 above 64 KiB and 415 to a type other than JSON", async () => {
    assert.equal((await post("x".repeat(65_537), "application/json")).status, 413);
    assert.equal((await post("<b>", "text/html")).status, 415);
  });

  it("answers 401 to requests that the demo has not signed, and shows none of them", async () => {
    const body = '{"n":"<script>1</script>"}';
    const timestamp = String(Math.floor(Date.now() / 1000));
    const signature = createHmac("sha256", "guess").update(`msg_1.${timestamp}.${body}`).digest("base64");
    const forged = { "webhook-id": "msg_1", "webhook-timestamp": timestamp, "webhook-signature": `v1,${signature}` };
    for (const more of [{}, forged]) {
      const answer = await site.send("/_svc/demo/webhook-inbox", {
        method: "POST",
        body,
        headers: { "content-type": "application/json", "x-svc-delivery": "msg_1", ...more },
      });
      assert.equal(answer.status, 401);
    }
    for (const query of ["", "?delivery=msg_1"])
      assert.deepEqual(await (await site.send(`/_svc/demo/webhook-inbox${query}`)).json(), { received: [] });
  });
});

describe("bytes on a socket", () => {
  let fixture: Fixture;
  let started: Started;
  let port: number;

  before(async () => {
    fixture = createFixture();
    started = await fixture.app.start({ port: 0, host: "127.0.0.1" });
    port = Number(new URL(started.url).port);
  });
  after(async () => {
    await started.close();
    await fixture.close();
  });

  const HEAD = "Host: localhost\r\nConnection: close\r\n";
  const json = 'Content-Type: application/json\r\nContent-Length: 11\r\n\r\n{"args":[]}';
  /** An HTTP/1.0 client that asks for a persistent connection. */
  const KEPT = "Host: localhost\r\nConnection: keep-alive\r\n";
  const rows: [input: string, text: string, status: number | number[]][] = [
    ["two Host", `GET /health HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n`, 400],
    ["no Host", `GET /health HTTP/1.1\r\nConnection: close\r\n\r\n`, 400],
    ["an invalid Host", `GET /health HTTP/1.1\r\nHost: a b\r\n\r\n`, 400],
    ["two content types", `POST /_svc/action/echo HTTP/1.1\r\n${HEAD}Content-Type: text/plain\r\n${json}`, [400, 415]],
    ["another authority as target", `GET http://evil.example/ HTTP/1.1\r\n${HEAD}\r\n`, 400],
    ["two slashes as target", `GET //evil.example/x HTTP/1.1\r\n${HEAD}\r\n`, 400],
    ["dot segments", `GET /a/../health HTTP/1.1\r\n${HEAD}\r\n`, 400],
    ["encoded dot segments", `GET /a/%2e%2e/health HTTP/1.1\r\n${HEAD}\r\n`, 400],
    ["an encoded NUL", `GET /a%00 HTTP/1.1\r\n${HEAD}\r\n`, 400],
    ["a broken escape", `GET /a%zz HTTP/1.1\r\n${HEAD}\r\n`, 400],
    ["a URL over 8 KiB", `GET /${"x".repeat(8200)} HTTP/1.1\r\n${HEAD}\r\n`, 414],
    ["more than 100 headers", `GET /health HTTP/1.1\r\n${HEAD}${"a: 1\r\n".repeat(101)}\r\n`, 431],
    ["headers over 16 KB", `GET /health HTTP/1.1\r\n${HEAD}a: ${"x".repeat(17_000)}\r\n\r\n`, 431],
    ["TRACE", `TRACE /health HTTP/1.1\r\n${HEAD}\r\n`, 405],
    ["CONNECT", `CONNECT evil.example:443 HTTP/1.1\r\n${HEAD}\r\n`, 405],
    ["an unknown method", `GETT /health HTTP/1.1\r\n${HEAD}\r\n`, 400],
    ["two lengths", `POST /echo HTTP/1.1\r\n${HEAD}Content-Length: 1\r\nContent-Length: 1\r\n\r\nx`, 400],
    [
      "length and chunks",
      `POST /echo HTTP/1.1\r\n${HEAD}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      400,
    ],
    [
      "a bad chunk size",
      `POST /_svc/demo/webhook-inbox HTTP/1.1\r\n${HEAD}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`,
      400,
    ],
    ...["GET", "POST"].map((method): (typeof rows)[number] => [
      `HTTP/1.0 with chunks, ${method}`,
      `${method} /health HTTP/1.0\r\n${KEPT}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      400,
    ]),
    [
      "HTTP/1.0 with chunks and a length",
      `POST /echo HTTP/1.0\r\n${KEPT}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      400,
    ],
    ["HTTP/2.0 in the request line", `GET /health HTTP/2.0\r\n${KEPT}\r\n`, 400],
    ["HTTP/0.9 in the request line", `GET /health HTTP/0.9\r\n${KEPT}\r\n`, 400],
    ["HTTP/1.2 in the request line", `GET /health HTTP/1.2\r\n${KEPT}\r\n`, 400],
    ["HTTP/3.0 in the request line", `GET /health HTTP/3.0\r\n${KEPT}\r\n`, 400],
    ["a TLS hello", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 400],
    ["the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400],
    [
      "a body announced over the cap, unread",
      `POST /_svc/demo/webhook-inbox HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 70000\r\n\r\n`,
      413,
    ],
    [
      "chunks over the cap",
      `POST /_svc/demo/webhook-inbox HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n` +
        `11170\r\n${"x".repeat(70_000)}\r\n`,
      413,
    ],
  ];
  for (const [input, text, status] of rows) {
    it(`are answered ${String(status)} and the connection is closed: ${input}`, async () => {
      const answer = await sendRaw(port, text);
      const reported = Number(/^HTTP\/1\.1 (\d{3}) /.exec(answer)?.[1]);
      assert.ok([status].flat().includes(reported), answer.slice(0, 300));
      assert.equal(answer.split("HTTP/1.1 ").length, 2, "one answer");
      assert.match(answer, /^connection: close\r$/im);
      assert.match(answer, /^x-content-type-options: nosniff\r$/im);
      assert.match(answer, /^x-request-id: \S+\r$/im);
    });
  }
});
