import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Started } from "../../app/app-types.ts";
import type { ClusterQueue, Status } from "../../app/observability/operations-types.ts";
import type { Snapshot } from "../../graphs/machine/view-types.ts";
import { SvcError } from "../../platform/shared/errors.ts";
import { PATHS } from "../../platform/shared/wire.ts";
import { createApp } from "../../app/app.ts";
import { worker } from "../../graphs/definition/definition.ts";
import { FinalError } from "../../graphs/definition/final-error.ts";
import { GraphClient } from "../graph/graph-client.ts";
import { createOutput } from "../output.ts";
import type { Environment } from "../command.ts";
import { topCommand } from "./top-command.ts";
import { topLines } from "./top-text.ts";
import { processTerminal, top, type Terminal, type TopTask } from "./top.ts";

const read = (args: readonly string[], env: Environment) => topCommand.read(args, { cwd: "/srv", env, nowMs: 0 });
const KEY = "a-key-for-the-operator";
let started: Started;

/** A terminal of that size, which ends after a number of refreshes. */
function terminal(columns: number, rows: number, looks: number): Terminal & { texts: string[] } {
  const texts: string[] = [];
  let left = looks - 1;
  return {
    texts,
    write: (text) => void texts.push(text),
    room: () => ({ columns, rows }),
    wait: () => Promise.resolve(left-- <= 0),
    close: () => undefined,
  };
}

async function shown(isTTY: boolean, where: Terminal, command: Partial<TopTask> = {}): Promise<string[]> {
  const lines: string[] = [];
  const sink = { isTTY, write: (text: string) => void lines.push(text) };
  const all = { url: started.url, json: false, intervalMs: 1000, times: undefined, ...command };
  const client = new GraphClient({ url: started.url, apiKey: KEY });
  assert.equal(await top(all, client, createOutput(sink, sink, { NO_COLOR: "1" }), where), 0);
  return lines;
}

