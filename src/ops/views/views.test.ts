import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { GraphEvent, Json, Snapshot } from "../../graph.ts";
import { attemptsOf } from "./runs/attempts.ts";
import { bulkCommands, commandsOf, listCommands, quoted } from "./cli-commands.ts";
import { fingerprint, groupFailures } from "./runs/failures.ts";
import { payloadView, type PayloadNode } from "./runs/payload.ts";
import { chipsOf, graphQueryOf, readRunsQuery } from "./runs/runs-query.ts";
import { sparkline } from "./sparkline.ts";
import { stepViews } from "./runs/allowed-actions.ts";
import type { ClusterQueue } from "../../ops.ts";
import { zoneOf } from "../ops-context.ts";
import { emptyText, rateText } from "./queue-drain.ts";
import { buildMarks, heatOf, heatText } from "./heat.ts";
import {
  agoText,
  bytesText,
  changeText,
  clockText,
  countText,
  durationText,
  momentText,
  ordinalText,
  shareText,
} from "./format.ts";
import { ticksOf } from "./ticker.ts";
import { timelineOf } from "./runs/timeline.ts";

const SNAPSHOT: Snapshot = {
  graph_id: "g_1",
  worker: "audit",
  version: null,
  status: "done",
  phase: "done",
  epoch: 1,
  input: null,
  result: null,
  error: null,
  progress: null,
  summary: null,
  tags: [],
  attributes: {},
  nodes: [],
  edges: [],
  parent: null,
  children: [],
  forked_from: null,
  origin: null,
  concurrency_key: null,
  is_queued: false,
  created_ms: 0,
  due_ms: 0,
  started_ms: 0,
  finished_ms: 1000,
  last_seq: 9,
};

describe("Numbers and durations", () => {
  it("are formatted compactly", () => {
    assert.deepEqual([0, 840, 1240, 59_994, 59_999, 185_000, 7_620_000, 356_400_000].map(durationText), [
      "0 ms",
      "840 ms",
      "1.24 s",
      "60.0 s",
      "1 m 00 s",
      "3 m 05 s",
      "2 h 07 m",
      "4 d 03 h",
    ]);
    assert.deepEqual([agoText(0, 12_000), agoText(200_000, 20_000), agoText(5, 6)], ["12 s ago", "in 3 m", "now"]);
    assert.deepEqual([countText(999), countText(1_204_000)], ["999", "1,204,000"]);
    assert.deepEqual([1, 2, 3, 4, 11, 22, 1003].map(ordinalText), [
      "1st",
      "2nd",
      "3rd",
      "4th",
      "11th",
      "22nd",
      "1,003rd",
    ]);
    assert.deepEqual([bytesText(812), bytesText(4100), bytesText(12_300_000)], ["812 B", "4.1 KB", "12 MB"]);
    assert.deepEqual([shareText(1, 40), shareText(0, 0), shareText(1, 2)], ["2.5 %", "0 %", "50 %"]);
    assert.deepEqual([changeText(112, 100), changeText(3, 5), changeText(93, 3)], ["+12 %", "−40 %", "×31"]);
  });
});

describe("Times in a zone", () => {
  it("are local times, including daylight saving time", () => {
    const ms = Date.UTC(2026, 6, 1, 6, 0, 0, 7);
    assert.equal(momentText(ms), "2026-07-01 06:00:00.007 UTC");
    assert.match(momentText(ms, "Europe/Berlin"), /^2026-07-01 08:00:00\.007 (?:CEST|GMT\+2)$/);
    assert.equal(clockText(Date.UTC(2026, 0, 1, 23), "Europe/Berlin"), "00:00:00.000");
    assert.deepEqual(
      [zoneOf("Europe/Berlin"), zoneOf("Nowhere/Land"), zoneOf("<x>"), zoneOf(undefined)],
      ["Europe/Berlin", "UTC", "UTC", "UTC"],
    );
  });
});

describe("The drain estimate of a queue", () => {
  const queue = (change: Partial<ClusterQueue>): ClusterQueue => ({
    worker: "w",
    paused: false,
    paused_ms: null,
    paused_by: null,
    note: null,
    running: 1,
    waiting: 60,
    oldest_ms: 1,
    ready_per_minute: 0,
    ended_per_minute: 15,
    ...change,
  });

  it("has one unit and follows from the current rates, or says why there is none", () => {
    const texts = [{}, { waiting: 5 }, { waiting: 15 * 200 }, { waiting: 15 * 60 * 72 }].map((one) =>
      emptyText(queue(one)),
    );
    assert.deepEqual(texts, ["in about 4 min", "in under a minute", "in about 3 h", "in about 3 days"]);
    assert.equal(emptyText(queue({ waiting: 0 })), undefined);
    assert.equal(emptyText(queue({ paused: true })), "paused");
    assert.equal(emptyText(queue({ ended_per_minute: 0 })), "no progress");
    const filling = [16.5, 15.2, 5, 0.1].map((ready) => emptyText(queue({ ready_per_minute: ready })));
    assert.deepEqual(filling, ["growing by 1.5 / min", "steady", "in about 6 min", "in about 4 min"]);
    assert.deepEqual([rateText(0), rateText(0.42), rateText(120.4)], ["–", "0.4 / min", "120 / min"]);
  });
});

