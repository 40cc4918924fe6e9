/**
 * An app killed three times while it delivers: of what was acknowledged nothing is lost, and what arrives twice has one id.
 *
 *   WEBHOOK_SECONDS=60 WEBHOOK_RATE=500 node --test out/test/chaos/webhook-kill.test.js
 */
import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { temporaryFolder } from "../e2e/demo-server.ts";
import type { Order } from "./webhook-process.ts";

const SECONDS = Number(process.env["WEBHOOK_SECONDS"] ?? 3);
const RATE = Number(process.env["WEBHOOK_RATE"] ?? 100);
/** Of fewer, what one kill repeats is already more than a hundredth. */
const MANY = 20_000;
const KILLS = 3;
/** What can be sent and not on record: attempts under way, and those that have ended since the last commit. */
const UNRECORDED = 64 + 256;
const folder = temporaryFolder();
/** Ids of deliveries by graph, one for each time that one arrived. */
const arrived = new Map<string, string[]>();
const receiver = createServer((request, response) => {
  let body = "";
  request.setEncoding("utf8");
  request.on("data", (text: string) => (body += text));
  request.on("end", () => {
    const { graph_id: graph } = JSON.parse(body) as { graph_id: string };
    arrived.set(graph, [...(arrived.get(graph) ?? []), String(request.headers["x-svc-delivery"])]);
    response.writeHead(204).end();
  });
});
after(() => {
  receiver.closeAllConnections();
  receiver.close();
  folder.remove();
});

/** Graphs that a process acknowledged, and the last one's number. */
const acknowledged = new Set<string>();
let last = 0;

function startProcess(order: Order): ChildProcess {
  const script = join(fileURLToPath(import.meta.url), "../webhook-process.js");
  return spawn(process.execPath, [script, JSON.stringify(order)], { stdio: ["ignore", "pipe", "inherit"] });
}

/** Runs for a while from the first acknowledgement on, then kills; without one until all is delivered. */
async function run(url: string, killAfterMs?: number): Promise<void> {
  const to = killAfterMs === undefined ? 0 : Number.MAX_SAFE_INTEGER;
  const child = startProcess({ folder: folder.path, url, from: last + 1, to, perSecond: RATE });
  const exited = new Promise<number | null>((resolve) => child.once("exit", (code) => resolve(code)));
  let hasFinished = false;
  let timer: NodeJS.Timeout | undefined;
  for await (const line of createInterface({ input: child.stdout! })) {
    if (line === "finished") hasFinished = true;
    const [, number, graph] = /^\+(\d+) (g_\w+)$/.exec(line) ?? [];
    if (number === undefined || graph === undefined) continue;
    acknowledged.add(graph);
    last = Math.max(last, Number(number));
    timer ??= setTimeout(() => child.kill("SIGKILL"), killAfterMs);
  }
  await exited;
  clearTimeout(timer);
  if (killAfterMs === undefined) assert.ok(hasFinished, "the last process delivers all and ends by itself");
}

describe(`an app killed ${KILLS} times while it delivers ${RATE} events a second`, () => {
  it("loses nothing it acknowledged; what arrives twice does so under one id, and is little", async (test) => {
    await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
    for (let kill = 0; kill < KILLS; kill++) await run(url, (SECONDS * 1000) / KILLS);
    await run(url);
    const total = acknowledged.size;
    assert.ok(total > KILLS, `${total} acknowledged`);
    const lost = [...acknowledged].filter((graph) => !arrived.has(graph));
    assert.deepEqual(lost, []);
    let repeated = 0;
    for (const [graph, ids] of arrived) {
      assert.equal(new Set(ids).size, 1, `${graph} arrived as ${ids.join(" and ")}`);
      repeated += ids.length - 1;
    }
    const share = (100 * repeated) / total;
    test.diagnostic(`${total} acknowledged; ${repeated} arrived twice (${share.toFixed(2)} %)`);
    assert.ok(repeated <= KILLS * UNRECORDED, `${repeated} arrived twice`);
    if (total >= MANY) assert.ok(share < 1, `${share} % arrived twice`);
  });
});
