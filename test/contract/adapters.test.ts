/**
 * Every adapter of an app gives the same responses: the app's own three, and other frameworks that mount it. One table of
 * requests; every adapter must match `listen`.
 */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from "node:zlib";
import { Await, CsrfField, eventStream, html, json, page, readForm, redirect, route, type StreamEvent } from "svckit";
import { systemClock } from "svckit/graph";
import { createTestClient } from "svckit/testing";
import { createFixture, OPERATOR, type Fixture } from "./app.ts";
import { FRAMEWORK_ADAPTERS, OWN_ADAPTERS, type Asked, type Adapter, type Reply } from "./every-adapter.ts";

const dist = mkdtempSync(join(tmpdir(), "svc-adapters-"));
const CODE = `export const h0 = () => "${"x".repeat(2000)}";`;

async function* events(): AsyncGenerator<StreamEvent> {
  yield { id: 1, event: "progress", data: { value: 0.5 } };
  yield { id: 2, data: "done" };
}

async function* pieces(): AsyncGenerator<string | Uint8Array> {
  yield "first ";
  yield new TextEncoder().encode("sécond ");
  await new Promise((resolve) => setImmediate(resolve));
  yield "last";
}

function createSite(): Fixture {
  const env = { SVC_SECRET: "a secret for all adapters", SVC_RATE_ACTIONS: "20", NODE_ENV: "production" };
  return createFixture(env, {
    pages: [
      page("/", { title: "Start", view: () => "<p>start</p>" }),
      page("/form", { title: "Form", view: () => CsrfField() }),
      page("/items/:id", { title: "Item", view: (_data, { params }) => `item ${params["id"]}` }),
      page("/late", {
        title: "Late",
        view: () => ["now ", Await({ value: new Promise((done) => setImmediate(done, "later")), children: String })],
      }),
      page("/long", { title: "Long", view: () => "<p>a paragraph</p>".repeat(200) }),
      page("/late-long", {
        title: "Late and long",
        view: () => [
          "now ".repeat(500),
          Await({ value: new Promise((done) => setImmediate(done, "later")), children: String }),
        ],
      }),
      page("/gone", { title: "Gone", status: 410, view: () => "gone" }),
      page("/away", { title: "Away", load: () => redirect("/items/1"), view: () => "" }),
    ],
    routes: [
      route("GET", "/json", (ctx) => json({ query: [...ctx.query], cookies: { ...ctx.cookies }, ip: ctx.clientIp })),
      route("GET", "/files/**:path", (ctx) => json(ctx.params)),
      route("GET", "/stream", () => ({ status: 200, headers: ["content-type", "text/plain"], body: pieces() })),
      route("GET", "/events", (ctx) => eventStream(events(), { clock: systemClock, signal: ctx.signal })),
      route("GET", "/web", () => new Response("from the web", { status: 202, headers: { "x-own": "1" } })),
      route("GET", "/cookies", (ctx) => {
        ctx.setCookie("a", "1");
        ctx.setCookie("b", "2");
        return html("<p>cookies</p>");
      }),
      route("POST", "/echo", async (ctx) => json({ text: await ctx.text(100) }), { csrf: false }),
      route("PUT", "/web-body", async (ctx) => new Response(await ctx.request.text()), { csrf: false }),
      route("POST", "/save", async (ctx) => json((await readForm(ctx)).fields)),
      route("GET", "/broken", () => {
        throw new Error("secret detail in /etc/x");
      }),
      route("GET", "/no-content", () => ({ status: 204, headers: [], body: null })),
    ],
  });
}

/** The response without the parts that differ between any two responses, whatever the adapter. */
function comparable({ status, headers, bytes }: Reply) {
  const own = Object.entries(headers).filter(([name]) => !CONNECTION.has(name));
  const timeless = (text: string, name: string): string =>
    (name === "retry-after" ? text.replace(/\d+/, "") : text)
      .replace(/'nonce-[^']+'/g, "'nonce-'")
      .replace(/(__svc-csrf=)[^;]+/, "$1")
      .replace(/;t=\d+/, ";t=");
  const body = decoded(bytes, headers["content-encoding"]?.[0])
    .toString("latin1")
    .replace(/nonce="[^"]+"/g, 'nonce=""')
    .replace(/(name="_csrf" value=")[^"]+/, "$1");
  return {
    status,
    headers: Object.fromEntries(own.map(([name, values]) => [name, values.map((value) => timeless(value, name))])),
    body,
  };
}