describe("The activity of graphs over time", () => {
  const step = (at: number, started: number, done: number, failed: number, cancelled = 0) => ({
    at_ms: at * 60_000,
    started,
    done,
    failed,
    cancelled,
  });

  it("is a row per graph, failing ones first, with a level relative to the busiest cell and a failed share", () => {
    const { rows, steps } = heatOf({
      step_ms: 60_000,
      since_ms: 0,
      workers: [
        { worker: "calm", steps: [step(0, 1, 1, 0), step(1, 0, 0, 0)] },
        { worker: "torn", steps: [step(0, 4, 3, 1), step(1, 0, 0, 2, 1)] },
      ],
    });
    assert.deepEqual([steps, rows.map(({ worker }) => worker)], [2, ["torn", "calm"]]);
    assert.deepEqual(
      rows[0]?.cells.map(({ step: at, level, failedShare }) => [at, level, failedShare]),
      [
        [0, 4, 0.25],
        [1, 2, 1],
      ],
    );
    assert.equal(rows[1]?.cells.length, 1);
    assert.equal(
      heatText(rows[0] ?? { started: 0, done: 0, failed: 0, cancelled: 0 }),
      "4 started, 3 done, 3 failed (50 %), 1 cancelled",
    );
  });
});

describe("Build marks", () => {
  const strips = [{ since_ms: 1000 }, { steps: 10, stepMs: 100 }] as const;

  it("are at the start of each build's oldest process, oldest build first", () => {
    const processes = [
      { build: "new", started_ms: 1900 },
      { build: "old", started_ms: 1500 },
      { build: "new", started_ms: 1750 },
    ];
    assert.deepEqual(buildMarks(processes, ...strips), [
      { build: "old", atMs: 1500, share: 0.5 },
      { build: "new", atMs: 1750, share: 0.75 },
    ]);
  });

  it("are omitted if the build started before the strips, even if processes were added later", () => {
    const processes = [
      { build: "old", started_ms: 10 },
      { build: "old", started_ms: 1500 },
    ];
    assert.deepEqual(buildMarks(processes, ...strips), []);
  });

  it("are limited to the newest builds", () => {
    const processes = [1, 2, 3, 4, 5, 6].map((at) => ({ build: String(at), started_ms: 1000 + at }));
    assert.equal(
      buildMarks(processes, ...strips)
        .map(({ build }) => build)
        .join(),
      "3,4,5,6",
    );
  });
});

describe("The activity ticker", () => {
  it("has one line per change of a run, newest first, and no line for the acceptance of a run that starts immediately", () => {
    const waiting = {
      ...SNAPSHOT,
      graph_id: "g_2",
      phase: "running",
      finished_ms: null,
      created_ms: 0,
      started_ms: 5000,
      nodes: [
        {
          id: "approve#ok",
          kind: "wait",
          worker: "approve",
          status: "waiting",
          attempts: 1,
          started_ms: 6000,
          finished_ms: null,
          due_ms: null,
          result_bytes: null,
          error: null,
        },
      ],
    } satisfies Snapshot;
    const quick = ticksOf([{ ...SNAPSHOT, finished_ms: 0 }], 9000);
    assert.deepEqual(
      quick.map(({ word }) => word),
      ["done", "running"],
    );
    const ticks = ticksOf([SNAPSHOT, waiting, waiting], 9000);
    assert.deepEqual(
      ticks.map(({ id, atMs, word, note }) => [id, atMs, word, note]),
      [
        ["g_2", 6000, "waiting", "for ok"],
        ["g_2", 5000, "running", ""],
        ["g_1", 1000, "done", "after 1.00 s"],
        ["g_2", 0, "accepted", ""],
        ["g_1", 0, "running", ""],
      ],
    );
  });
});

