/** Hosts for which an app answers, and the HTTPS that an https origin implies. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { action, createApp, json, page, route, type App } from "svckit";

declare module "svckit" {
  interface SessionData {
    name?: string;
  }
}

const PROXY = "10.1.2.3";
const LOOKED_AT = "/who";

function appOf(env: Record<string, string>, warnings: string[] = []): App {
  const log = { debug() {}, info() {}, error() {}, warn: (_: object, text?: string) => void warnings.push(text ?? "") };
  return createApp({
    env: { SVC_DATABASE_URL: "memory:", SVC_SECRET: "s".repeat(32), ...env },
    log,
    actions: { ping: action(() => "pong") },
    pages: [page("/", { title: "Home", view: () => "<p>home</p>" })],
    routes: [
      route("GET", LOOKED_AT, (ctx) => {
        ctx.setCookie("plain", "1");
        return json({ url: ctx.url.href, of: ctx.request.url });
      }),
    ],
  });
}

async function statusOf(app: App, url: string, headers: Record<string, string> = {}, peerAddress?: string) {
  const answer = await app.fetch(new Request(url, { headers }), peerAddress === undefined ? {} : { peerAddress });
  return answer.status;
}

const PRODUCTION = {
  NODE_ENV: "production",
  SVC_SITE_URL: "https://shop.example",
  SVC_ALLOWED_HOSTS: "www.shop.example",
};

describe("the host of a request", () => {
  it("is one of SVC_SITE_URL or SVC_ALLOWED_HOSTS in production, on every path; others get 421", async (test) => {
    const app = appOf(PRODUCTION);
    test.after(() => app.close());
    for (const path of ["/", LOOKED_AT, "/missing", "/_svc/loader.js", "/_svc/action/ping", "/_svc/graphs"]) {
      for (const host of ["evil.example", "shop.example.evil.example", "shop.example:1337", "localhost", "203.0.113.9"])
        assert.equal(await statusOf(app, `http://${host}${path}`), 421, host + path);
      for (const host of ["shop.example", "www.shop.example"])
        assert.notEqual(await statusOf(app, `http://${host}${path}`), 421, host + path);
    }
  });

  it("does not matter for health and monitoring in production, which load balancers call by address", async (test) => {
    const app = appOf(PRODUCTION);
    test.after(() => app.close());
    await app.boot();
    for (const path of ["/health", "/ready"]) assert.equal(await statusOf(app, `http://10.0.0.7:3000${path}`), 200);
    for (const path of ["/_svc/metrics", "/_svc/status"])
      assert.equal(await statusOf(app, `http://10.0.0.7:3000${path}`), 401, path);
  });

  it("is a loopback name in development, on every path: a name that was pointed at the machine runs nothing", async (test) => {
    const app = appOf({});
    test.after(() => app.close());
    for (const path of ["/", "/health", "/_svc/metrics"]) {
      assert.equal(await statusOf(app, `http://rebound.example:3000${path}`), 421, path);
      assert.notEqual(await statusOf(app, `http://localhost:3000${path}`), 421, path);
    }
    const origin = "http://rebound.example:3000";
    const call = new Request(`${origin}/_svc/action/ping`, {
      method: "POST",
      headers: { origin, "content-type": "application/json" },
      body: '{"args":[]}',
    });
    assert.equal((await app.fetch(call)).status, 421);
  });

  it("may be that of X-Forwarded-Host from a trusted proxy only, if it is known too", async (test) => {
    const app = appOf({ ...PRODUCTION, SVC_TRUST_PROXY: `${PROXY}/32` });
    test.after(() => app.close());
    const inner = `http://inner:3000${LOOKED_AT}`;
    const site = { "x-forwarded-host": "shop.example" };
    assert.equal(await statusOf(app, inner, site, PROXY), 200);
    assert.equal(await statusOf(app, inner, site, "198.51.100.7"), 421);
    for (const host of ["evil.example", "evil.example/.shop.example", "user@shop.example"])
      assert.equal(await statusOf(app, inner, { "x-forwarded-host": host }, PROXY), 421, host);
    const answer = await app.fetch(new Request(inner, { headers: site }), { peerAddress: PROXY });
    const url = `https://shop.example${LOOKED_AT}`;
    assert.deepEqual(await answer.json(), { url, of: url });
  });

  it("may be the address on which the app listens", async (test) => {
    const app = appOf(PRODUCTION);
    const started = await app.start({ port: 0 });
    test.after(() => started.close());
    assert.equal((await fetch(started.url)).status, 200);
  });
});

describe("an https SVC_SITE_URL", () => {
  it("makes cookies Secure and adds HSTS without SVC_TRUST_PROXY, and the boot warns about the proxy", async (test) => {
    const warnings: string[] = [];
    const app = appOf(PRODUCTION, warnings);
    const started = await app.start({ port: 0 });
    test.after(() => started.close());
    const overHttp = await app.fetch(new Request(`http://shop.example${LOOKED_AT}`));
    for (const answer of [overHttp, await fetch(started.url + LOOKED_AT)]) {
      const cookies = answer.headers.getSetCookie();
      assert.equal(cookies.length, 1);
      assert.match(cookies[0] ?? "", /; Secure/);
      assert.match(answer.headers.get("strict-transport-security") ?? "", /max-age/);
    }
    assert.match(warnings.join("\n"), /SVC_TRUST_PROXY: .*it is not set/);
  });

  it("leaves localhost in development without HTTPS, because browsers would drop its cookies", async (test) => {
    const app = appOf({ SVC_SITE_URL: "https://shop.example" });
    test.after(() => app.close());
    const answer = await app.fetch(new Request(`http://localhost:3000${LOOKED_AT}`));
    assert.ok(answer.headers.getSetCookie().every((line) => !line.includes("Secure")));
    assert.equal(answer.headers.get("strict-transport-security"), null);
  });
});

describe("an https SVC_SITE_URL", () => {
  it("gives sessions the prefix __Host- and Secure, without SVC_TRUST_PROXY and although the request came without TLS", async (test) => {
    const app = createApp({
      env: { SVC_DATABASE_URL: "memory:", SVC_SECRET: "s".repeat(32), SVC_LOG_LEVEL: "silent", ...PRODUCTION },
      routes: [
        route("GET", "/in", async (ctx) => {
          (await ctx.session()).signIn("name", "ada");
          return json(null);
        }),
        route("GET", "/name", async (ctx) => json((await ctx.session()).get("name") ?? null)),
      ],
    });
    test.after(() => app.close());
    const get = (path: string, cookie = ""): Promise<Response> =>
      app.fetch(new Request(`http://shop.example${path}`, { headers: { cookie } }));
    const [line = ""] = (await get("/in")).headers.getSetCookie();
    assert.match(line, /^__Host-svc-session=[^;]+; Path=\/; .*HttpOnly; Secure; SameSite=Lax$/);
    assert.doesNotMatch(line, /Domain/i);
    const value = /=([^;]+)/.exec(line)?.[1];
    assert.equal(await (await get("/name", `__Host-svc-session=${value}`)).json(), "ada");
    assert.equal(await (await get("/name", `svc-session=${value}`)).json(), null, "a sibling domain can set this name");
  });
});
