import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Worker as Thread } from "node:worker_threads";
import { ExitGate } from "./exit-gate.ts";

describe("the gate of a thread that writes", () => {
  it("holds up the end of the process until what has begun is done, and lets nothing begin from then on", async () => {
    const gate = new ExitGate();
    const done = new Int32Array(new SharedArrayBuffer(4));
    const code = `
      import { parentPort, workerData } from "node:worker_threads";
      const { url, shared, done } = workerData;
      const { ExitGate } = await import(url);
      const gate = new ExitGate(shared);
      gate.enter();
      parentPort.postMessage("at it");
      // As long as a slow commit takes.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
      Atomics.store(done, 0, 1);
      gate.leave();`;
    const url = new URL("exit-gate.js", import.meta.url).href;
    const workerData = { url, shared: gate.shared, done };
    const thread = new Thread(new URL(`data:text/javascript,${encodeURIComponent(code)}`), { workerData });
    await new Promise((resolve) => thread.once("message", resolve));
    assert.equal(Atomics.load(done, 0), 0);
    gate.shut();
    assert.equal(Atomics.load(done, 0), 1);
    assert.equal(new ExitGate(gate.shared).enter(), false);
    await thread.terminate();
  });

  it("holds up nothing where nothing is begun", () => {
    const gate = new ExitGate();
    assert.equal(gate.enter(), true);
    gate.leave();
    gate.shut();
    assert.equal(gate.enter(), false);
  });
});
