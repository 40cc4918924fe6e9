/** Makes backups while an app writes. Each is a consistent snapshot, and an app started on one continues from there. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { createApp } from "svckit";
import { graph, worker } from "svckit/graph";
import { temporaryFolder } from "../e2e/demo-server.ts";

const SVC = join(fileURLToPath(import.meta.url), "../../../../bin/svc.js");
const step = worker("step", async (input: number) => input + 1);
const chain = graph("chain", (g) => {
  const first = g.node("first", step);
  const second = g.node("second", step, { after: [first], input: (_input, deps) => Number(deps["first"]) });
  g.node("third", step, { after: [second], input: (_input, deps) => Number(deps["second"]) });
});

const makeApp = (folder: string) =>
  createApp({ graphs: [chain], env: { SVC_DATA_DIR: folder, SVC_LOG_LEVEL: "error" }, drain: { deadline: "1s" } });

/** @returns its output. */
function backUp(folder: string, copy: string): Promise<string> {
  const env = { ...process.env, SVC_DATA_DIR: folder, SVC_DATABASE_URL: "" };
  const child = spawn(process.execPath, [SVC, "backup", copy, "--json"], { env, stdio: ["ignore", "pipe", "inherit"] });
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (more: string) => (text += more));
  return new Promise((done, fail) =>
    child.once("close", (code) => (code === 0 ? done(text) : fail(new Error(`svc backup exited with code ${code}`)))),
  );
}

describe("svc backup", () => {
  const folder = temporaryFolder();
  after(() => folder.remove());

  it("makes a consistent copy while an app writes, and an app continues from the copy", async () => {
    const app = makeApp(join(folder.path, "app"));
    await app.boot();
    let started = 0;
    let isOver = false;
    const load = Array.from({ length: 8 }, async () => {
      // Slow enough for a busy machine to finish the copy.
      for (; !isOver; await sleep(2)) await app.engine.start("chain", started++);
    });
    const restored = join(folder.path, "restored");
    mkdirSync(restored);
    while (started < 200) await new Promise((next) => setImmediate(next));
    const before = started - load.length;
    let afterwards = 0;
    const said = await backUp(join(folder.path, "app"), join(restored, "svc.db")).finally(async () => {
      afterwards = started;
      isOver = true;
      await Promise.all(load);
      await app.close();
    });
    const { graphs } = JSON.parse(said) as { graphs: number };
    assert.ok(graphs >= before && graphs <= afterwards, `${before} <= ${graphs} <= ${afterwards}`);
    assert.ok(afterwards > before + load.length, "the app kept starting runs during the backup");

    const copy = makeApp(restored);
    await copy.boot();
    await copy.engine.idle();
    assert.equal((await copy.engine.list({ worker: "chain", status: "done", limit: 1 })).total, graphs);
    for (let cursor: string | undefined, looked = 0; looked < 3; looked++) {
      const page = await copy.engine.list({ limit: 50, ...(cursor !== undefined && { cursor }) });
      for (const { graph_id: id, input, result } of page.items) {
        const events = await copy.engine.events(id);
        assert.deepEqual(
          events.map(({ seq }) => seq),
          events.map((_, at) => at + 1),
        );
        assert.ok(result !== null, `${id} of ${JSON.stringify(input)}`);
      }
      cursor = page.nextCursor;
    }
    await copy.close();
  });
});
