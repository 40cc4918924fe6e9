import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { nodeRow } from "../../../storage/contract/sample-rows.testkit.ts";
import { isFinalError } from "../../definition/final-error.ts";
import { recordedError, requireSameCall, stepFailure } from "./recorded-step.ts";

const row = { ...nodeRow("g", "n#k"), kind: "step" as const, status: "done" as const };

describe("a recorded step", () => {
  it("of an older version, which stored all calls as steps, is accepted by ctx.tx and ctx.artifact", () => {
    for (const call of ["step", "tx", "artifact"] as const) requireSameCall(row, "n#k", call);
    assert.throws(() => requireSameCall(row, "n#k", "wait"), /"k" of ctx\.waitFor in "n" has an outcome of ctx\.step/);
  });

  it("of this version is accepted by its own call only", () => {
    requireSameCall({ ...row, doneSeq: 3 }, "n#k", "step");
    assert.throws(() => requireSameCall({ ...row, doneSeq: 3 }, "n#k", "tx"), /ctx\.tx .* ctx\.step/);
    assert.throws(() => requireSameCall({ ...row, doneSeq: 3, kind: "tx" }, "n#k", "step"), /ctx\.step .* ctx\.tx/);
  });

  it("returns its error with name, message, and what retries read", () => {
    const cause = Object.assign(new Error("declined"), { name: "CardError", isFinal: true, retryAfter: "5s" });
    const error = recordedError({ ...row, error: stepFailure("n#k", cause) });
    assert.deepEqual(
      [error.name, error.message, isFinalError(error), (error as { retryAfter?: unknown }).retryAfter],
      ["CardError", "declined", true, "5s"],
    );
  });
});