/** Decompresses a body, because the chunk boundaries of a compressed stream depend on timing. */
function decoded(bytes: Buffer, encoding: string | undefined): Buffer {
  if (bytes.length === 0) return bytes;
  if (encoding === "br") return brotliDecompressSync(bytes);
  return encoding === "gzip" ? gunzipSync(bytes) : bytes;
}

/** Headers of a connection (RFC 9110 section 7.6.1) or of the moment, rather than of a response. */
const CONNECTION = new Set(["date", "connection", "keep-alive", "transfer-encoding"]);

const HTML = { accept: "text/html" };
const JSON_BODY = { "content-type": "application/json" };
const FORM = { "content-type": "application/x-www-form-urlencoded" };

/** Requests that the app has no response for and a framework around it may have one (test/contract/mounted.test.ts). */
const PASSED_ON = new Set([
  "HEAD of nothing",
  "nothing, to a program",
  "nothing, to a person",
  "a wrong method",
  "a wrong method of a file",
  "OPTIONS",
  "a broken escape",
  "a dot segment behind an escape",
  "a NUL",
  "a URL over 8 KiB",
]);

type Row = [what: string, status: number, target: string, asked?: Asked];

/** @param session headers of a caller with cookie and token */
function rows(session: Record<string, string>, etag: string): Row[] {
  const call = (body: string, headers: Record<string, string> = {}): Asked => ({
    method: "POST",
    headers: { ...session, ...JSON_BODY, ...headers },
    body,
  });
  return [
    ["a page", 200, "/", { headers: HTML }],
    ["a page with a token", 200, "/form"],
    ["a page with a parameter", 200, "/items/caf%C3%A9%20%2F%3Cb%3E"],
    ["a streamed page", 200, "/late"],
    ["a long page in brotli", 200, "/long", { headers: { "accept-encoding": "gzip, br" } }],
    ["a long page in gzip", 200, "/long", { headers: { "accept-encoding": "gzip" } }],
    ["a long page for those who take neither", 200, "/long", { headers: { "accept-encoding": "identity" } }],
    ["a streamed page in gzip", 200, "/late-long", { headers: { "accept-encoding": "gzip" } }],
    ["HEAD of a long page in brotli", 200, "/long", { method: "HEAD", headers: { "accept-encoding": "br" } }],
    ["a page with a status", 410, "/gone"],
    ["a redirect", 303, "/away"],
    ["a route", 200, "/json?a=1&b=%20", { headers: { cookie: "x=1; y=%C3%A9" } }],
    ["the rest of a path", 200, "/files/a/b%20c"],
    ["a stream", 200, "/stream"],
    ["server-sent events", 200, "/events"],
    ["a web Response", 202, "/web"],
    ["cookies", 200, "/cookies"],
    ["no content", 204, "/no-content"],
    ["a body as text", 200, "/echo", { method: "POST", body: "caf\u00e9" }],
    ["a body of the web Request", 200, "/web-body", { method: "PUT", body: "web" }],
    ["a form", 200, "/save", { method: "POST", headers: { ...session, ...FORM }, body: "a=1&b=%C3%A9" }],
    ["a form without a token", 403, "/save", { method: "POST", headers: FORM, body: "a=1" }],
    ["an action", 200, "/_svc/action/echo", call('{"args":[1,"é"]}')],
    ["an action that refuses", 401, "/_svc/action/signedInOnly", call('{"args":[]}')],
    ["an action whose schema refuses", 422, "/_svc/action/addTodo", call('{"args":[{"title":""}]}')],
    ["an action that throws", 500, "/_svc/action/throws", call('{"args":[]}')],
    ["an action without a token", 403, "/_svc/action/echo", call('{"args":[]}', { "x-svc-csrf": "" })],
    ["an unknown action", 404, "/_svc/action/toString", call('{"args":[]}')],
    ["an action with broken JSON", 422, "/_svc/action/echo", call("{")],
    ["an action that is no JSON", 415, "/_svc/action/echo", call("{}", { "content-type": "text/plain" })],
    ["a body over the limit", 413, "/_svc/action/echo", call(`{"args":["${"x".repeat(1024 * 1024)}"]}`)],
    ["a runtime asset", 200, "/_svc/core.js"],
    ["a runtime asset in brotli", 200, "/_svc/core.js", { headers: { "accept-encoding": "br" } }],
    ["a chunk", 200, "/_svc/handler/counter-1a2b3c4d.js", { headers: { "accept-encoding": "gzip" } }],
    ["an unknown chunk", 404, "/_svc/handler/counter-00000000.js"],
    ["a public file", 200, "/app.css"],
    ["a part of a file", 206, "/app.css", { headers: { range: "bytes=2-5" } }],
    ["a part behind the end", 416, "/app.css", { headers: { range: "bytes=90000-" } }],
    ["a part of another version", 200, "/app.css", { headers: { range: "bytes=2-5", "if-range": '"other"' } }],
    ["another version of a file", 412, "/app.css", { headers: { "if-match": '"other"' } }],
    ["a file the client has", 304, "/app.css", { headers: { "if-none-match": etag } }],
    ["HEAD of a page", 200, "/", { method: "HEAD" }],
    ["HEAD of a streamed page", 200, "/late", { method: "HEAD" }],
    ["HEAD of a stream", 200, "/stream", { method: "HEAD" }],
    ["HEAD of server-sent events", 200, "/events", { method: "HEAD" }],
    ["HEAD of a file", 200, "/app.css", { method: "HEAD" }],
    ["HEAD of nothing", 404, "/nothing", { method: "HEAD" }],
    ["nothing, to a program", 404, "/nothing"],
    ["nothing, to a person", 404, "/nothing", { headers: HTML }],
    ["a wrong method", 405, "/json", { method: "DELETE" }],
    ["a wrong method of a file", 405, "/app.css", { method: "POST" }],
    ["OPTIONS", 405, "/json", { method: "OPTIONS" }],
    ["a wrong method of an endpoint", 405, "/_svc/action/echo"],
    ["what fails", 500, "/broken"],
    ["what fails, to a person", 500, "/broken", { headers: HTML }],
    ["a broken escape", 400, "/%zz"],
    ["a dot segment behind an escape", 400, "/files/a%2f..%2fb"],
    ["a NUL", 400, "/items/%00"],
    ["a URL over 8 KiB", 414, `/?${"a".repeat(8192)}`],
    ["an operator's endpoint", 200, "/_svc/webhooks", { headers: OPERATOR }],
    ["an operator's endpoint without a key", 401, "/_svc/webhooks"],
    ["health", 200, "/health"],
    ["readiness", 200, "/ready"],
  ];
}

