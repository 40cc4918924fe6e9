import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { bootWarnings } from "./boot-warnings.ts";
import { readConfig, type Environment } from "./config.ts";

function warningsOf(env: Environment, hasOwnServer = true): string[] {
  return bootWarnings(readConfig({ NODE_ENV: "production", ...env }), hasOwnServer);
}

describe("the warnings at the boot", () => {
  it("name both variables of hosts if neither is set in production", () => {
    assert.match(warningsOf({}).join(), /^SVC_SITE_URL and SVC_ALLOWED_HOSTS are not set/);
    assert.deepEqual(warningsOf({ SVC_ALLOWED_HOSTS: "shop.example" }), []);
    assert.deepEqual(warningsOf({ NODE_ENV: "development" }), []);
  });

  it("report an https site without TLS and without a trusted proxy", () => {
    const site = { SVC_SITE_URL: "https://shop.example" };
    assert.match(warningsOf(site).join(), /SVC_TRUST_PROXY is not set/);
    assert.deepEqual(warningsOf({ ...site, SVC_TRUST_PROXY: "10.0.0.0/8" }), []);
    assert.deepEqual(warningsOf(site, false), [], "mounted in a server that may have TLS");
  });

  it("report an http site in production, except on this machine", () => {
    assert.match(warningsOf({ SVC_SITE_URL: "http://shop.example" }).join(), /without encryption/);
    assert.deepEqual(warningsOf({ SVC_SITE_URL: "http://localhost:3000" }), []);
  });
});
