/** The screen of `svc top` as lines of text. Pure: takes the data and the size of the terminal. */
import type { ClusterQueue, Status } from "../../app/observability/operations-types.ts";
import type { ScheduleView } from "../../graphs/schedules/schedule-types.ts";
import type { Snapshot } from "../../graphs/machine/view-types.ts";
import { timeText } from "../graph/graph-text.ts";
import { columns, type Output } from "../output.ts";

/** The data of one update. */
export interface TopView {
  at_ms: number;
  status: Status;
  queues: readonly ClusterQueue[];
  schedules: readonly ScheduleView[];
  /** Newest first. */
  failed: readonly Snapshot[];
  /** All running runs. */
  running: readonly Snapshot[];
  /** Whether the server has stopped answering. The data is from the last update then. */
  isAway?: boolean;
}

export interface Room {
  columns: number;
  rows: number;
}

type Style = Output["style"];

const BARS = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"] as const;
/** A section with less room than this is left out. */
const LEAST_ROWS = 3;

/** Fits the lines to the terminal: as many as there is room for, none wider. */
export function topLines(url: string, view: TopView, { columns, rows }: Room, style: Style): string[] {
  const lines = [...head(url, view, style), ""];
  const sections = [
    section(processRows(view), style),
    section(queueRows(view), style),
    section(runRows(view), style),
    section(failedRows(view), style),
    section(waitRows(view), style),
    section(nextRows(view), style),
  ].filter((one) => one.length > 0);
  // Sections with fewer rows leave their room to the others.
  let left = rows - lines.length - 1;
  sections.forEach((one, at) => {
    const share = Math.max(LEAST_ROWS, Math.floor(left / (sections.length - at)));
    const shown = left < LEAST_ROWS ? [] : [...one.slice(0, share - 1), ""];
    lines.push(...shown);
    left -= shown.length;
  });
  return lines.slice(0, rows).map((line) => cut(line, columns));
}

function head(url: string, { status, at_ms: atMs, isAway }: TopView, style: Style): string[] {
  const { hour, minutes } = status.recent;
  const ended = hour.done + hour.failed;
  const share = ended === 0 ? 0 : (hour.failed / ended) * 100;
  const state = isAway ? "no response since" : status.status;
  const word = style(state === "ready" ? "green" : "red", state);
  const counts = Object.entries(status.graphs).map(([name, count]) => `${count} ${name}`);
  return [
    `${style("bold", "svc top")}  ${url}  ${word}  ${style("dim", `${timeText(atMs)}  ${status.version}  up ${spanText(status.uptime_ms)}`)}`,
    `runs      ${counts.join("  ")}`,
    `last hour ${hour.started} started  ${hour.done} done  ${failedText(hour.failed, share, style)}  p50 ${msText(hour.p50_ms)}  p95 ${msText(hour.p95_ms)}`,
    `started   ${sparkText(minutes.map(({ started }) => started))} ${style("dim", "per minute")}`,
    `webhooks  ${status.webhooks}  ${status.deliveries["pending"] ?? 0} pending, oldest ${spanText(status.delivery.oldest_waiting_ms)} late   requests ${status.requests.in_flight}`,
    `process   memory ${sizeText(status.memory_bytes)}   event-loop lag p99 ${delayText(status.loop_p99_ms)}${storeText(status)}`,
  ];
}

/** Storage: free disk space on SQLite, used space on PostgreSQL. */
function storeText({ disk_free_bytes: free, database_bytes: taken }: Status): string {
  const left = free === null ? "" : `   disk left ${sizeText(free)}`;
  return left + (taken === null ? "" : `   database ${sizeText(taken)}`);
}

function delayText(ms: number | null): string {
  return ms === null ? "–" : `${ms.toFixed(ms < 10 ? 1 : 0)} ms`;
}

function sizeText(bytes: number): string {
  return bytes < 1e10 ? `${Math.round(bytes / 1e6)} MB` : `${(bytes / 1e9).toFixed(0)} GB`;
}

/** Shown if there are several processes. */
function processRows({ status: { processes }, at_ms: atMs }: TopView): string[][] {
  const shown = processes.length > 1 ? processes : [];
  const rows = shown.map((process) => [
    process.host,
    process.role,
    delayText(process.loop_p99_ms),
    process.memory_bytes === null ? "–" : sizeText(process.memory_bytes),
    spanText(atMs - process.started_ms),
  ]);
  return [["PROCESS", "ROLE", "LAG P99", "MEMORY", "UPTIME"], ...rows];
}

function failedText(failed: number, share: number, style: Style): string {
  const text = `${failed} failed (${share.toFixed(1)} %)`;
  return failed === 0 ? text : style("red", text);
}

/** Column titles above rows; nothing if there are no rows. */
function section(table: readonly (readonly string[])[], style: Style): string[] {
  if (table.length <= 1) return [];
  const [titles = "", ...rest] = columns(table);
  return [style("bold", titles), ...rest];
}

function queueRows({ queues }: TopView): string[][] {
  const busy = [...queues]
    .filter(({ running, waiting, paused }) => running > 0 || waiting > 0 || paused)
    .sort((a, b) => b.waiting - a.waiting || b.running - a.running);
  const rows = busy.map(({ worker, waiting, running, oldest_ms: oldestMs, paused, ...rates }) => [
    worker,
    String(waiting),
    oldestMs === null ? "–" : spanText(oldestMs),
    String(running),
    rateText(rates.ready_per_minute),
    rateText(rates.ended_per_minute),
    paused ? "paused" : emptyText(waiting, rates.ready_per_minute, rates.ended_per_minute),
  ]);
  return [["QUEUE", "WAITING", "OLDEST", "RUNNING", "IN/MIN", "OUT/MIN", "EMPTY"], ...rows];
}

