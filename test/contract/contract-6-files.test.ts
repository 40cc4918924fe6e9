/** Contract section 6: chunks and public files of a built app, from a folder in the format of `svc build`. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { brotliCompressSync, brotliDecompressSync } from "node:zlib";
import { createFixture } from "./app.ts";

const dist = mkdtempSync(join(tmpdir(), "svc-dist-"));
const CODE = `export const h0 = () => "${"x".repeat(500)}";`;
const fixture = createFixture();
const { client } = fixture;

mkdirSync(join(dist, "client", "handler"), { recursive: true });
mkdirSync(join(dist, "public", "img"), { recursive: true });
writeFileSync(join(dist, "manifest.json"), JSON.stringify({ build: "b1", chunks: {}, actions: ["echo"] }));
writeFileSync(join(dist, "client", "handler", "counter-1a2b3c4d.js"), CODE);
writeFileSync(join(dist, "client", "handler", "counter-1a2b3c4d.js.br"), brotliCompressSync(CODE));
writeFileSync(join(dist, "client", "handler", "counter-00000000.js"), "export {};");
writeFileSync(join(dist, "public", "app.css"), "body{}");
writeFileSync(join(dist, "public", "img", "a b.svg"), "<svg/>");
writeFileSync(join(dist, "public", "spa.html"), "<!doctype html><script>begin()</script>");
await fixture.app.boot({ dist });
after(async () => {
  await fixture.close();
  rmSync(dist, { recursive: true, force: true });
});

const CHUNK = "/_svc/handler/counter-1a2b3c4d.js";

describe("chunks", () => {
  it("chunks carry a content hash in their name and are immutable, with an entity tag and 304", async () => {
    const response = await client.get(CHUNK);
    assert.equal(await response.text(), CODE);
    assert.equal(response.headers.get("content-type"), "text/javascript; charset=utf-8");
    assert.equal(response.headers.get("cache-control"), "public, max-age=31536000, immutable");
    const again = await client.get(CHUNK, { "if-none-match": response.headers.get("etag") ?? "" });
    assert.equal(again.status, 304);
  });

  it("are sent as compressed at build time, if the client accepts that", async () => {
    const response = await client.get(CHUNK, { "accept-encoding": "gzip, br" });
    assert.equal(response.headers.get("content-encoding"), "br");
    assert.equal(response.headers.get("vary"), "accept-encoding");
    assert.equal(brotliDecompressSync(Buffer.from(await response.arrayBuffer())).toString(), CODE);
    assert.equal((await client.get(CHUNK, { "accept-encoding": "br;q=0" })).headers.get("content-encoding"), null);
  });

  it("Several builds' chunks may be served at once (a page from before a deploy goes on working)", async () => {
    assert.equal((await client.get("/_svc/handler/counter-00000000.js")).status, 200);
  });

  for (const name of ["counter-ffffffff.js", "..%2F..%2Fmanifest.json", "counter-1a2b3c4d.js.br", "%2e%2e", "a/b.js"]) {
    it(`Unknown or ill-formed chunk 404: ${name}`, async () => {
      assert.ok([400, 404].includes((await client.get(`/_svc/handler/${name}`)).status));
      assert.ok([400, 404].includes((await client.get(`/_svc/island/${name}`)).status));
    });
  }
});

describe("public files", () => {
  it("are served at the root and revalidated each time", async () => {
    const response = await client.get("/app.css");
    assert.equal(response.headers.get("content-type"), "text/css; charset=utf-8");
    assert.equal(response.headers.get("cache-control"), "public, max-age=0, must-revalidate");
    assert.equal(await (await client.get("/img/a%20b.svg")).text(), "<svg/>");
  });

  it("are read-only", async () => {
    const response = await client.request("/app.css", { method: "POST" });
    assert.equal(response.status, 405);
    assert.equal(response.headers.get("allow"), "GET, HEAD");
  });

  it("in HTML may run scripts of this site, and those that they contain, under a policy without a nonce", async () => {
    const policy = (await client.get("/spa.html")).headers.get("content-security-policy") ?? "";
    const hash = createHash("sha256").update("begin()").digest("base64");
    assert.ok(policy.includes(`script-src 'self' 'sha256-${hash}';`), policy);
  });

  it("do not expose files beside their folder", async () => {
    for (const path of ["/manifest.json", "/..%2fmanifest.json", "/img", "/img/"]) {
      assert.ok([400, 404].includes((await client.get(path)).status), path);
    }
  });
});

describe("the fallback", () => {
  const HTML = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };

  it("answers unknown paths with a public file, for clients that prefer HTML, and leaves the other paths alone", async () => {
    const other = createFixture({}, { fallback: "/spa.html" });
    await other.app.boot({ dist });
    const found = await other.client.get("/settings/profile", HTML);
    assert.equal(found.status, 200);
    assert.match(await found.text(), /begin\(\)/);
    assert.match(found.headers.get("content-security-policy") ?? "", /script-src 'self' 'sha256-/);
    assert.equal((await other.client.get("/assets/gone.js")).status, 404);
    assert.equal((await other.client.get("/_svc/nothing", HTML)).status, 404);
    assert.equal((await other.client.request("/settings", { method: "POST", headers: HTML })).status, 404);
    assert.equal(await (await other.client.get("/app.css", HTML)).text(), "body{}");
    await other.close();
  });

  for (const fallback of ["/missing.html", "spa.html"])
    it(`that is no path of a public file fails the boot: ${fallback}`, async () => {
      const other = createFixture({}, { fallback });
      await assert.rejects(other.app.boot({ dist }), /fallback is .*it must be the path of a public file/);
      await other.close();
    });
});

describe("a build", () => {
  it("that calls an unregistered action fails the boot, and the error names the action", async () => {
    writeFileSync(
      join(dist, "manifest.json"),
      JSON.stringify({ build: "b2", chunks: {}, actions: ["echo", "missing"] }),
    );
    const other = createFixture();
    await assert.rejects(other.app.boot({ dist }), /Browser code calls missing/);
    await other.close();
  });

  it("that does not exist fails the boot, and the error names the command to run", async () => {
    const other = createFixture();
    await assert.rejects(other.app.boot({ dist: join(dist, "nowhere") }), /run "svc build" first/);
    await other.close();
  });
});
