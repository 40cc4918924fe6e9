import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { urlVerdictText } from "./url-verdict.ts";

const PASSED = { ok: true, host: "a.example", rule: undefined, detail: undefined };

describe("The verdict about a webhook URL", () => {
  it("names each address class, and the rule that rejects it", () => {
    const refused = { ...PASSED, ok: false, classes: ["private", "public"], rule: "private", detail: "use another" };
    assert.equal(
      urlVerdictText(refused),
      'a.example resolves to an address of a private network, and to one on the public internet. Rejected by the rule "private": use another.',
    );
  });

  it("describes public, missing and exempt addresses", () => {
    assert.match(urlVerdictText({ ...PASSED, classes: ["public"] }), /on the public internet\. It is allowed/);
    assert.match(urlVerdictText({ ...PASSED, classes: [] }), /currently resolves to no address/);
    assert.match(urlVerdictText({ ...PASSED, classes: ["loopback"] }), /exempt ranges/);
  });

  it("names only the rule for a text that is not a URL", () => {
    const none = { ok: false, host: undefined, classes: [], rule: "scheme", detail: "it must be absolute" };
    assert.equal(urlVerdictText(none), 'Rejected by the rule "scheme": it must be absolute.');
  });
});