function rateText(perMinute: number): string {
  return perMinute === 0 ? "–" : perMinute.toFixed(perMinute < 10 ? 1 : 0);
}

/** Estimates when the queue is empty, at the current rates. */
function emptyText(waiting: number, ready: number, ended: number): string {
  if (waiting === 0) return "";
  if (ended === 0) return "stalled";
  return ready >= ended ? "growing" : `in ${spanText((waiting / (ended - ready)) * 60_000)}`;
}

/** Runs that wait for a signal. */
function waitRows({ running, at_ms: atMs }: TopView): string[][] {
  const rows = running.flatMap(({ worker, graph_id: id, nodes }) =>
    nodes
      .filter(({ kind, status }) => kind === "wait" && status === "waiting")
      .map((node) => [
        worker,
        id,
        spanText(atMs - (node.started_ms ?? atMs)),
        node.id.slice(node.id.lastIndexOf("#") + 1),
      ]),
  );
  return [["WAITS", "ID", "SINCE", "FOR"], ...rows];
}

function runRows({ running, at_ms: atMs }: TopView): string[][] {
  const rows = running.map(
    ({ graph_id: id, worker, started_ms: startedMs, created_ms: createdMs, progress, nodes, edges }) => [
      worker,
      id,
      spanText(atMs - (startedMs ?? createdMs)),
      progress === null ? nodesText(nodes, edges) : `${Math.round(progress.value * 100)} % ${progress.note ?? ""}`,
    ],
  );
  return [["RUNNING", "ID", "FOR", "DONE"], ...rows];
}

/** Counts of finished nodes, and of the items of fan-outs: `2 of 3, 12 of 500 items`. */
function nodesText(rows: Snapshot["nodes"], edges: Snapshot["edges"]): string {
  const outer = rows.filter(({ id }) => !id.includes("#"));
  const items = outer.filter(({ id }) => id.includes("/"));
  const names = new Set([...edges.flat(), ...outer.map(({ id }) => nameOf(id))]);
  const begun = new Set(outer.filter(({ started_ms: ms }) => ms !== null).map(({ id }) => nameOf(id)));
  const left = new Set(outer.filter((row) => !isOver(row)).map(({ id }) => nameOf(id)));
  const known = new Set(outer.map(({ id }) => nameOf(id)));
  const over = [...names].filter((name) =>
    // An empty fan-out has no rows. It is over once a node after it has started.
    known.has(name) ? !left.has(name) : edges.some(([from, to]) => from === name && begun.has(to)),
  );
  const nodes = `${over.length} of ${names.size}`;
  return items.length === 0 ? nodes : `${nodes}, ${items.filter(isOver).length} of ${items.length} items`;
}

function isOver({ status }: Snapshot["nodes"][number]): boolean {
  return status === "done" || status === "skipped";
}

/** Name of the node in the definition. */
function nameOf(id: string): string {
  return id.split("/", 1)[0] as string;
}

function failedRows({ failed, at_ms: atMs }: TopView): string[][] {
  const rows = failed.map(({ worker, graph_id: id, error, finished_ms: finishedMs, created_ms: createdMs }) => [
    worker,
    id,
    spanText(atMs - (finishedMs ?? createdMs)),
    (error?.message ?? "").replaceAll(/\s+/g, " "),
  ]);
  return [["FAILED", "ID", "AGO", "WHY"], ...rows];
}

function nextRows({ schedules, at_ms: atMs }: TopView): string[][] {
  const rows = schedules
    .filter(({ next_ms: nextMs }) => nextMs !== null)
    .sort((a, b) => (a.next_ms ?? 0) - (b.next_ms ?? 0))
    .map(({ name, worker, next_ms: nextMs }) => [name, worker, `in ${spanText((nextMs ?? 0) - atMs)}`]);
  return [["NEXT", "STARTS", "WHEN"], ...rows];
}

function sparkText(values: readonly number[]): string {
  const most = Math.max(1, ...values);
  return values.map((one) => BARS[Math.round((one / most) * (BARS.length - 1))] ?? BARS[0]).join("");
}

function msText(ms: number | null): string {
  return ms === null ? "–" : spanText(ms);
}

function spanText(ms: number): string {
  const whole = Math.max(0, Math.round(ms));
  if (whole < 1000) return `${whole} ms`;
  if (whole < 60_000) return `${(whole / 1000).toFixed(1)} s`;
  if (whole < 3_600_000) return `${Math.floor(whole / 60_000)} m ${Math.floor((whole % 60_000) / 1000)} s`;
  return whole < 86_400_000
    ? `${Math.floor(whole / 3_600_000)} h ${Math.floor((whole % 3_600_000) / 60_000)} m`
    : `${Math.floor(whole / 86_400_000)} d ${Math.floor((whole % 86_400_000) / 3_600_000)} h`;
}

/** Matches the codes that `style` adds around a text. */
const STYLES = new RegExp(`(${String.fromCharCode(27)}\\[[\\d;]*m)`);

/** Cuts a line to the width of the terminal. Style codes do not count as width. */
function cut(line: string, columns: number): string {
  const pieces = line.split(STYLES);
  let left = columns;
  return pieces
    .map((piece, at) => {
      if (at % 2 === 1) return piece;
      const shown = piece.slice(0, left);
      left -= shown.length;
      return shown;
    })
    .join("");
}