describe("The query of the runs list", () => {
  it("is parsed from the URL and passed to the engine, with a chip per filter that removes it", () => {
    const { filter, problems } = readRunsQuery(new URLSearchParams("status=failed&worker=audit&since=24h&id=g_0"), []);
    assert.deepEqual(problems, []);
    assert.deepEqual(graphQueryOf(filter, 86_400_001), {
      status: "failed",
      worker: "audit",
      idPrefix: "g_0",
      sinceMs: 1,
    });
    const chip = chipsOf(filter).find(({ label }) => label === "worker");
    assert.deepEqual(chip, { label: "worker", value: "audit", without: "status=failed&id=g_0&since=24h" });
  });

  it("reports and ignores invalid parameters", () => {
    const { filter, problems } = readRunsQuery(new URLSearchParams("status=dead&since=soon&tag=&worker=a"), []);
    assert.deepEqual(filter, { worker: "a" });
    assert.equal(problems.length, 2);
  });
});

describe("Failures", () => {
  it("are grouped if only IDs, numbers and quoted texts differ", () => {
    assert.equal(fingerprint('No item "ab" in g_0123456789 at 17'), fingerprint('No item "x y" in g_9876543210 at 4'));
    assert.notEqual(fingerprint("No item"), fingerprint("No order"));
  });

  it("are counted per group, the largest first, with the newest of each group and without cancelled runs", () => {
    const failed = (id: string, message: string, atMs: number, reason: "error" | "cancelled" = "error"): Snapshot => ({
      ...SNAPSHOT,
      graph_id: id,
      status: "failed",
      error: { message, reason, node: `fetch/${atMs}` },
      finished_ms: atMs,
    });
    const groups = groupFailures([
      failed("a", "Other", 1),
      failed("b", "HTTP 500 from the shop", 2),
      failed("c", "HTTP 503 from the shop", 3),
      failed("d", "Cancelled", 4, "cancelled"),
    ]);
    assert.deepEqual(
      groups.map(({ count, latest, node, text }) => [count, latest, node, text]),
      [
        [2, "c", "fetch", "from the shop"],
        [1, "a", "fetch", "Other"],
      ],
    );
  });
});

describe("A payload", () => {
  const value: Json = {
    user: "ada",
    password: "hunter2",
    card: { apiKey: "k", note: null },
    tokens: ["a"],
    email: "a@b",
  };

  it("hides secret values in the tree and in the raw text", () => {
    const view = payloadView(value, { keys: ["EMAIL"], isRevealed: false });
    assert.equal(view.redacted, 4);
    for (const secret of ["hunter2", '"k"', "a@b"]) assert.ok(!JSON.stringify(view).includes(secret), secret);
    assert.ok(view.raw.includes("ada"));
  });

  it("shows all values when revealed", () => {
    const view = payloadView(value, { keys: [], isRevealed: true });
    assert.equal(view.redacted, 0);
    assert.ok(view.raw.includes("hunter2"));
  });

  it("has a tree of bounded size with the number of omitted children", () => {
    const many = Array.from({ length: 50_000 }, (_, at) => ({ at }));
    const { root } = payloadView(many, { keys: [], isRevealed: false });
    assert.equal(root.size, "50,000 items");
    assert.ok(root.children.length <= 2000 && root.left === 50_000 - root.children.length);
  });

  it("is searched by key and visible value, and matches open their ancestors", () => {
    const deep: Json = { a: { b: { c: [{ city: "Hamburg" }, 7] } }, other: { deep: { er: 1 } }, password: "hamburg" };
    const view = payloadView(deep, { keys: [], isRevealed: false }, "HAMB");
    const branch = (path: string): PayloadNode | undefined =>
      path
        .split("/")
        .reduce<PayloadNode | undefined>((node, key) => node?.children.find((child) => child.key === key), view.root);
    assert.equal(view.found, 1);
    assert.deepEqual(
      ["a/b", "a/b/c", "a/b/c/0", "other/deep"].map((path) => branch(path)?.isOpen),
      [true, true, true, false],
    );
    assert.deepEqual([branch("a/b/c/0/city")?.isFound, branch("password")?.isFound], [true, false]);
    assert.equal(payloadView(deep, { keys: [], isRevealed: true }, "HAMB").found, 2);
    assert.equal(payloadView(deep, { keys: [], isRevealed: false }, "0").found, 0);
    assert.equal(payloadView(deep, { keys: [], isRevealed: false }).found, 0);
  });

  it("is searched beyond the tree", () => {
    const many = Array.from({ length: 5000 }, (_, at) => ({ at, name: "same" }));
    assert.equal(payloadView(many, { keys: [], isRevealed: false }, "same").found, 5000);
  });

  it("shows a value that equals the placeholder of hidden values as a normal value", () => {
    const { root, redacted } = payloadView(["hidden"], { keys: [], isRevealed: false });
    assert.deepEqual([root.children[0]?.kind, redacted], ["string", 0]);
  });
});