mkdirSync(join(dist, "client", "handler"), { recursive: true });
mkdirSync(join(dist, "public"), { recursive: true });
writeFileSync(join(dist, "manifest.json"), JSON.stringify({ build: "b1", chunks: {}, actions: ["echo"] }));
writeFileSync(join(dist, "client", "handler", "counter-1a2b3c4d.js"), CODE);
writeFileSync(join(dist, "client", "handler", "counter-1a2b3c4d.js.br"), brotliCompressSync(CODE));
writeFileSync(join(dist, "client", "handler", "counter-1a2b3c4d.js.gz"), gzipSync(CODE));
writeFileSync(join(dist, "public", "app.css"), "body { color: red }\n".repeat(100));
after(() => rmSync(dist, { recursive: true, force: true }));

/** Sends every row and finally the same action until it exceeds the limit. */
async function answersOf(
  open: (typeof OWN_ADAPTERS)[string],
  isAsked: (what: string) => boolean = () => true,
): Promise<Map<string, ReturnType<typeof comparable>>> {
  const site = createSite();
  const adapter = await open(site.app, dist);
  try {
    const client = createTestClient(site.app, { tokenPage: "/form" });
    const token = await client.csrfToken();
    const cookie = [...client.cookies].map((pair) => pair.join("=")).join("; ");
    const session = { cookie, "x-svc-csrf": token };
    const etag = (await adapter.ask("/app.css")).headers["etag"]?.[0] ?? "";
    const answers = new Map<string, ReturnType<typeof comparable>>();
    const ask = async ([what, status, target, asked]: Row): Promise<void> => {
      const reported = await adapter.ask(target, {
        ...asked,
        headers: { "x-request-id": "one-and-all", ...asked?.headers },
      });
      assert.equal(reported.status, status, `${what}: ${reported.bytes.toString()}`);
      answers.set(what, comparable(reported));
    };
    for (const row of rows(session, etag)) if (isAsked(row[0])) await ask(row);
    await tooMany(adapter, session);
    const call = { method: "POST", headers: { ...session, ...JSON_BODY }, body: '{"args":[]}' };
    await ask(["an action over the limit", 429, "/_svc/action/nothing", call]);
    return answers;
  } finally {
    await adapter.close();
    await site.close();
  }
}

