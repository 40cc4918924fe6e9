/** Graphs and their events as lines for people. */
import type { Snapshot } from "../graph/view-types.ts";
import type { WireEvent } from "./graph-client.ts";
import { facts, type Output } from "./output.ts";

const COLORS: Record<string, "green" | "red" | "cyan" | "dim"> = {
  done: "green",
  failed: "red",
  running: "cyan",
  skipped: "dim",
  pending: "dim",
};

export function printGraphs(output: Output, graphs: readonly Snapshot[], total: number): void {
  if (graphs.length === 0) return output.line("No graphs");
  const width = Math.max(...graphs.map(({ worker }) => worker.length));
  for (const { graph_id, worker, status, created_ms, progress } of graphs) {
    const share = progress && status === "running" ? `  ${percent(progress.value)}` : "";
    output.line(`${graph_id}  ${worker.padEnd(width)}  ${statusText(output, status)}  ${timeText(created_ms)}${share}`);
  }
  if (total > graphs.length) output.line(output.style("dim", `${graphs.length} of ${total}; --limit shows more`));
}

export function printGraph(output: Output, graph: Snapshot): void {
  const { graph_id, worker, status, phase, epoch, created_ms, started_ms, finished_ms, error, tags } = graph;
  output.line(`${output.style("bold", graph_id)}  ${statusText(output, status).trimEnd()}`);
  const tookMs = started_ms === null || finished_ms === null ? undefined : finished_ms - started_ms;
  facts(output, [
    ["worker", worker],
    ...(phase === status ? [] : ([["phase", phase]] as const)),
    ...(epoch === 1 ? [] : ([["epoch", String(epoch)]] as const)),
    ...(tags.length === 0 ? [] : ([["tags", tags.join(", ")]] as const)),
    ["created", timeText(created_ms)],
    ...(tookMs === undefined ? [] : ([["took", durationText(tookMs)]] as const)),
    ...(error === null
      ? []
      : ([["error", `${error.message}${error.node === undefined ? "" : ` (${error.node})`}`]] as const)),
  ]);
  output.line();
  const rows = foldedNodes(graph);
  const width = Math.max(...rows.map(([name]) => name.length));
  for (const [name, told] of rows) output.line(`  ${name.padEnd(width)}  ${colored(output, told)}`);
}

/** One line for each node, and for each key inside of it: the items of a fan-out are counted by status. */
function foldedNodes({ nodes }: Snapshot): [string, string][] {
  const statuses = new Map<string, string[]>();
  for (const { id, status } of nodes) {
    const name = id.replaceAll(/\/\d+/g, "");
    statuses.set(name, [...(statuses.get(name) ?? []), status]);
  }
  return [...statuses].map(([name, all]) => {
    if (all.length === 1) return [name, all[0] ?? ""];
    const counts = [...new Set(all)].map((status) => `${all.filter((other) => other === status).length} ${status}`);
    return [name, counts.join(", ")];
  });
}

export function eventLine(output: Output, event: WireEvent): string {
  const { seq: _seq, type, node, timestamp_ms, graph_id: _id, ...data } = event;
  const time = output.style("dim", new Date(timestamp_ms).toISOString().slice(11, 23));
  const told = Object.entries(data)
    .map(([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join(" ");
  const color = COLORS[type.split(".")[1] ?? ""];
  const what = color === undefined ? type : output.style(color, type);
  return [time, what, ...(node === undefined ? [] : [node]), ...(told === "" ? [] : [output.style("dim", told)])].join(
    "  ",
  );
}

function statusText(output: Output, status: string): string {
  return colored(output, status.padEnd(7));
}

function colored(output: Output, text: string): string {
  const color = COLORS[text.trim()];
  return color === undefined ? text : output.style(color, text);
}

/** In UTC, to the second. */
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
