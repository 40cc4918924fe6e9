import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Snapshot } from "../../graph.ts";
import { flowParts, FlowView } from "./flow-graph.tsx";
import type { Flow } from "./load-widgets.ts";
import { nodeLabel } from "./picture.tsx";
import { flowView, nodeTally, nodeWord, summaryText } from "./graph-view.ts";

type Row = Snapshot["nodes"][number];

function shown(flow: Omit<Flow, "topic">): string {
  const topic = { topic: "graph", id: flow.view.id } as const;
  const live = () => ({ "data-src": "/", "data-topic": "" });
  return String(FlowView({ flow: { ...flow, topic }, title: undefined, show: "both", live }));
}

function row(id: string, status: Row["status"], more: Partial<Row> = {}): Row {
  const kind = id.includes("#") ? "step" : "node";
  const times = { started_ms: null, finished_ms: null, due_ms: null };
  return {
    id,
    kind,
    worker: id.split(/[/#]/)[0] ?? id,
    status,
    attempts: 1,
    error: null,
    result_bytes: null,
    ...times,
    ...more,
  };
}

function snapshot(nodes: Row[], edges: [string, string][], more: Partial<Snapshot> = {}): Snapshot {
  return {
    graph_id: "g_1",
    worker: "order",
    version: null,
    status: "running",
    phase: "running",
    epoch: 1,
    input: null,
    result: null,
    error: null,
    progress: null,
    summary: null,
    tags: [],
    attributes: {},
    nodes,
    edges,
    parent: null,
    children: [],
    forked_from: null,
    origin: null,
    concurrency_key: null,
    is_queued: false,
    created_ms: 1,
    due_ms: 1,
    started_ms: 1,
    finished_ms: null,
    last_seq: 9,
    ...more,
  };
}

function items(counts: Partial<Record<Row["status"], number>>): Row[] {
  const statuses = Object.entries(counts).flatMap(([status, count]) =>
    Array.from({ length: count }, () => status as Row["status"]),
  );
  return statuses.map((status, number) => row(`shrink/${number}`, status));
}

const EDGES: [string, string][] = [
  ["list", "shrink"],
  ["shrink", "pack"],
];

describe("The view of a graph", () => {
  it("has all nodes of the definition in order, even before they have rows", () => {
    const { nodes } = flowView(snapshot([row("list", "ready")], EDGES));
    assert.deepEqual(
      nodes.map(({ name, status }) => [name, status]),
      [
        ["list", "queued"],
        ["shrink", "queued"],
        ["pack", "queued"],
      ],
    );
  });

  it("folds a fan-out of any size into one node with counts, the most urgent first", () => {
    const view = flowView(snapshot(items({ done: 120, running: 5, failed: 3 }), EDGES));
    const shrink = view.nodes.find(({ name }) => name === "shrink");
    assert.ok(shrink);
    assert.deepEqual(
      [...(shrink.counts ?? [])],
      [
        ["failed", 3],
        ["running", 5],
        ["done", 120],
      ],
    );
    assert.equal(nodeLabel(shrink), "shrink: running, 3 failed, 5 running, 120 done");
    assert.match(shown({ view, nodeHref: undefined, nowMs: 5 }), /×128 {2}3 ✕ {2}5 ◐ {2}120 ✓/);
  });

  it("shows the size of a node's result at its edges and in the list, or only in the list if no successor uses it", () => {
    const ended = { finished_ms: 9 };
    const pages = Array.from({ length: 3 }, (_, at) => row(`shrink/${at}`, "done", { ...ended, result_bytes: 1000 }));
    const rows = [row("list", "done", { ...ended, result_bytes: 840 }), ...pages, row("pack", "running")];
    const view = flowView(snapshot(rows, EDGES));
    assert.deepEqual(
      view.nodes.map(({ resultBytes }) => resultBytes),
      [840, 3004, undefined],
    );
    const html = shown({ view, nodeHref: undefined, nowMs: 5 });
    assert.deepEqual(
      [...html.matchAll(/class="svc-edge-size"[^>]*>([^<]+)</g)].map(([, size]) => size),
      ["840 B", "3.0 KB", "840 B", "3.0 KB"],
      "in both forms of the picture",
    );
    assert.deepEqual(
      [...html.matchAll(/class="svc-row-size">([^<]+)</g)].map(([, size]) => size),
      ["result 840 B", "result 3.0 KB"],
    );
    assert.match(html, /<title>list: done, result 840 B<\/title>/);
    const last = [
      row("list", "done", { ...ended, result_bytes: 840 }),
      row("shrink", "skipped"),
      row("pack", "skipped"),
    ];
    const stopped = flowView(snapshot(last, EDGES));
    const skipped = shown({ view: stopped, nodeHref: undefined, nowMs: 5 });
    assert.doesNotMatch(skipped, /svc-edge-size/);
    assert.match(skipped, /class="svc-row-size">result 840 B</);
    const items = [row("shrink/0", "done", { ...ended, result_bytes: 9 }), row("shrink/1", "running")];
    assert.equal(flowView(snapshot(items, EDGES)).nodes[1]?.resultBytes, undefined);
  });

  it("shows a fan-out as failed only when none of its items is active", () => {
    const statusOf = (rows: Row[]) =>
      flowView(snapshot(rows, EDGES)).nodes.find(({ name }) => name === "shrink")?.status;
    assert.equal(statusOf(items({ done: 3, failed: 1, pending: 1 })), "running");
    assert.equal(statusOf(items({ done: 3, failed: 1 })), "failed");
    assert.equal(statusOf(items({ done: 3 })), "done");
    assert.equal(statusOf(items({ done: 3, retrying: 1 })), "retrying");
    assert.equal(statusOf(items({ pending: 3 })), "queued");
    assert.equal(statusOf(items({ done: 3, skipped: 1 })), "done");
  });

  it("shows an interrupted fan-out as such, and does not count it as done", () => {
    const view = (counts: Partial<Record<Row["status"], number>>) =>
      flowView(snapshot(items(counts), EDGES, { status: "failed", phase: "failed", finished_ms: 9 }));
    const torn = view({ done: 4, cancelled: 4, pending: 4 });
    assert.equal(torn.nodes.find(({ name }) => name === "shrink")?.status, "cancelled");
    assert.match(summaryText(torn), /^0 of 3 nodes done/);
    const short = view({ done: 4, pending: 4 });
    assert.equal(short.nodes.find(({ name }) => name === "shrink")?.status, "unrun");
    const undone = view({ done: 1, compensated: 4, uncompensated: 1 });
    assert.equal(undone.nodes.find(({ name }) => name === "shrink")?.status, "uncompensated");
  });

  it("shows an empty fan-out as done once a successor has started", () => {
    const rows = [row("list", "done", { started_ms: 1 }), row("pack", "running", { started_ms: 2 })];
    const shrink = flowView(snapshot(rows, EDGES)).nodes.find(({ name }) => name === "shrink");
    assert.equal(shrink?.status, "done");
  });

  it("distinguishes branches that were taken from those that never will be", () => {
    const rows = [row("list", "done"), row("shrink", "skipped"), row("pack", "pending")];
    const { edges } = flowView(snapshot(rows, [...EDGES, ["list", "pack"]]));
    assert.deepEqual(
      edges.map(({ state }) => state),
      ["untaken", "untaken", "open"],
    );
  });

  it("shows nodes that were still queued when the graph ended as not run", () => {
    const error = { message: "no", reason: "error" as const };
    const ended = { status: "failed", phase: "failed", error, finished_ms: 9 } as const;
    const view = flowView(snapshot([row("list", "failed"), row("pack", "pending")], EDGES, ended));
    assert.equal(summaryText(view), "0 of 3 nodes done, 1 failed: list, 2 not run: shrink, pack");
  });

  it("keeps the steps of a worker with its node", () => {
    const { nodes } = flowView(snapshot([row("list", "running"), row("list#fetch", "done")], EDGES));
    assert.deepEqual(
      nodes[0]?.inner.map(({ label, status }) => [label, status]),
      [["fetch", "done"]],
    );
  });

  it("is summarized in one sentence", () => {
    const rows = [row("list", "done"), ...items({ done: 1, failed: 1 }), row("pack", "waiting")];
    assert.equal(summaryText(flowView(snapshot(rows, EDGES))), "1 of 3 nodes done, 1 failed: shrink, 1 waiting: pack");
  });

  it("has the same counts as the summary, plus the items of fan-outs", () => {
    const rows = [row("list", "done"), ...items({ done: 1, failed: 1 }), row("list#fetch", "done")];
    assert.deepEqual(nodeTally(snapshot(rows, EDGES)), { done: 1, nodes: 3, itemsDone: 1, items: 2 });
    const begun = [row("list", "done"), row("pack", "done", { started_ms: 2 })];
    assert.deepEqual(nodeTally(snapshot(begun, EDGES)), { done: 3, nodes: 3, itemsDone: 0, items: 0 });
  });

  it("shows the attempt of a node, with the maximum unless it is done", () => {
    const words = (status: Row["status"], attempts: number): string[] => {
      const view = flowView(snapshot([row("list", status, { attempts })], EDGES), new Map([["list", 3]]));
      return view.nodes.slice(0, 1).map(nodeWord);
    };
    assert.deepEqual(words("running", 1), ["running"]);
    assert.deepEqual(words("running", 2), ["running, try 2 of 3"]);
    assert.deepEqual(words("failed", 3), ["failed, try 3 of 3"]);
    assert.deepEqual(words("running", 4), ["running, try 4"], "retried manually");
    assert.deepEqual(words("done", 2), ["done, try 2"]);
    assert.equal(flowView(snapshot([row("list", "failed")], EDGES)).nodes[0]?.tries, undefined);
  });

  it("distinguishes a cancelled graph from a failed one", () => {
    const error = { message: "Cancelled by an operator", reason: "cancelled" as const };
    assert.equal(flowView(snapshot([], EDGES, { status: "failed", phase: "failed", error })).status, "cancelled");
    assert.equal(flowView(snapshot([], EDGES, { phase: "cancelling" })).status, "cancelling");
  });

  it("escapes names and messages of nodes everywhere", () => {
    const hostile = `<b>"&'`;
    const rows = [row(hostile, "failed", { error: { message: hostile, reason: "error" } })];
    const view = flowView(snapshot(rows, [], { worker: hostile }));
    const html = shown({ view, nodeHref: "/x?n=:node", nowMs: 5 });
    assert.doesNotMatch(html, /<b>/);
    assert.match(html, /href="\/x\?n=%3Cb%3E%22%26&#39;"|href="\/x\?n=%3Cb%3E%22%26'"/);
  });

  it("consists of parts that are independent of the time, and each is in the widget under its name", () => {
    const rows = [row("list", "done", { started_ms: 1, finished_ms: 4 }), row("pack", "running", { started_ms: 2 })];
    const view = flowView(snapshot(rows, EDGES));
    const html = shown({ view, nodeHref: undefined, nowMs: 5000 });
    for (const [name, part] of flowParts(view, undefined)) {
      assert.match(part, new RegExp(`data-part="${name.replaceAll(">", "(?:>|&gt;)")}"`));
      assert.ok(html.includes(part.slice(0, part.indexOf(">"))), name);
    }
    assert.deepEqual(flowParts(view, undefined), flowParts(view, undefined));
  });
});
