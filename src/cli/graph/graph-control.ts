/** `svc graph schedules`, `queues` and `check`: commands that are not about one run. */
import { misfits, type History, type Misfit } from "../../graphs/engine/definition-compatibility.ts";
import type { QueueView } from "../../graphs/engine/queue-types.ts";
import type { BackfillReport, ScheduleView } from "../../graphs/schedules/schedule-types.ts";
import type { Snapshot } from "../../graphs/machine/view-types.ts";
import { PATHS } from "../../platform/shared/wire.ts";
import type { GraphTask } from "./graph-task.ts";
import type { GraphClient } from "./graph-client.ts";
import { timeText } from "./graph-text.ts";
import { loadBuilt } from "../load-app.ts";
import { columns, type Output } from "../output.ts";

type TaskOf<Verb extends GraphTask["verb"]> = GraphTask & { verb: Verb };

/** Statuses of unfinished runs. Only the newest runs of other statuses are checked. */
const UNFINISHED = ["pending", "queued", "running", "paused", "parked"];
const PAGE = 200;

export async function schedules(
  { action, name, body }: TaskOf<"schedules">,
  json: boolean,
  client: GraphClient,
  output: Output,
): Promise<number> {
  if (action === "ls") {
    const { schedules: all } = await client.get<{ schedules: ScheduleView[] }>(PATHS.schedules);
    if (all.length === 0 && !json) output.line("No schedules");
    else show(all, json, scheduleRow, output);
    return 0;
  }
  const path = `${PATHS.schedules}/${encodeURIComponent(name ?? "")}/${action}`;
  if (action === "backfill") {
    const { started, known } = await client.post<BackfillReport>(path, body);
    if (json) output.line(JSON.stringify({ started, known }));
    else for (const line of [...started, `${started.length} started, ${known} known before`]) output.line(line);
  } else if (action === "trigger") {
    const { graph_id, worker, status } = await client.post<Snapshot>(path, body);
    output.line(json ? JSON.stringify({ graph_id, worker, status }) : graph_id);
  } else {
    show([await client.post<ScheduleView>(path, body)], json, scheduleRow, output);
  }
  return 0;
}

/** Prints a line of JSON for each view, or a table. */
function show<T>(views: readonly T[], json: boolean, rowOf: (view: T) => string[], output: Output): void {
  const lines = json ? views.map((view) => JSON.stringify(view)) : columns(views.map(rowOf));
  for (const line of lines) output.line(line);
}

function scheduleRow({ name, worker, cron, time_zone, paused, next_ms }: ScheduleView): string[] {
  const next = paused ? "paused" : next_ms === null ? "no next time" : `next ${timeText(next_ms)}`;
  return [name, `${cron} ${time_zone}`, worker, next];
}

export async function queues(
  { action, name, note }: TaskOf<"queues">,
  json: boolean,
  client: GraphClient,
  output: Output,
): Promise<number> {
  if (action === "ls") {
    const { queues: all } = await client.get<{ queues: QueueView[] }>(PATHS.queues);
    show(all, json, queueRow, output);
    return 0;
  }
  const path = `${PATHS.queues}/${encodeURIComponent(name ?? "")}/${action}`;
  show([await client.post<QueueView>(path, note === undefined ? {} : { note })], json, queueRow, output);
  return 0;
}

function queueRow({ worker, paused, running, waiting, oldest_ms, note }: QueueView): string[] {
  const oldest = oldest_ms === null ? "" : `, for ${Math.round(oldest_ms / 1000)} s`;
  const deferred = note === null ? "paused" : `paused: ${note}`;
  return [worker, `${running} running`, `${waiting} waiting${oldest}`, paused ? deferred : ""];
}

/**
 * Checks the runs of the running app against the definitions of an app that is not deployed yet.
 * @returns 1 if unfinished runs would break.
 */
export async function check(
  { entry, sample }: TaskOf<"check">,
  json: boolean,
  client: GraphClient,
  output: Output,
): Promise<number> {
  const app = await loadBuilt(entry);
  const histories: History[] = [];
  for (const status of UNFINISHED) for await (const graph of listed(client, status)) histories.push(graph);
  const live = histories.length;
  for (const status of ["done", "failed", "cancelled"]) {
    let left = sample;
    for await (const graph of listed(client, status))
      if (left-- > 0) histories.push(graph);
      else break;
  }
  const found = misfits(histories, app.definitions);
  const isBroken = found.some(({ is_live }) => is_live);
  if (json) output.line(JSON.stringify({ checked: histories.length, unfinished: live, misfits: found }));
  else print(found, live, histories.length - live, output);
  return isBroken ? 1 : 0;
}

async function* listed(client: GraphClient, status: string): AsyncGenerator<Snapshot> {
  for (let cursor: string | null = ""; cursor !== null;) {
    const query = new URLSearchParams({ status, limit: String(PAGE), ...(cursor === "" ? {} : { cursor }) });
    const page: { graphs: Snapshot[]; next_cursor: string | null } = await client.get(`${PATHS.graphs}?${query}`);
    yield* page.graphs;
    cursor = page.next_cursor;
  }
}

function print(found: readonly Misfit[], live: number, ended: number, output: Output): void {
  for (const { is_live, kind, worker, message, count, graph_ids } of found) {
    const what = is_live ? output.style("red", kind) : `${kind} (only if it is retried)`;
    const some = count > graph_ids.length ? ", …" : "";
    output.line(`${what}  ${worker}: ${message}`);
    output.line(output.style("dim", `  ${count} ${count === 1 ? "graph" : "graphs"}: ${graph_ids.join(", ")}${some}`));
  }
  const result =
    found.length === 0 ? "All runs are compatible" : `${found.length} ${found.length === 1 ? "problem" : "problems"}`;
  output.line(`${result}: ${live} unfinished, ${ended} ended`);
}
