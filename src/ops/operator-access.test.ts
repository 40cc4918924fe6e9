import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { decideAccess, type AccessFacts } from "./operator-access.ts";

const NOBODY: AccessFacts = { signedIn: undefined, hasKey: false, hasLink: false };
const READER = { role: "read", name: "read" } as const;
const OPERATOR = { role: "operator", name: "operator" } as const;

function judged(facts: Partial<AccessFacts>): string {
  const access = decideAccess({ ...NOBODY, ...facts });
  return "denial" in access ? access.denial : `${access.visitor.role} (${access.visitor.name})`;
}

describe("the operator screens", () => {
  it("are closed until there is a key, a link, or a decision of the app", () => {
    assert.equal(judged({}), "closed");
    assert.equal(judged({ hasKey: true }), "sign-in");
    assert.equal(judged({ hasLink: true }), "link");
    assert.equal(judged({ hasKey: true, hasLink: true }), "sign-in");
  });

  it("are open to whoever has signed in", () => {
    assert.equal(judged({ hasKey: true, signedIn: READER }), "read (read)");
    assert.equal(judged({ hasLink: true, signedIn: { role: "operator", name: "developer" } }), "operator (developer)");
  });

  it("obey the app where it decides, and open to a key and a link all the same", () => {
    assert.equal(judged({ own: { role: "read" }, signedIn: OPERATOR }), "read (read)");
    assert.equal(judged({ own: { role: undefined } }), "forbidden");
    assert.equal(judged({ own: { role: undefined }, hasLink: true }), "forbidden");
    assert.equal(judged({ own: { role: undefined }, hasKey: true }), "sign-in");
    assert.equal(judged({ own: { role: undefined }, signedIn: OPERATOR }), "operator (operator)");
  });
});
