import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { urlVerdictText } from "./url-verdict.ts";

const PASSED = { ok: true, host: "a.example", rule: undefined, detail: undefined };

describe("what is thought of an address", () => {
  it("tells each kind that it leads to, and by which rule it is refused", () => {
    const refused = { ...PASSED, ok: false, classes: ["private", "public"], rule: "private", detail: "use another" };
    assert.equal(
      urlVerdictText(refused),
      'a.example leads to an address of a private network, and to one on the public internet. Refused by the rule "private": use another.',
    );
  });

  it("tells of a public address, of none, and of one that is exempt", () => {
    assert.match(urlVerdictText({ ...PASSED, classes: ["public"] }), /on the public internet\. It may be called/);
    assert.match(urlVerdictText({ ...PASSED, classes: [] }), /leads to no address at present/);
    assert.match(urlVerdictText({ ...PASSED, classes: ["loopback"] }), /exempt ranges/);
  });

  it("tells of a text that is no URL by the rule alone", () => {
    const none = { ok: false, host: undefined, classes: [], rule: "scheme", detail: "it must be absolute" };
    assert.equal(urlVerdictText(none), 'Refused by the rule "scheme": it must be absolute.');
  });
});
