/** Runs and their events as text lines. */
import type { NodeDetail, Snapshot } from "../../graphs/machine/view-types.ts";
import { attributeText } from "../../graphs/definition/attribute-text.ts";
import type { WireEvent } from "./graph-client.ts";
import { treeLines, type TreeNode } from "./graph-tree.ts";
import { columns, facts, type Output } from "../output.ts";

const COLORS: Record<string, "green" | "red" | "cyan" | "dim"> = {
  done: "green",
  failed: "red",
  running: "cyan",
  skipped: "dim",
  pending: "dim",
  queued: "dim",
};

export function printGraphs(output: Output, graphs: readonly Snapshot[], total: number): void {
  if (graphs.length === 0) return output.line("No runs");
  const rows = graphs.map((graph) => {
    const { graph_id, worker, status, created_ms, progress, summary } = graph;
    const share = progress && status === "running" ? `  ${percent(progress.value)}` : "";
    const label = summary === null ? "" : `  ${output.style("dim", summary)}`;
    return [graph_id, worker, statusText(output, shownStatus(graph)), `${timeText(created_ms)}${share}${label}`];
  });
  for (const line of columns(rows)) output.line(line);
  if (total > graphs.length) output.line(output.style("dim", `${graphs.length} of ${total}; --limit shows more`));
}

/** @param origin origin of the error, if it is known. */
export function printGraph(output: Output, graph: Snapshot, origin: NodeDetail["origin"] = null): void {
  const { graph_id, worker, status, phase, epoch, created_ms, started_ms, finished_ms, error, tags, summary } = graph;
  const { concurrency_key: key } = graph;
  output.line(`${output.style("bold", graph_id)}  ${statusText(output, shownStatus(graph)).trimEnd()}`);
  const tookMs = started_ms === null || finished_ms === null ? undefined : finished_ms - started_ms;
  facts(output, [
    ["worker", worker],
    ...(summary === null ? [] : ([["summary", summary]] as const)),
    ["origin", originText(graph)],
    ...(phase === status ? [] : ([["phase", phase]] as const)),
    ...(epoch === 1 ? [] : ([["epoch", String(epoch)]] as const)),
    ...(key === null ? [] : ([["key", key === "" ? "all runs" : key]] as const)),
    ...(tags.length === 0 ? [] : ([["tags", tags.join(", ")]] as const)),
    ...attributesFact(graph),
    ["created", timeText(created_ms)],
    ...(tookMs === undefined ? [] : ([["took", durationText(tookMs)]] as const)),
    ...(error === null
      ? []
      : ([["error", `${error.message}${error.node === undefined ? "" : ` (${error.node})`}`]] as const)),
    ...(origin?.causes ?? []).map((cause) => ["caused by", cause] as const),
    ...(origin?.place === undefined ? [] : ([["thrown at", origin.place]] as const)),
  ]);
  output.line();
  const lines = treeLines(foldedNodes(graph), graph.edges, output.isAscii);
  const width = Math.max(...lines.map(({ head }) => head.length));
  for (const { head, label, note } of lines) {
    const behind = note === "" ? "" : `  ${output.style("dim", note)}`;
    output.line(`  ${head.padEnd(width)}  ${colored(output, label)}${behind}`);
  }
}

function attributesFact({ attributes }: Snapshot): [string, string][] {
  const texts = Object.entries(attributes).map(([name, value]) => attributeText(name, value));
  return texts.length === 0 ? [] : [["attributes", texts.join(" ")]];
}

function originText({ origin, parent, forked_from: forkedFrom }: Snapshot): string {
  const which =
    origin?.name ?? (origin?.kind === "fork" ? forkedFrom : origin?.kind === "graph" ? parent?.graph_id : null);
  return [origin?.kind ?? "unknown", ...(which == null ? [] : [which])].join(" ");
}

/** One line for each node and each key of its steps. Items of a fan-out are counted by status. */
function foldedNodes({ nodes, edges }: Snapshot): TreeNode[] {
  const statuses = new Map<string, string[]>();
  for (const { id, status } of nodes) {
    const name = id.replaceAll(/\/\d+/g, "");
    statuses.set(name, [...(statuses.get(name) ?? []), status]);
  }
  // A fan-out without items so far appears only in the edges.
  for (const name of edges.flat()) if (!statuses.has(name)) statuses.set(name, ["pending"]);
  return [...statuses].map(([name, all]) => {
    const each = [...new Set(all)];
    const status = MOST_INFORMATIVE.find((one) => each.includes(one)) ?? each[0] ?? "pending";
    if (all.length === 1) return { name, status, label: status };
    const counts = each.map((one) => `${all.filter((other) => other === one).length} ${one}`);
    return { name, status, label: counts.join(", ") };
  });
}

/** The status that represents a fan-out with mixed items: the first of these that occurs. */
const MOST_INFORMATIVE = ["failed", "running", "retrying", "waiting", "pending", "ready"];

export function eventLine(output: Output, event: WireEvent): string {
  const { seq: _seq, type, node, timestamp_ms, graph_id: _id, ...data } = event;
  const time = output.style("dim", new Date(timestamp_ms).toISOString().slice(11, 23));
  const label = Object.entries(data)
    .map(([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join(" ");
  const color = COLORS[type.split(".")[1] ?? ""];
  const what = color === undefined ? type : output.style(color, type);
  return [
    time,
    what,
    ...(node === undefined ? [] : [node]),
    ...(label === "" ? [] : [output.style("dim", label)]),
  ].join("  ");
}

/** @returns the status for people: a cancelled run is not a failed one, a parked run not a paused one, and a queued run waits for its key. */
export function shownStatus({
  status,
  error,
  is_queued: isQueued,
}: Pick<Snapshot, "status" | "error" | "is_queued">): string {
  if (isQueued) return "queued";
  const reason = error?.reason;
  const isShown = (status === "failed" && reason === "cancelled") || (status === "paused" && reason === "parked");
  return isShown && reason ? reason : status;
}

function statusText(output: Output, status: string): string {
  return colored(output, status.padEnd(7));
}

function colored(output: Output, text: string): string {
  const color = COLORS[text.trim()];
  return color === undefined ? text : output.style(color, text);
}

/** UTC, to the second. */
export function timeText(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19).replace("T", " ")}Z`;
}

function durationText(ms: number): string {
  if (ms < 1000) return `${ms} ms`;
  return ms < 60_000
    ? `${(ms / 1000).toFixed(1)} s`
    : `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
