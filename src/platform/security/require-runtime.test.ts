import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { requireRuntime } from "./require-runtime.ts";

describe("a part that needs a supported runtime", () => {
  it("throws SVC_RUNTIME on Bun, and accepts this Node", () => {
    assert.throws(() => requireRuntime({ ...process.versions, bun: "1.4.5" }), { code: "SVC_RUNTIME", message: /Bun/ });
    requireRuntime();
  });
});
