/** The nginx and Caddy configurations of docs/guide/running.md, in front of an app with actions, forms and event streams. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { buildDemo, root, startDemo, temporaryFolder, type DemoServer } from "./demo-server.ts";
import { startProxy, withoutProxy, type Proxy, type Site } from "./proxies.ts";

const HOST = "shop.example";
const ORIGIN = `https://${HOST}`;
const folder = temporaryFolder();
const starter = join(root, "starter");

/** A code block of the guide, with the addresses of this run, and without TLS, for which it has no certificate. */
function documented(language: string): Site {
  const guide = readFileSync(join(root, "docs/guide/running.md"), "utf8");
  const block = new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``).exec(guide)?.[1];
  assert.ok(block, `the guide has a configuration for ${language}`);
  return (listen, upstream) => {
    const plain = block
      .replace(/^\s*ssl_\w+ .*\n/gm, "")
      .replace("listen 443 ssl;", `listen ${listen};`)
      .replace(/^shop\.example \{/m, `http://:${listen.split(":")[1]} {\n  bind 127.0.0.1`);
    assert.ok(plain.includes(listen.split(":")[1] ?? ""), "the address to listen on is set");
    assert.ok(plain.includes("127.0.0.1:3000"), "the address of the app is the default");
    return plain.replaceAll("127.0.0.1:3000", upstream);
  };
}

interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: string;
}

/** Sends a request as a browser at the public address. @param until resolves once the body so far matches; default: at its end */
function ask(
  url: string,
  path: string,
  init: { method?: string; headers?: Record<string, string>; body?: string; until?: RegExp } = {},
): Promise<Answer> {
  const { method = "GET", headers = {}, body, until } = init;
  return new Promise((resolve, reject) => {
    const sent = request(url + path, { method, headers: { host: HOST, ...headers }, agent: false }, (answer) => {
      let text = "";
      const done = (): void => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: text });
      answer.setEncoding("utf8").on("data", (part: string) => {
        text += part;
        if (until?.test(text) !== true) return;
        done();
        answer.destroy();
      });
      answer.on("end", done);
      answer.on("error", reject);
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

const FORM = {
  "content-type": "application/x-www-form-urlencoded",
  origin: ORIGIN,
  "sec-fetch-site": "same-origin",
};

const cookiesOf = ({ headers }: Answer): string =>
  [headers["set-cookie"] ?? []]
    .flat()
    .map((line) => line.split(";", 1)[0])
    .join("; ");

/** Opens the page with the form and sends it. */
async function order(url: string): Promise<Answer> {
  const page = await ask(url, "/");
  const hidden = [...page.body.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)];
  const fields = new URLSearchParams(hidden.map(([, name = "", value = ""]) => [name, value]));
  fields.set("tea", "Assam");
  fields.set("cups", "2");
  const headers = { ...FORM, cookie: cookiesOf(page) };
  return ask(url, "/_svc/submit/order-tea", { method: "POST", headers, body: fields.toString() });
}

for (const [name, language] of [
  ["nginx", "nginx"],
  ["caddy", "caddyfile"],
] as const)
  describe(`the documented configuration of ${name}`, { skip: withoutProxy(name) }, () => {
    let server: DemoServer;
    let proxy: Proxy;

    before(async () => {
      await buildDemo(starter);
      const env = { SVC_SITE_URL: ORIGIN, SVC_TRUST_PROXY: "127.0.0.1", SVC_DATABASE_URL: "memory:" };
      server = await startDemo({ app: starter, dataDir: join(folder.path, name), env });
      proxy = await startProxy(name, server.url, folder.path, documented(language));
    });

    after(async () => {
      await proxy?.stop();
      await server?.stop();
    });

    it("lets a form start a graph, and passes on its events at once", async () => {
      const answer = await order(proxy.url);
      assert.equal(answer.status, 303, answer.body);
      const path = String(answer.headers["location"]).replace(ORIGIN, "");
      assert.match(path, /^\/orders\/g_/);
      const page = await ask(proxy.url, path);
      assert.equal(page.status, 200);
      const events = /data-src="(\/_svc\/live\?[^"]+)"/.exec(page.body.replaceAll("&amp;", "&"))?.[1];
      assert.ok(events, "the page follows the run");
      // The stream does not end with the run, so a proxy that buffers it would pass on nothing.
      const stream = await ask(proxy.url, events, { headers: { accept: "text/event-stream" }, until: /^data:/m });
      assert.equal(stream.status, 200);
      assert.match(String(stream.headers["content-type"]), /^text\/event-stream/);
    });

    it("makes cookies secure, and reports the visitor's address", async () => {
      const page = await ask(proxy.url, "/", { headers: { "x-forwarded-for": "203.0.113.9" } });
      assert.match(String(page.headers["set-cookie"]), /Secure/);
      assert.match(String(page.headers["strict-transport-security"]), /max-age/);
    });
  });

describe("an app behind nginx without settings", { skip: withoutProxy("nginx") }, () => {
  after(() => folder.remove());

  it("rejects its forms, and logs the reason and the settings once", async () => {
    await buildDemo(starter);
    const env = { NODE_ENV: "", SVC_SITE_URL: "", SVC_DATABASE_URL: "memory:" };
    const server = await startDemo({ app: starter, dataDir: join(folder.path, "plain"), env });
    const proxy = await startProxy("nginx", server.url, folder.path);
    for (let time = 0; time < 2; time++) assert.equal((await order(proxy.url)).status, 403);
    await proxy.stop();
    await server.stop();
    assert.equal(server.output().split("set SVC_SITE_URL to the public URL").length, 2, server.output());
  });
});
