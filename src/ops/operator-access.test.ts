import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { decideAccess, type AccessFacts } from "./operator-access.ts";

const NOBODY: AccessFacts = { signedIn: undefined, hasKey: false, hasLink: false };
const READER = { role: "read", name: "read" } as const;
const OPERATOR = { role: "operator", name: "operator" } as const;

function decide(facts: Partial<AccessFacts>): string {
  const access = decideAccess({ ...NOBODY, ...facts });
  return "denial" in access ? access.denial : `${access.visitor.role} (${access.visitor.name})`;
}

describe("The operator screens", () => {
  it("are closed without a key, a link or an `authorize` function", () => {
    assert.equal(decide({}), "closed");
    assert.equal(decide({ hasKey: true }), "sign-in");
    assert.equal(decide({ hasLink: true }), "link");
    assert.equal(decide({ hasKey: true, hasLink: true }), "sign-in");
  });

  it("are open to visitors who have signed in", () => {
    assert.equal(decide({ hasKey: true, signedIn: READER }), "read (read)");
    assert.equal(decide({ hasLink: true, signedIn: { role: "operator", name: "developer" } }), "operator (developer)");
  });

  it("follow the app's decision, and still accept a key or a link", () => {
    assert.equal(decide({ own: { role: "read" }, signedIn: OPERATOR }), "read (read)");
    assert.equal(decide({ own: { role: undefined } }), "forbidden");
    assert.equal(decide({ own: { role: undefined }, hasLink: true }), "forbidden");
    assert.equal(decide({ own: { role: undefined }, hasKey: true }), "sign-in");
    assert.equal(decide({ own: { role: undefined }, signedIn: OPERATOR }), "operator (operator)");
  });
});
