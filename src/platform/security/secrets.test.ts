import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import fc from "fast-check";
import { isEqualSecret, isSigned, loadOrCreateSecret, sign } from "./secrets.ts";

describe("signatures", () => {
  it("are HMAC-SHA256 in base64url over purpose and value", () => {
    // printf 'p\0v' | openssl dgst -sha256 -hmac key -binary | basenc --base64url, without padding
    assert.equal(sign(["key"], "p", "v"), "6nO8i0mM6_bCs2wU_c-ovd3sx-WUNODg2O5pxWqS_AA");
  });

  it("are valid for the same secret, purpose and value only", () => {
    const signature = sign(["secret"], "purpose", "value");
    assert.equal(isSigned(["secret"], "purpose", "value", signature), true);
    assert.equal(isSigned(["other"], "purpose", "value", signature), false);
    assert.equal(isSigned(["secret"], "other", "value", signature), false);
    assert.equal(isSigned(["secret"], "purpose", "other", signature), false);
    assert.equal(isSigned(["secret"], "purpose", "value", ""), false);
    // 43 characters, the last of which does not fit into 43 bytes.
    for (const other of [`${signature.slice(0, -1)}ü`, `ü${signature.slice(1)}`, signature.toLowerCase()]) {
      assert.equal(isSigned(["secret"], "purpose", "value", signature), true);
      assert.equal(isSigned(["secret"], "purpose", "value", other), false, other);
    }
  });

  it("of previous secrets stay valid; new ones use the current secret", () => {
    const old = sign(["old"], "purpose", "value");
    assert.equal(isSigned(["new", "older", "old"], "purpose", "value", old), true);
    assert.equal(isSigned(["new", "older"], "purpose", "value", old), false);
    assert.equal(sign(["new", "old"], "purpose", "value"), sign(["new"], "purpose", "value"));
  });

  it("separate the purpose from the value", () => {
    assert.notEqual(sign(["secret"], "ab", "c"), sign(["secret"], "a", "bc"));
  });

  it("are compared correctly for texts of any length", () => {
    fc.assert(fc.property(fc.string(), fc.string(), (a, b) => isEqualSecret(a, b) === (a === b)));
    fc.assert(fc.property(fc.string({ unit: "grapheme" }), (text) => isEqualSecret(text, text)));
  });
});

describe("the site's secret", () => {
  let dir: string;
  before(async () => void (dir = await mkdtemp(join(tmpdir(), "svc-secret-"))));
  after(() => rm(dir, { recursive: true, force: true }));

  it("is created once, readable by its owner only, and found again", async () => {
    const dataDir = join(dir, "fresh", "deep");
    const secret = loadOrCreateSecret(dataDir);
    assert.match(secret, /^[0-9a-f]{64}$/);
    assert.equal(loadOrCreateSecret(dataDir), secret);
    assert.equal((await stat(join(dataDir, "secret"))).mode & 0o777, 0o600);
    assert.deepEqual(await readdir(dataDir), ["secret"], "no draft is left behind");
  });

  it("may be written by a user, with the line end of their editor", async () => {
    await writeFile(join(dir, "secret"), "a secret of one's own\n");
    assert.equal(loadOrCreateSecret(dir), "a secret of one's own");
    assert.equal(await readFile(join(dir, "secret"), "utf8"), "a secret of one's own\n");
  });

  it("is rejected if it is empty or guessable, because anyone could sign then", async () => {
    for (const text of ["", "\n", "short"]) {
      await writeFile(join(dir, "secret"), text);
      assert.throws(() => loadOrCreateSecret(dir), { code: "SVC_CONFIG", message: /Delete the file/ });
    }
  });

  it("names the variable of the data directory if that can't be used", async () => {
    await writeFile(join(dir, "file"), "");
    assert.throws(() => loadOrCreateSecret(join(dir, "file", "data")), {
      code: "SVC_CONFIG",
      message: /^The data directory ".*" can't be used: ENOTDIR.*Set SVC_DATA_DIR to a folder/,
    });
  });

  it("is the same for processes that start concurrently", async () => {
    const dataDir = join(dir, "race");
    const script = join(dir, "race.mjs");
    const module = new URL("./secrets.js", import.meta.url).href;
    await writeFile(
      script,
      `import { loadOrCreateSecret } from ${JSON.stringify(module)};
       process.once("message", () => process.send(loadOrCreateSecret(${JSON.stringify(dataDir)}), () => process.disconnect()));
       process.send("ready");`,
    );
    const children = Array.from({ length: 4 }, () => fork(script, { execArgv: [] }));
    const exits = children.map((child) => once(child, "exit"));
    await Promise.all(children.map((child) => once(child, "message")));
    const secrets = children.map((child) => once(child, "message"));
    for (const child of children) child.send("go");
    const found = new Set((await Promise.all(secrets)).map(([secret]) => String(secret)));
    await Promise.all(exits);
    assert.deepEqual([...found], [loadOrCreateSecret(dataDir)]);
  });
});
