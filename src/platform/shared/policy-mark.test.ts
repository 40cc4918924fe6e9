import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { policyMark } from "./policy-mark.ts";

const POLICY = "default-src 'self'; script-src 'self' 'nonce-abc' 'strict-dynamic'";

describe("the fingerprint of a policy", () => {
  it("is equal for all nonces, and for hashes instead of them", () => {
    assert.equal(policyMark(POLICY), policyMark(POLICY.replace("abc", "x+/=")));
    assert.equal(policyMark(POLICY), policyMark("default-src 'self'; script-src 'self' 'sha256-x+/=' 'sha512-y'"));
  });

  it("is equal over HTTPS, where the policy names a reporting endpoint", () => {
    assert.equal(policyMark(`${POLICY}; report-uri /a`), policyMark(`${POLICY}; report-uri /a; report-to svc`));
  });

  for (const other of [
    `${POLICY}; sandbox`,
    `${POLICY}, sandbox`,
    POLICY.replace("'self'", "*"),
    `${POLICY} 'unsafe-hashes'`,
    "",
  ])
    it(`differs from that of ${JSON.stringify(other)}`, () => {
      assert.notEqual(policyMark(POLICY), policyMark(other));
    });
});
