/**
 * The long version of the kill test: 200 kills over 5,000 runs in less than 90 seconds, or as many as requested.
 *
 *   node out/test/chaos/kill-main.js [--kills 200] [--graphs 5000] [--zombies 20] [--seconds 60] [--seed 7]
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { runKills } from "./kill-run.ts";

const { values } = parseArgs({
  options: {
    kills: { type: "string", default: "200" },
    graphs: { type: "string", default: "5000" },
    zombies: { type: "string", default: "20" },
    seconds: { type: "string", default: "86400" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
  },
});
const folder = mkdtempSync(join(tmpdir(), "svc-kills-"));
const beginMs = performance.now();
console.log(`seed ${values.seed}`);
try {
  const report = await runKills({
    folder,
    kills: Number(values.kills),
    graphs: Number(values.graphs),
    zombies: Number(values.zombies),
    seconds: Number(values.seconds),
    seed: Number(values.seed),
    progress: (text) => console.log(`${((performance.now() - beginMs) / 1000).toFixed(0)} s: ${text}`),
  });
  console.log(
    `${report.kills} kills, ${report.zombies} zombies (${report.keptOut} successors blocked by the lock; ${report.lost} zombies lost their file without it, ${report.fenced} of them were fenced): ` +
      `${report.graphs} runs, ${report.nodes} nodes and ${report.outboxRows} outbox rows, each once; ` +
      `${report.repeated} calls repeated, ${((performance.now() - beginMs) / 1000).toFixed(0)} s`,
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