describe("The timeline", () => {
  const event = (type: GraphEvent["type"], node: string, timestampMs: number, data?: Json): GraphEvent => ({
    graphId: "g_1",
    seq: 1,
    type,
    node,
    timestampMs,
    ...(data !== undefined && { data }),
  });
  const node = (id: string): Snapshot["nodes"][number] => ({
    id,
    kind: "node",
    worker: "w",
    status: "done",
    attempts: 1,
    started_ms: null,
    finished_ms: null,
    due_ms: null,
    result_bytes: null,
    error: null,
  });

  it("splits a node into queued, running and retrying segments", () => {
    const events = [
      event("node.ready", "a", 0),
      event("node.started", "a", 200, { attempt: 1 }),
      event("node.retrying", "a", 400, { attempt: 1 }),
      event("node.started", "a", 500, { attempt: 2 }),
      event("node.done", "a", 1000),
    ];
    const { rows, scale } = timelineOf({ ...SNAPSHOT, nodes: [node("a")] }, events, 5000);
    assert.equal(scale.totalMs, 1000);
    assert.deepEqual(
      rows[0]?.segments.map(({ kind, label }) => [kind, label]),
      [
        ["queue", "queue 200 ms"],
        ["run", "run 200 ms"],
        ["retry", "retry 100 ms"],
        ["run", "run 500 ms, attempt 2"],
      ],
    );
    const last = rows[0]?.segments.at(-1);
    assert.ok(last && Math.abs(last.left + last.width - 100) < 0.5);
  });

  it("ends a running attempt when the graph fails, not when it is retried", () => {
    const events: GraphEvent[] = [
      event("node.started", "a", 0, { attempt: 1 }),
      event("node.started", "b", 0, { attempt: 1 }),
      event("node.failed", "b", 1000, { message: "No" }),
      { graphId: "g_1", seq: 1, type: "graph.failed", timestampMs: 1000, data: { message: "No" } },
      event("node.ready", "a", 3_601_000),
      event("node.started", "a", 3_601_000, { attempt: 1 }),
      event("node.done", "a", 3_602_000),
    ];
    const { rows } = timelineOf({ ...SNAPSHOT, nodes: [node("a"), node("b")], finished_ms: 3_602_000 }, events, 0);
    assert.deepEqual(
      rows.find(({ id }) => id === "a")?.segments.map(({ label }) => label),
      ["run 1.00 s", "queue 0 ms", "run 1.00 s"],
    );
    assert.deepEqual(
      attemptsOf(events, "a").map(({ startedMs, endedMs, outcome, message }) => [startedMs, endedMs, outcome, message]),
      [
        [0, 1000, "aborted", undefined],
        [3_601_000, 3_602_000, "done", undefined],
      ],
    );
  });

  it("collapses long gaps and labels them", () => {
    const events = [
      event("node.started", "a", 0),
      event("node.done", "a", 1000),
      event("node.started", "b", 3_601_000),
      event("node.done", "b", 3_602_000),
    ];
    const { rows, scale } = timelineOf(
      { ...SNAPSHOT, nodes: [node("a"), node("b")], finished_ms: 3_602_000 },
      events,
      0,
    );
    assert.deepEqual(
      scale.breaks.map(({ label }) => label),
      ["1 h 00 m"],
    );
    for (const row of rows) assert.ok((row.segments[0]?.width ?? 0) > 40, JSON.stringify(row));
  });

  it("folds the items of a fan-out, and extends active nodes to the current time", () => {
    const ids = Array.from({ length: 30 }, (_, at) => `each/${at}`);
    const events = ids.map((id, at) => event("node.started", id, at));
    const { rows, scale } = timelineOf({ ...SNAPSHOT, finished_ms: null, nodes: ids.map(node) }, events, 1000);
    assert.deepEqual([rows.length, rows.reduce((sum, { folded }) => sum + folded, 0), scale.totalMs], [8, 22, 1000]);
  });

  it("marks the rows of the critical path, including folded items, once the graph has ended", () => {
    const items = Array.from({ length: 12 }, (_, at) => `each/${at}`);
    const events = [
      event("node.started", "a", 0),
      event("node.done", "a", 10),
      event("node.started", "aside", 0),
      event("node.done", "aside", 5),
      ...items.map((id) => event("node.started", id, 10)),
      ...items.map((id, at) => event("node.done", id, 20 + at)),
    ];
    const nodes = ["a", "aside", ...items].map(node);
    const ended: Snapshot = { ...SNAPSHOT, finished_ms: 31, nodes, edges: [["a", "each"]] };
    const { rows, path } = timelineOf(ended, events, 0);
    assert.deepEqual(
      rows.flatMap(({ id, isCritical }) => (isCritical ? [id] : [])),
      ["a", "each/7"],
    );
    assert.deepEqual(
      path.map(({ id }) => id),
      ["a", "each/11"],
    );
    assert.deepEqual(timelineOf({ ...ended, finished_ms: null }, events, 40).path, []);
  });

  it("is empty for a graph without events", () => {
    assert.deepEqual(timelineOf(SNAPSHOT, [], 0).rows, []);
  });
});

