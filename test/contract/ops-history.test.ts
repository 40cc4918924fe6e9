/** The runs list over a long history. The test reports how long a page takes; tests in src/storage check the query plans. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { App } from "svckit";
import { openStore } from "svckit/graph";
import type { TestClient } from "svckit/testing";
import { localClient, opsSample } from "./ops-app.ts";

/** Few in `npm test`; set OPS_RUNS=100000 for a full measurement. */
const COUNT = Number(process.env["OPS_RUNS"] ?? 2000);
const SLICE = 2000;
const BASE32 = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
/** A run every half minute, the last one now. */
const STEP_MS = 30_000;

let folder: string;
let app: App;
let client: TestClient;

/** An ID with a timestamp (src/platform/shared/id-time.ts). */
function idOf(atMs: number, number: number): string {
  let time = "";
  for (let left = atMs; time.length < 10; left = Math.floor(left / 32)) time = (BASE32[left % 32] ?? "0") + time;
  return `g_${time}${String(number).padStart(16, "0")}`;
}

async function fill(url: string): Promise<void> {
  const { graphs, close } = await opened(url);
  const beginMs = Date.now() - COUNT * STEP_MS;
  for (let from = 0; from < COUNT; from += SLICE)
    await Promise.all(
      Array.from({ length: Math.min(SLICE, COUNT - from) }, (_, at) => {
        const number = from + at;
        const atMs = beginMs + number * STEP_MS;
        const status = number % 10 === 3 ? "failed" : "done";
        const id = idOf(atMs, number);
        return graphs.commit({
          graphId: id,
          insert: {
            id,
            worker: number % 4 === 0 ? "nightly-report" : "order",
            status,
            phase: status,
            epoch: 1,
            pauseNo: 0,
            input: { number },
            result: null,
            error: status === "failed" ? { message: `No route to host ${number}`, reason: "error" } : undefined,
            progress: undefined,
            tags: [`shop-${number % 7}`],
            idempotencyKey: undefined,
            definition: "d",
            createdMs: atMs,
            dueMs: atMs,
            startedMs: atMs,
            finishedMs: atMs + 700,
            priority: 0,
            parentGraph: undefined,
            parentNode: undefined,
            forkedFrom: undefined,
            version: undefined,
            timeoutMs: undefined,
            deadlineMs: undefined,
            summary: undefined,
            origin: undefined,
            concurrencyKey: undefined,
            queuePosition: undefined,
            admittedMs: undefined,
            expiresMs: undefined,
            fairnessKey: undefined,
            fairnessCost: undefined,
            attributes: undefined,
          },
          events: [{ graphId: id, type: "graph.queued", timestampMs: atMs }],
        });
      }),
    );
  await close();
}

async function opened(url: string) {
  const store = await openStore(url);
  return { graphs: store.graphs, close: () => store.close() };
}

describe(`The list of ${COUNT} runs`, () => {
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "svc-ops-"));
    const url = `sqlite:${join(folder, "runs.db")}`;
    await fill(url);
    app = opsSample({ env: { SVC_DATABASE_URL: url } });
    await app.boot();
    client = localClient(app);
  });
  after(async () => {
    await app.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const pages: [name: string, path: string, holds: RegExp][] = [
    ["all", "/runs", new RegExp(`${COUNT.toLocaleString("en")} runs`)],
    ["by status", "/runs?status=failed", new RegExp(`${(COUNT / 10).toLocaleString("en")} runs`)],
    ["by worker", "/runs?worker=nightly-report", new RegExp(`${(COUNT / 4).toLocaleString("en")} runs`)],
    ["by tag", "/runs?tag=shop-3", /\d runs|or more run/],
    ["by time", "/runs?since=1h", /1\d\d runs/],
    ["by end", "/runs?ended=1h", /1\d\d runs/],
    ["by error", "/runs?status=failed&error=no+route", /failed/],
    ["the overview", "", /Latest runs/],
  ];
  for (const [name, path, holds] of pages)
    it(`shows a page of ${name}`, async (test) => {
      const times: number[] = [];
      let text = "";
      for (let round = 0; round < 5; round++) {
        const began = performance.now();
        const answer = await client.get(`/_svc/ops${path}`);
        text = await answer.text();
        times.push(performance.now() - began);
        assert.equal(answer.status, 200);
      }
      assert.match(text, holds);
      assert.ok((text.match(/<tr/g) ?? []).length < 80);
      test.diagnostic(`${name}: ${Math.min(...times).toFixed(1)} ms at best, ${text.length} characters`);
    });

  it("can be paged to its end by cursors", async () => {
    let seen = 0;
    let path: string | undefined = "/_svc/ops/runs?since=1h";
    while (path !== undefined) {
      const text = await (await client.get(path)).text();
      seen += (text.match(/name="run"/g) ?? []).length;
      path = /href="([^"]+)" rel="next"/.exec(text)?.[1]?.replaceAll("&amp;", "&");
    }
    assert.ok(seen >= 118 && seen <= 121, String(seen));
  });
});
