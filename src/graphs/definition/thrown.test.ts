import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FinalError } from "./final-error.ts";
import { messageOf, readableError } from "./thrown.ts";

const revoked = (): unknown => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
};

/** An error whose property throws when it is read. */
const spiked = (key: string): Error =>
  Object.defineProperty(new Error("card declined"), key, {
    get: () => {
      throw new Error("spike");
    },
  });

describe("readableError", () => {
  it("returns a readable value as it is", () => {
    for (const value of [new Error("a"), new FinalError("b"), "text", null, undefined, 7, { message: "plain" }])
      assert.equal(readableError(value), value);
  });

  it("replaces an object without a prototype, a revoked proxy and an error with a throwing getter", () => {
    for (const value of [Object.create(null), revoked(), spiked("message"), spiked("name"), spiked("stack")]) {
      const error = readableError(value);
      assert.ok(error instanceof Error);
      assert.ok(messageOf(error).length > 0);
    }
  });

  it("keeps the message of an error of which another property can't be read", () => {
    assert.equal(messageOf(readableError(spiked("retryAfter"))), "card declined");
  });

  it("keeps that an error is final", () => {
    const error = Object.defineProperty(new FinalError("no"), "message", { get: () => assert.fail() });
    assert.ok(readableError(error) instanceof FinalError);
  });
});

describe("messageOf", () => {
  it("never throws", () => {
    for (const value of [Object.create(null), revoked(), spiked("message"), Symbol("s")])
      assert.equal(typeof messageOf(value), "string");
  });
});
