/**
 * An app that is killed three times while it delivers webhooks. No acknowledged event is lost, and repeated deliveries keep their id.
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
/** With fewer events, the repeats after a single kill would already exceed one percent. */
const MANY = 20_000;
const KILLS = 3;
/** Maximum number of sent but unrecorded attempts: those in flight, and those that ended after the last commit. */
const UNRECORDED = 64 + 256;
const folder = temporaryFolder();
/** Delivery ids by run, one per arrival. */
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

/** Ids of acknowledged runs. */
const acknowledged = new Set<string>();
/** Number of the last acknowledged run. */
let last = 0;

function startProcess(order: Order): ChildProcess {
  const script = join(fileURLToPath(import.meta.url), "../webhook-process.js");
  return spawn(process.execPath, [script, JSON.stringify(order)], { stdio: ["ignore", "pipe", "inherit"] });
}

/** Runs the app and kills it some time after the first acknowledgement; without a time, until everything is delivered. */
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
  if (killAfterMs === undefined) assert.ok(hasFinished, "the last process delivers everything and exits by itself");
}

describe(`an app killed ${KILLS} times while it delivers ${RATE} events per second`, () => {
  it("loses no acknowledged event and repeats few deliveries, each under one id", async (test) => {
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
