import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { requireDiskSync, requireRuntime } from "./require-runtime.ts";

const fails = (code: string) => (): void => {
  throw Object.assign(new Error("a file system error"), { code });
};

describe("a part that needs a supported runtime", () => {
  it("throws SVC_RUNTIME on Bun, and accepts this Node", () => {
    assert.throws(() => requireRuntime({ ...process.versions, bun: "1.4.5" }), { code: "SVC_RUNTIME", message: /Bun/ });
    requireRuntime();
  });

  it("throws SVC_RUNTIME where Node's permission model disables syncs, and accepts other errors of a probe", () => {
    assert.throws(() => requireDiskSync(fails("ERR_ACCESS_DENIED")), { code: "SVC_RUNTIME", message: /--permission/ });
    requireDiskSync(fails("EBADF"));
    requireDiskSync();
  });
});