describe("The actions of a run", () => {
  it("have a reason if they are not allowed, and are not allowed for readers", () => {
    const refused = (phase: string, role: "read" | "operator"): string[] =>
      stepViews(phase, role).flatMap(({ step, refusal }) => (refusal === undefined ? [] : [step]));
    assert.deepEqual(refused("running", "operator"), ["resume", "retry"]);
    assert.deepEqual(refused("paused", "operator"), ["pause", "retry"]);
    // A compensation that hangs can only be terminated.
    assert.deepEqual(refused("cancelling", "operator"), ["pause", "resume", "cancel", "retry"]);
    assert.deepEqual(refused("failed", "operator"), ["pause", "resume", "cancel", "terminate"]);
    assert.deepEqual(refused("running", "read").length, 5);
  });
});

describe("Copied commands", () => {
  it("are valid shell commands that read the key from a variable", () => {
    const { curl } = commandsOf("http://x", "POST", "/_svc/graphs/g_1/pause", undefined, { note: "it's me" });
    assert.equal(
      curl,
      `curl -X POST -H "Authorization: Bearer $SVC_EXEC_API_KEY" -H 'Content-Type: application/json' ` +
        `-d '{"note":"it'\\''s me"}' http://x/_svc/graphs/g_1/pause`,
    );
    assert.equal(quoted("a b"), "'a b'");
  });

  it("have a CLI form of the list only if the CLI supports all filters", () => {
    assert.equal(
      listCommands("http://x", { status: "failed", worker: "a b", longer: "30s" }, {}).cli,
      "svc graph ls --status failed --worker 'a b' --longer 30s",
    );
    assert.match(listCommands("http://x", { longer: "30s" }, { longer_ms: "30000" }).curl, /\?longer_ms=30000'$/);
    assert.equal(listCommands("http://x", { from: "2026-11-21T10:00:00.000Z" }, {}).cli, undefined);
  });

  it("apply a bulk action to the selected runs, or to all matching runs", () => {
    const all = { step: "cancel", ids: undefined, filter: { status: "running", worker: "a b" } };
    const { curl, cli } = bulkCommands("http://x", all, all.filter);
    assert.match(
      curl,
      /^curl -X POST .* -d '{"action":"cancel","filter":{"status":"running","worker":"a b"}}' http:\/\/x\/_svc\/graphs\/bulk$/,
    );
    assert.equal(cli, "svc graph bulk cancel --status running --worker 'a b' --yes");
    assert.equal(
      bulkCommands("http://x", { ...all, filter: {} }, {}).cli,
      "svc graph bulk cancel --since 1970-01-01 --yes",
    );
    const ticked = bulkCommands("http://x", { ...all, step: "pause", ids: ["g_1", "g_2"] }, {});
    assert.equal(ticked.cli, "svc graph pause g_1\nsvc graph pause g_2");
    assert.match(ticked.curl, /\/_svc\/graphs\/g_1\/pause\ncurl -X POST .*\/_svc\/graphs\/g_2\/pause$/);
  });
});

describe("A sparkline", () => {
  it("fills its box from left to right, and is flat for zeros", () => {
    assert.equal(sparkline([0, 1]).line, "M0 26L120 2");
    assert.equal(sparkline([0, 0, 0]).line, "M0 26L60 26L120 26");
    assert.equal(sparkline([]).line, "");
  });

  it("has gaps for missing values and a dash for a single value, and may share a scale", () => {
    const { line, area, most } = sparkline([0, 4, null, null, 8], 16);
    assert.deepEqual([line, most], ["M0 26L30 20M105 14L120 14", 16]);
    assert.equal(area, "M0 26L30 20L30 28L0 28ZM105 14L120 14L120 28L105 28Z");
    assert.deepEqual([sparkline([null, null]).line, sparkline([null, 3]).line], ["", "M60 2L120 2"]);
  });
});
