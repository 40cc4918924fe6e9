import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { GraphEvent, Json, Snapshot } from "../../../graph.ts";
import { commandsOf, listCommands, quoted } from "./commands.ts";
import { fingerprint, groupFailures } from "./failures.ts";
import { payloadView } from "./payload.ts";
import { chipsOf, graphQueryOf, readRunsQuery } from "./runs-query.ts";
import { sparkline } from "./sparkline.ts";
import { stepViews } from "./steps.ts";
import { agoText, bytesText, changeText, countText, durationText, shareText } from "./text.ts";
import { timelineOf } from "./timeline.ts";

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
  tags: [],
  nodes: [],
  edges: [],
  parent: null,
  children: [],
  forked_from: null,
  created_ms: 0,
  due_ms: 0,
  started_ms: 0,
  finished_ms: 1000,
  last_seq: 9,
};

describe("numbers and times for people", () => {
  it("are short, and of one width where they stand in columns", () => {
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
    assert.deepEqual([bytesText(812), bytesText(4100), bytesText(12_300_000)], ["812 B", "4.1 KB", "12 MB"]);
    assert.deepEqual([shareText(1, 40), shareText(0, 0), shareText(1, 2)], ["2.5 %", "0 %", "50 %"]);
    assert.deepEqual([changeText(112, 100), changeText(3, 5), changeText(1, 0)], ["+12 %", "−40 %", undefined]);
  });
});

describe("the query of the runs list", () => {
  it("goes from the address to the engine, with a chip for each filter that leads to the list without it", () => {
    const { filter, problems } = readRunsQuery(new URLSearchParams("status=failed&worker=audit&since=24h&id=g_0"));
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

  it("tells of what it can't read, and leaves it out", () => {
    const { filter, problems } = readRunsQuery(new URLSearchParams("status=dead&since=soon&tag=&worker=a"));
    assert.deepEqual(filter, { worker: "a" });
    assert.equal(problems.length, 2);
  });
});

describe("failures", () => {
  it("are one where only ids, numbers and quoted texts differ", () => {
    assert.equal(fingerprint('No item "ab" in g_0123456789 at 17'), fingerprint('No item "x y" in g_9876543210 at 4'));
    assert.notEqual(fingerprint("No item"), fingerprint("No order"));
  });

  it("are counted by what failed, the most first, with the newest of each; cancelled ones are not among them", () => {
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

describe("payloads", () => {
  const value: Json = {
    user: "ada",
    password: "hunter2",
    card: { apiKey: "k", note: null },
    tokens: ["a"],
    email: "a@b",
  };

  it("don't show what a key or the app calls secret, in the tree and in the raw text", () => {
    const view = payloadView(value, { keys: ["EMAIL"], isRevealed: false });
    assert.equal(view.redacted, 4);
    for (const secret of ["hunter2", '"k"', "a@b"]) assert.ok(!JSON.stringify(view).includes(secret), secret);
    assert.ok(view.raw.includes("ada"));
  });

  it("show all to who has asked for it", () => {
    const view = payloadView(value, { keys: [], isRevealed: true });
    assert.equal(view.redacted, 0);
    assert.ok(view.raw.includes("hunter2"));
  });

  it("of any size make a tree of bounded size, which tells what is left out", () => {
    const many = Array.from({ length: 50_000 }, (_, at) => ({ at }));
    const { root } = payloadView(many, { keys: [], isRevealed: false });
    assert.equal(root.size, "50,000 items");
    assert.ok(root.children.length <= 2000 && root.left === 50_000 - root.children.length);
  });

  it("with a value that reads like what stands for hidden ones are shown as they are", () => {
    const { root, redacted } = payloadView(["hidden"], { keys: [], isRevealed: false });
    assert.deepEqual([root.children[0]?.kind, redacted], ["string", 0]);
  });
});

describe("the timeline", () => {
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
    error: null,
  });

  it("cuts a node into what it waited, ran and waited to be tried again", () => {
    const events = [
      event("node.ready", "a", 0),
      event("node.started", "a", 200, { attempt: 1 }),
      event("node.retrying", "a", 400, { attempt: 1 }),
      event("node.started", "a", 500, { attempt: 2 }),
      event("node.done", "a", 1000),
    ];
    const { rows, totalMs } = timelineOf({ ...SNAPSHOT, nodes: [node("a")] }, events, 5000);
    assert.equal(totalMs, 1000);
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

  it("leaves out long stretches in which nothing ran, and says so", () => {
    const events = [
      event("node.started", "a", 0),
      event("node.done", "a", 1000),
      event("node.started", "b", 3_601_000),
      event("node.done", "b", 3_602_000),
    ];
    const { rows, breaks } = timelineOf(
      { ...SNAPSHOT, nodes: [node("a"), node("b")], finished_ms: 3_602_000 },
      events,
      0,
    );
    assert.deepEqual(
      breaks.map(({ label }) => label),
      ["1 h 00 m"],
    );
    for (const row of rows) assert.ok((row.segments[0]?.width ?? 0) > 40, JSON.stringify(row));
  });

  it("folds the items of a fan-out, and draws what has not ended to now", () => {
    const ids = Array.from({ length: 30 }, (_, at) => `each/${at}`);
    const events = ids.map((id, at) => event("node.started", id, at));
    const { rows, totalMs } = timelineOf({ ...SNAPSHOT, finished_ms: null, nodes: ids.map(node) }, events, 1000);
    assert.deepEqual([rows.length, rows.reduce((sum, { folded }) => sum + folded, 0), totalMs], [8, 22, 1000]);
  });

  it("of a graph without events is empty", () => {
    assert.deepEqual(timelineOf(SNAPSHOT, [], 0).rows, []);
  });
});

describe("steps", () => {
  it("that a graph does not allow say why, and readers may take none", () => {
    const refused = (phase: string, role: "read" | "operator"): string[] =>
      stepViews(phase, role).flatMap(({ step, refusal }) => (refusal === undefined ? [] : [step]));
    assert.deepEqual(refused("running", "operator"), ["resume", "retry"]);
    assert.deepEqual(refused("paused", "operator"), ["pause", "retry"]);
    assert.deepEqual(refused("failed", "operator"), ["pause", "resume", "cancel"]);
    assert.deepEqual(refused("running", "read").length, 4);
  });
});

describe("commands", () => {
  it("are what a shell takes, with the key left to a variable", () => {
    const { curl } = commandsOf("http://x", "POST", "/_svc/graphs/g_1/pause", undefined, { note: "it's me" });
    assert.equal(
      curl,
      `curl -X POST -H "Authorization: Bearer $SVC_EXEC_API_KEY" -H 'Content-Type: application/json' ` +
        `-d '{"note":"it'\\''s me"}' http://x/_svc/graphs/g_1/pause`,
    );
    assert.equal(quoted("a b"), "'a b'");
  });

  it("of the list are told in the command line's words only where it has them", () => {
    assert.equal(
      listCommands("http://x", { status: "failed", worker: "a b" }).cli,
      "svc graph ls --status failed --worker 'a b'",
    );
    assert.equal(listCommands("http://x", { error: "x" }).cli, undefined);
  });
});

describe("sparklines", () => {
  it("fill their box from left to right, and lie flat where nothing was", () => {
    assert.equal(sparkline([0, 1]).line, "M0 26L120 2");
    assert.equal(sparkline([0, 0, 0]).line, "M0 26L60 26L120 26");
    assert.equal(sparkline([]).line, "");
  });
});
