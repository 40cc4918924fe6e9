import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SsrfPolicy } from "../../platform/security/ssrf/ssrf.ts";
import { checkUrl } from "./check-url.ts";

const NAMES: Readonly<Record<string, string[]>> = {
  "hooks.example.com": ["93.184.215.14", "93.184.215.15"],
  "mixed.example.com": ["93.184.215.14", "10.1.2.3"],
  "box.example.com": ["127.0.0.1"],
};

async function judged(url: string, allowCidrs: string[] = []) {
  const policy = new SsrfPolicy({ allowCidrs, exemptUrl: () => "http://127.0.0.1:3000/inbox" });
  const resolve = (name: string): Promise<string[]> => {
    const addresses = NAMES[name];
    return addresses ? Promise.resolve(addresses) : Promise.reject(new Error("ENOTFOUND"));
  };
  const { ok, classes, rule } = await checkUrl(policy, url, resolve);
  return [ok, classes.join(), rule];
}

describe("the URL check", () => {
  it("returns the kinds of addresses behind a name, each kind once", async () => {
    assert.deepEqual(await judged("https://hooks.example.com/in"), [true, "public", undefined]);
    assert.deepEqual(await judged("https://mixed.example.com/in"), [false, "private,public", "private"]);
    assert.deepEqual(await judged("https://box.example.com/in"), [false, "loopback", "loopback"]);
  });

  it("accepts an exempt range, and reports its kind", async () => {
    assert.deepEqual(await judged("https://box.example.com/in", ["127.0.0.0/8"]), [true, "loopback", undefined]);
    assert.deepEqual(await judged("http://127.0.0.1:3000/inbox"), [true, "loopback", undefined]);
  });

  it("checks an address in the URL itself", async () => {
    assert.deepEqual(await judged("http://10.0.0.1/"), [false, "private", "private"]);
    assert.deepEqual(await judged("http://[::1]/"), [false, "not-global", "not-global"]);
  });

  it("accepts a name that does not resolve yet, and does not resolve a URL that is invalid as text", async () => {
    assert.deepEqual(await judged("https://later.example.com/"), [true, "", undefined]);
    assert.deepEqual(await judged("https://printer.local/"), [false, "", "local-name"]);
    assert.deepEqual(await judged("ftp://hooks.example.com/"), [false, "", "scheme"]);
    assert.deepEqual(await judged("nonsense"), [false, "", "scheme"]);
  });
});
