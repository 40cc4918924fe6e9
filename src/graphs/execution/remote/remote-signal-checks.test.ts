import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseWith } from "../../../platform/shared/schema.ts";
import { AwayChecks } from "./remote-signal-checks.ts";
import type { ToThread } from "./thread-messages.ts";

describe("schemas of remote waits", () => {
  it("validate by number, and the sender is asked to send again if nobody can validate any more", async () => {
    const said: ToThread[] = [];
    const checks = new AwayChecks((message) => said.push(message));
    const schema = checks.schemaOf(7);
    const [first, second, third] = [1, 2, 3].map(async (payload) => parseWith(schema, payload));
    assert.deepEqual(said[1], { type: "check", id: 7, check: 1, payload: 2 });
    checks.checked(1, { value: { value: "two" } });
    checks.checked(0, { value: { issues: [{ message: "no" }] } });
    assert.equal(await second, "two");
    await assert.rejects(first as Promise<unknown>, { code: "SVC_INVALID" });
    checks.close();
    await assert.rejects(third as Promise<unknown>, { code: "SVC_UNAVAILABLE" });
  });
});