async function tooMany(adapter: Adapter, session: Record<string, string>): Promise<void> {
  const call = { method: "POST", headers: { ...session, ...JSON_BODY }, body: '{"args":[]}' };
  for (let left = 20; left > 0; left--) if ((await adapter.ask("/_svc/action/nothing", call)).status === 429) return;
  assert.fail("the limit was never exceeded");
}

describe("the adapters of an app", () => {
  let expected: Map<string, ReturnType<typeof comparable>>;
  before(async () => void (expected = await answersOf(OWN_ADAPTERS["listen"] as (typeof OWN_ADAPTERS)[string])));

  it("send the rate limit and the time to retry", () => {
    const limited = expected.get("an action over the limit");
    assert.ok(limited?.headers["retry-after"]);
  });

  for (const [name, open] of Object.entries(OWN_ADAPTERS)) {
    if (name === "listen") continue;
    it(`answer through ${name} as through listen`, async () => {
      const answers = await answersOf(open);
      for (const [what, answer] of expected) assert.deepEqual(answers.get(what), answer, what);
    });
  }

  for (const [name, open] of Object.entries(FRAMEWORK_ADAPTERS)) {
    it(`answer through ${name} as through listen, and pass on the requests that the app has no response for`, async () => {
      const isAsked = (what: string): boolean => name === "Hono 4" || !PASSED_ON.has(what);
      const answers = await answersOf(open, isAsked);
      for (const [what, answer] of expected) if (isAsked(what)) assert.deepEqual(answers.get(what), answer, what);
    });
  }
});

describe("an app with compression turned off", () => {
  it("sends uncompressed bodies, and each page has a token of its own within one session", async (test) => {
    const plain = createFixture(
      {},
      { compress: false, pages: [page("/", { title: "Long", view: () => [CsrfField(), "<p>text</p>".repeat(200)] })] },
    );
    test.after(() => plain.close());
    const ask = (cookie: string) =>
      plain.app.fetch(new Request("http://localhost/", { headers: { "accept-encoding": "br", cookie } }));
    const one = await ask("");
    const other = await ask(one.headers.getSetCookie()[0]?.split(";")[0] ?? "");
    assert.deepEqual([one.headers.get("content-encoding"), one.headers.get("vary")], [null, null]);
    assert.deepEqual(other.headers.getSetCookie(), [], "one session");
    const tokenOf = (text: string): string => /name="_csrf" value="([^"]+)"/.exec(text)?.[1] ?? "";
    const tokens = [tokenOf(await one.text()), tokenOf(await other.text())];
    assert.match(tokens[0] ?? "", /^[\w-]{51}$/);
    assert.notEqual(tokens[0]?.slice(-43), tokens[1]?.slice(-43));
  });
});
