import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { OpenSession } from "./session.ts";

declare module "./session.ts" {
  interface SessionData {
    user?: string;
    basket?: string[];
  }
}

const opened = (): OpenSession => new OpenSession({ id: "known-to-an-attacker", text: '{"basket":["book"]}' });

describe("signIn", () => {
  it("sets the value, changes the id and keeps the other data", () => {
    const session = opened();
    session.signIn("user", "ada");
    assert.match(session.id ?? "", /^[0-9a-f]{32}$/);
    assert.notEqual(session.id, session.loaded.id);
    assert.deepEqual([session.get("user"), session.get("basket")], ["ada", ["book"]]);
  });

  it("begins a session for a visitor without one, and changes the id at each call", () => {
    const session = new OpenSession({ id: undefined, text: "{}" });
    const ids = ["ada", "grace"].map((user) => {
      session.signIn("user", user);
      return session.id;
    });
    assert.equal(new Set([undefined, ...ids]).size, 3);
  });

  it("is an error once the head of the response was sent", () => {
    const session = opened();
    session.close();
    assert.throws(() => session.signIn("user", "ada"), { code: "SVC_TOO_LATE" });
    assert.equal(session.get("user"), undefined);
    assert.equal(session.id, session.loaded.id);
  });
});
