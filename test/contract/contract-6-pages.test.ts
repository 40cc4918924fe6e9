/** Contract section 6: runtime assets and their references in pages. See contract-6-files.test.ts for chunks and public files. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { brotliDecompressSync, gunzipSync, gzipSync } from "node:zlib";
import { describeBothAdapters } from "./both-adapters.ts";
import { openBuiltApp, type BuiltApp } from "./built-app.ts";

const FIXED = ["loader.js", "core.js", "runtime.js", "ui.js", "ui.css", "flow.js"].map((name) => `/_svc/${name}`);

describeBothAdapters("assets", (site) => {
  for (const path of FIXED) {
    it(`Assets: ETag, 304, brotli and gzip prepared at build, Cache-Control: public, max-age=0, must-revalidate on the fixed names (${path})`, async () => {
      const plain = await site.send(path);
      assert.equal(plain.headers.get("cache-control"), "public, max-age=0, must-revalidate");
      const code = Buffer.from(await plain.arrayBuffer());
      const etag = plain.headers.get("etag") ?? "";
      assert.match(etag, /^(?:W\/)?"[^"]+"$/);
      assert.equal((await site.send(path, { headers: { "if-none-match": etag } })).status, 304);
      assert.equal((await site.send(path, { headers: { "if-none-match": '"other"' } })).status, 200);
      for (const [encoding, decode] of [
        ["br", brotliDecompressSync],
        ["gzip", gunzipSync],
      ] as const) {
        const packed = await site.send(path, { headers: { "accept-encoding": encoding } });
        assert.equal(packed.headers.get("content-encoding"), encoding);
        assert.deepEqual(decode(Buffer.from(await packed.arrayBuffer())), code);
      }
    });
  }

  it("loader.js ≤ 0.9 KB gzip", async () => {
    assert.ok(gzipSync(await (await site.send("/_svc/loader.js")).text(), { level: 9 }).length <= 900);
  });

  it("runtime.js = loader + core in one file, for pages that want one request", async () => {
    const [loader, core, runtime] = await Promise.all(
      ["loader", "core", "runtime"].map(async (name) => (await site.send(`/_svc/${name}.js`)).text()),
    );
    assert.ok((runtime ?? "").length > (loader ?? "").length + (core ?? "").length * 0.5);
    // Without static and dynamic imports it is complete, apart from chunks and parts.
    assert.doesNotMatch(runtime ?? "", /core\.js|loader\.js/);
  });

  it("benchmark.json: raw, gzip and brotli bytes of each asset", async () => {
    const metrics = (await (await site.send("/_svc/benchmark.json")).json()) as Record<string, unknown>;
    const text = JSON.stringify(metrics);
    for (const name of ["loader.js", "core.js", "runtime.js"]) assert.ok(text.includes(name), name);
    for (const unit of ["raw", "gzip", "brotli"]) assert.match(text, new RegExp(`"${unit}":\\d+`));
  });

  it("Full-stack only: submits, robots.txt, sitemap.xml, llms.txt. The base app answers 404 there", async () => {
    for (const path of ["/robots.txt", "/sitemap.xml", "/llms.txt"])
      assert.equal((await site.send(path)).status, 404, path);
    assert.equal((await site.client.post("/_svc/submit/x", {})).status, 404);
  });
});

describeBothAdapters(
  "assets in production",
  (site) => {
    it("benchmark.json: 404 in production", async () => {
      assert.equal((await site.send("/_svc/benchmark.json")).status, 404);
    });
  },
  { NODE_ENV: "production" },
);

describe("a built page", () => {
  let built: BuiltApp;
  let page: string;
  let nonce: string;
  before(async () => {
    built = await openBuiltApp();
    const response = await built.client.get("/");
    nonce = /'nonce-([^']+)'/.exec(response.headers.get("content-security-policy") ?? "")?.[1] ?? "";
    page = await response.text();
  });
  after(() => built?.close());

  const scripts = (html: string): RegExpMatchArray[] => [...html.matchAll(/<script([^>]*)>(.*?)<\/script>/gs)];

  it("loader.js: async, the first external script, and nothing else before the first interaction, beside an inline nonce'd stub (≤ 200 B)", () => {
    const [stub, ...others] = scripts(page);
    assert.match(stub?.[1] ?? "", new RegExp(`nonce="${nonce.replaceAll("+", "\\+")}"`));
    assert.ok((stub?.[2] ?? "").length <= 200, `${stub?.[2]?.length} bytes`);
    const external = others.filter(([, attributes]) => attributes?.includes("src="));
    assert.equal(external.length, 1);
    assert.match(external[0]?.[1] ?? "", /async/);
    assert.match(external[0]?.[1] ?? "", /src="\/_svc\/loader\.js"/);
    assert.doesNotMatch(page, /modulepreload|rel="?preload/);
  });

  it("A page with nothing interactive ships no script at all", async () => {
    const plain = await built.client.get("/static");
    assert.deepEqual([scripts(await plain.text()).length, plain.headers.get("set-cookie")], [0, null]);
  });

  it('The state script: <script type="application/json" id="svc-state" nonce> with csrf_token, build, signal values', () => {
    const state = scripts(page).find(([, attributes]) => attributes?.includes('id="svc-state"'));
    assert.match(state?.[1] ?? "", /type="application\/json"/);
    assert.match(state?.[1] ?? "", /nonce="/);
    const { csrf_token: token, build } = JSON.parse(state?.[2] ?? "") as Record<string, unknown>;
    assert.match(String(token), /^[\w-]{20,}$/);
    assert.equal(typeof build, "string");
    assert.match(state?.[2] ?? "", /\\u003c\/script>/i);
  });

  it("The state script: <, U+2028 and U+2029 escaped", () => {
    const state = scripts(page).find(([, attributes]) => attributes?.includes('id="svc-state"'))?.[2] ?? "";
    assert.doesNotMatch(state, /[<\u2028\u2029]/);
    assert.match(state, /\\u2028\\u2029/);
  });

  it("chunks carry a content hash in their name and are immutable", async () => {
    const name = /counter-[\w-]+/.exec(page)?.[0] ?? "";
    assert.match(name, /^counter-[\w-]{8,}$/);
    const chunk = await built.client.get(`/_svc/handler/${name}.js`);
    assert.match(chunk.headers.get("cache-control") ?? "", /immutable/);
  });
});