describe("svc top", () => {
  before(async () => {
    const app = createApp({
      env: { SVC_DATABASE_URL: "memory:", SVC_SECRET: "s".repeat(32), SVC_EXEC_API_KEY: KEY, SVC_LOG_LEVEL: "error" },
      workers: [
        worker("refuse", () => {
          throw new FinalError("the shop is closed, and stays so for a long long time, they say");
        }),
        worker("asked", (_: null, ctx) => ctx.waitFor("answer")),
      ],
      schedules: [{ name: "nightly", cron: "0 3 * * *", worker: "refuse" }],
    });
    started = await app.start({ host: "127.0.0.1", port: 0 });
    await app.engine.start("refuse", null);
    await app.engine.idle();
    await app.engine.start("asked", null);
    await app.engine.queues.pause("asked");
  });
  after(() => started.close());

  it("fills a terminal with running, waiting and failed runs, and restores it afterwards", async () => {
    const where = terminal(80, 24, 2);
    await shown(true, where);
    const [enter, first = "", second, leave] = where.texts;
    assert.ok(enter?.includes("?1049h") && leave?.includes("?1049l") && second?.startsWith("\u001b[H"));
    assert.match(first, /last hour 2 started {2}0 done {2}1 failed \(100\.0 %\)/);
    assert.match(first, /refuse +g_\w+ .*the shop is closed/);
    assert.match(first, /asked +\d+ .*paused/);
    assert.match(first, /QUEUE .*IN\/MIN +OUT\/MIN +EMPTY/);
    assert.match(first, /nightly +refuse +in /);
    assert.match(first, /process +memory \d+ MB +event-loop lag p99 (?:–|[\d.]+ ms)/);
  });

  it("lists processes if there are several, and the latency of their database", async () => {
    const client = new GraphClient({ url: started.url, apiKey: KEY });
    const status = await client.get<Status>(PATHS.status);
    const [one = assert.fail()] = status.processes;
    const other = { ...one, host: "box-4/12", role: "web", loop_p99_ms: 1234.4, memory_bytes: null };
    const view = { at_ms: Date.now(), queues: [], schedules: [], failed: [], running: [] };
    const many = { ...status, processes: [one, other], database_bytes: 123_400_000 };
    const lines = topLines("http://x", { ...view, status: many }, { columns: 120, rows: 30 }, (_, text) => text);
    assert.match(lines.join("\n"), /database 123 MB/);
    assert.match(lines.join("\n"), /PROCESS .*\n.*\nbox-4\/12 +web +1234 ms +– /);
    const alone = topLines("http://x", { ...view, status }, { columns: 120, rows: 30 }, (_, text) => text);
    assert.doesNotMatch(alone.join("\n"), /PROCESS /);
  });

  it("estimates when a queue will be empty, or reports that it grows", async () => {
    const client = new GraphClient({ url: started.url, apiKey: KEY });
    const status = await client.get<Status>(PATHS.status);
    const known = await client.get<{ queues: ClusterQueue[] }>(PATHS.queues);
    const [one = assert.fail()] = known.queues;
    const queue = { ...one, paused: false, waiting: 30, oldest_ms: null, ended_per_minute: 40 };
    const queues = [10, 50].map((ready) => ({ ...queue, worker: `in-${ready}`, ready_per_minute: ready }));
    const view = { at_ms: Date.now(), queues, schedules: [], failed: [], running: [], status };
    const lines = topLines("http://x", view, { columns: 120, rows: 30 }, (_, text) => text).join("\n");
    assert.match(lines, /in-10 +30 +– +\d+ +10 +40 +in 1/);
    assert.match(lines, /in-50 +30 +– +\d+ +50 +40 +growing/);
  });

  it("counts nodes of the definition, and items of fan-outs separately", async () => {
    const client = new GraphClient({ url: started.url, apiKey: KEY });
    const status = await client.get<Status>(PATHS.status);
    const known = await client.get<{ graphs: Snapshot[] }>(PATHS.graphs);
    const [graph = assert.fail()] = known.graphs;
    const [row = assert.fail()] = graph.nodes;
    const edges: Snapshot["edges"] = [
      ["list", "inspect"],
      ["inspect", "sum"],
    ];
    const rowOf = (id: string, word: string): typeof row => ({
      ...row,
      id,
      kind: id.includes("#") ? "step" : "node",
      status: word as typeof row.status,
      started_ms: word === "pending" ? null : 1,
    });
    const shownAs = (rows: readonly [id: string, word: string][]): string => {
      const run = { ...graph, progress: null, nodes: rows.map(([id, word]) => rowOf(id, word)), edges };
      const view = { at_ms: Date.now(), queues: [], schedules: [], failed: [], running: [run], status };
      const lines = topLines("http://x", view, { columns: 120, rows: 30 }, (_, text) => text);
      return / (\d+ of .*)$/m.exec(lines.join("\n"))?.[1] ?? "";
    };
    const begun: [string, string][] = [
      ["list", "done"],
      ["inspect/0", "done"],
      ["inspect/1", "running"],
      ["inspect/1#fetch", "done"],
      ["inspect/2", "done"],
      ["sum", "pending"],
    ];
    assert.equal(shownAs(begun), "1 of 3, 2 of 3 items");
    assert.equal(shownAs([["list", "done"]]), "1 of 3");
    const empty: [string, string][] = [
      ["list", "done"],
      ["sum", "running"],
    ];
    assert.equal(shownAs(empty), "2 of 3");
  });

  it("never exceeds the size of its terminal", async () => {
    for (const [columns, rows] of [
      [40, 10],
      [20, 5],
      [200, 60],
    ] as const) {
      const where = terminal(columns, rows, 1);
      await shown(true, where);
      const lines = (where.texts[1] ?? "").replace("\u001b[H", "").split("\r\n");
      assert.ok(lines.length <= rows, `${lines.length} of ${rows}`);
      for (const line of lines)
        assert.ok(line.replaceAll("\u001b[K", "").replaceAll("\u001b[J", "").length <= columns, line);
    }
  });

  it("writes a line of JSON per refresh without a terminal, or on request", async () => {
    for (const [isTTY, json] of [
      [false, false],
      [true, true],
    ] as const) {
      const where = terminal(80, 24, 9);
      const lines = await shown(isTTY, where, { json, times: 2 });
      assert.deepEqual([lines.length, where.texts.length], [2, 0]);
      const { status, failed } = JSON.parse(lines[0] ?? "") as { status: { status: string }; failed: unknown[] };
      assert.deepEqual([status.status, failed.length], ["ready", 1]);
    }
  });

  it("fails with a remedy if access is denied", async () => {
    const client = new GraphClient({ url: started.url, apiKey: "another" });
    const output = createOutput({ write: () => undefined });
    const command = { url: started.url, json: true, intervalMs: 1, times: 1 };
    await assert.rejects(top(command, client, output, terminal(80, 24, 1)), { code: "SVC_UNAUTHORIZED" });
  });

  it("keeps the last data while the server is unavailable, and continues when it is back", async () => {
    const client = new GraphClient({ url: started.url, apiKey: KEY });
    const get = client.get.bind(client);
    let looks = 0;
    client.get = (path: string) => {
      if (path !== PATHS.status || ++looks !== 2) return get(path);
      return Promise.reject(new SvcError("SVC_UNAVAILABLE", "Nothing answers there"));
    };
    const where = terminal(120, 24, 3);
    const output = createOutput({ isTTY: true, write: () => undefined }, undefined, { NO_COLOR: "1" });
    assert.equal(
      await top({ url: "http://x", json: false, intervalMs: 1, times: undefined }, client, output, where),
      0,
    );
    const words = where.texts.map((text) => /http:\/\/x {2}(.*?) {2}/.exec(text)?.[1]);
    assert.deepEqual(words, [undefined, "ready", "no response since", "ready", undefined]);
  });

  it("leaves no listener behind after a refresh", async () => {
    const { wait, close } = processTerminal();
    const warned: string[] = [];
    const note = ({ name }: Error): void => void warned.push(name);
    process.on("warning", note);
    for (let look = 0; look < 20; look++) assert.equal(await wait(0), false);
    await new Promise((done) => setImmediate(done));
    process.off("warning", note);
    close();
    assert.deepEqual(warned, []);
  });

  it("rejects invalid options", () => {
    for (const args of [["--interval", "0"], ["--times", "0"], ["here"], ["--nope"]])
      assert.equal(read(args, {}).kind, "usageError", args.join(" "));
    assert.equal(read(["--help"], {}).kind, "help");
    const reading = read(["--interval", "0.5", "--times", "3"], { PORT: "8080" });
    assert.deepEqual(reading.kind === "run" && reading.task, {
      url: "http://127.0.0.1:8080",
      json: false,
      intervalMs: 500,
      times: 3,
    });
  });
});
