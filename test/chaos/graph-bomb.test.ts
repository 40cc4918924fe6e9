/** A worker that kills its process whenever it is called is tried three times and no more. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { temporaryFolder } from "../e2e/demo-server.ts";
import { BOMB } from "./graph-bomb.ts";

const folder = temporaryFolder();
after(() => folder.remove());

function boot(): { signal: string | null; output: string } {
  const script = join(fileURLToPath(import.meta.url), "../graph-bomb.js");
  const { signal, stdout } = spawnSync(process.execPath, [script, `sqlite:${join(folder.path, "graphs.db")}`], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
    timeout: 10_000,
  });
  return { signal, output: stdout };
}

describe("a worker that kills its process", () => {
  it("is recognized by the next process, and its run fails as poison after three crashes", () => {
    assert.deepEqual(
      [boot(), boot(), boot()].map(({ signal }) => signal),
      ["SIGKILL", "SIGKILL", "SIGKILL"],
    );
    const { signal, output } = boot();
    assert.equal(signal, null);
    const error = JSON.parse(output) as { reason: string; node: string };
    assert.deepEqual([error.reason, error.node], ["poison", BOMB]);
  });
});
