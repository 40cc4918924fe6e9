import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { describe, it } from "node:test";

/** Waits for the result of a run that is between two attempts, with nothing else to do. */
const SCRIPT = `
  const { createEngine, openStore, systemClock, worker } = await import("svckit/graph");
  let calls = 0;
  const flaky = worker("flaky", { retry: { max: 2, base: "50ms", jitter: false } }, () => {
    if (++calls === 1) throw new Error("no luck");
    return calls;
  });
  const engine = createEngine({ store: await openStore("memory:"), workers: [flaky], clock: systemClock });
  const { snapshot } = await engine.start("flaky", null);
  console.log(await engine.result(snapshot.graph_id));
  if (process.argv[1] === "close") {
    const { snapshot: other } = await engine.start("flaky", null, { delay: "1h" });
    engine.result(other.graph_id);
    await engine.close();
  }
`;

function run(...given: string[]): { status: number | null; output: string } {
  const flags = ["--conditions=svc-modules", "--input-type=module", "-e", SCRIPT, ...given];
  const { status, stdout } = spawnSync(process.execPath, flags, { encoding: "utf8", timeout: 60_000 });
  return { status, output: stdout.trim() };
}

describe("a process that waits for a run's result", () => {
  it("does not exit during the backoff of a retry", () => {
    assert.deepEqual(run(), { status: 0, output: "2" });
  });

  it("exits once the engine is closed", () => {
    assert.equal(run("close").output, "2");
  });
});
