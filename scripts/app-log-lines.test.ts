import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { withoutAppLogs } from "./app-log-lines.ts";

describe("The output of a green test group", () => {
  it("contains no JSON log lines of apps", () => {
    const log = '{"level":50,"time":1795465914499,"pid":1,"msg":"A page failed while it was rendered"}';
    assert.equal(withoutAppLogs(`skipped: one\n${log}\n100,000 rows\n${log}`), "skipped: one\n100,000 rows");
  });

  it("keeps JSON that is not a log line", () => {
    assert.equal(withoutAppLogs('{"frames":120}\n{"level":1}'), '{"frames":120}\n{"level":1}');
  });
});
