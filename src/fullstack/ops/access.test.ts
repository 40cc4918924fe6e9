import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { judge, type AccessFacts } from "./access.ts";

const NOBODY: AccessFacts = { signedIn: undefined, hasKey: false, isProduction: true, isLocal: false };

function judged(facts: Partial<AccessFacts>): string {
  const access = judge({ ...NOBODY, ...facts });
  return "denial" in access ? access.denial : `${access.visitor.role} (${access.visitor.name})`;
}

describe("the operators' screens", () => {
  it("are closed in production until there is a key or a word of the app", () => {
    assert.equal(judged({}), "closed");
    assert.equal(judged({ isLocal: true }), "closed");
    assert.equal(judged({ hasKey: true, isLocal: true }), "sign-in");
    assert.equal(judged({ hasKey: true, signedIn: "read" }), "read (read)");
  });

  it("are open in development on this machine alone", () => {
    assert.equal(judged({ isProduction: false, isLocal: true }), "operator (developer)");
    assert.equal(judged({ isProduction: false }), "closed");
    assert.equal(judged({ isProduction: false, hasKey: true }), "sign-in");
  });

  it("obey the app where it says who may see them, in development too", () => {
    assert.equal(judged({ own: { role: "read" }, signedIn: "operator" }), "read (read)");
    assert.equal(judged({ own: { role: undefined }, isProduction: false, isLocal: true }), "forbidden");
    assert.equal(judged({ own: { role: undefined }, hasKey: true }), "sign-in");
    assert.equal(judged({ own: { role: undefined }, signedIn: "operator" }), "operator (operator)");
  });
});
