/** `svc graph <verb>`: lists and controls the runs of a running app, over its operator endpoints. */
import type { NodeDetail, Snapshot } from "../../graphs/machine/view-types.ts";
import type { Json } from "../../platform/shared/json.ts";
import { PATHS } from "../../platform/shared/wire.ts";
import { check, queues, schedules } from "./graph-control.ts";
import { bulk } from "./graph-bulk.ts";
import type { GraphTask } from "./graph-task.ts";
import type { GraphClient } from "./graph-client.ts";
import { eventLine, printGraph, printGraphs, shownStatus } from "./graph-text.ts";
import type { Output } from "../output.ts";

export interface GraphCommand {
  task: GraphTask;
  /** Address of the app. */
  url: string;
  json: boolean;
}

interface GraphList {
  graphs: Snapshot[];
  total: number;
}

/** @returns the exit code: 1 if a followed run failed. @throws SvcError if the server refuses the request. */
export async function graph({ task, json }: GraphCommand, client: GraphClient, output: Output): Promise<number> {
  const show = (snapshot: Snapshot): number => {
    if (json) output.line(JSON.stringify(snapshot));
    else printGraph(output, snapshot);
    return 0;
  };
  switch (task.verb) {
    case "ls":
      return list(task.query, json, client, output);
    case "show":
      return showOne(task.id, json, client, output);
    case "tail":
      return follow(task.id, json, client, output);
    case "start":
      return start(task, json, client, output);
    case "send":
      return send(task.body, json, client, output);
    case "schedules":
      return schedules(task, json, client, output);
    case "queues":
      return queues(task, json, client, output);
    case "bulk":
      return bulk(task, json, client, output);
    case "check":
      return check(task, json, client, output);
    default:
      return show(
        await client.post<Snapshot>(`${PATHS.graphs}/${encodeURIComponent(task.id)}/${task.verb}`, task.body),
      );
  }
}

/** For people, adds the origin of the error, which is stored with the failed node. */
async function showOne(id: string, json: boolean, client: GraphClient, output: Output): Promise<number> {
  const snapshot = await client.graph(id);
  if (json) output.line(JSON.stringify(snapshot));
  else printGraph(output, snapshot, await originOf(snapshot, client));
  return 0;
}

/** Origin of the error of a failed run. Undefined if it can't be loaded, because the run itself is what the user asked for. */
async function originOf({ graph_id: id, error, nodes }: Snapshot, client: GraphClient): Promise<NodeDetail["origin"]> {
  const failed = nodes.find((node) => node.id === error?.node);
  if (!failed) return null;
  const detail = client.get<NodeDetail>(`${PATHS.graphs}/${encodeURIComponent(id)}/nodes/${pathOf(failed.id)}`);
  return detail.then(
    ({ origin }) => origin,
    () => null,
  );
}

/** Ids of fan-out items contain a slash, which stays a path separator. */
function pathOf(node: string): string {
  return node.split("/").map(encodeURIComponent).join("/");
}

async function list(
  query: Record<string, string>,
  json: boolean,
  client: GraphClient,
  output: Output,
): Promise<number> {
  const { graphs, total } = await client.get<GraphList>(`${PATHS.graphs}?${new URLSearchParams(query)}`);
  if (json) for (const snapshot of graphs) output.line(JSON.stringify(snapshot));
  else printGraphs(output, graphs, total);
  return 0;
}

async function start(
  { body, isFollowed, isAwaited }: GraphTask & { verb: "start" },
  json: boolean,
  client: GraphClient,
  output: Output,
): Promise<number> {
  const started = await client.post<{ graph_id: string; worker: string; status: string }>(PATHS.graphs, body);
  const { graph_id: id, worker, status } = started;
  // The response contains a token for pages. It must not stay in the history of a terminal.
  if (json) output.line(JSON.stringify({ graph_id: id, worker, status }));
  else output.line(id);
  if (isFollowed) return follow(id, json, client, output);
  return isAwaited ? awaitEnd(id, json, client, output) : 0;
}

/** Prints the id of the event. */
async function send(body: Record<string, Json>, json: boolean, client: GraphClient, output: Output): Promise<number> {
  const sent = await client.post<{ id: string; name: string }>(PATHS.events, body);
  output.line(json ? JSON.stringify(sent) : sent.id);
  return 0;
}

/** Waits for the end of a run and prints its result. */
async function awaitEnd(id: string, json: boolean, client: GraphClient, output: Output): Promise<number> {
  for await (const _event of client.events(id)) continue;
  const graph = await client.graph(id);
  const { status, result, error } = graph;
  if (json) output.line(JSON.stringify({ graph_id: id, status, result, error }));
  else output.line(status === "failed" ? `${shownStatus(graph)}: ${error?.message ?? ""}` : JSON.stringify(result));
  return status === "failed" ? 1 : 0;
}

async function follow(id: string, json: boolean, client: GraphClient, output: Output): Promise<number> {
  let end = "";
  for await (const event of client.events(id)) {
    output.line(json ? JSON.stringify(event) : eventLine(output, event));
    end = event.type;
  }
  return end === "graph.failed" ? 1 : 0;
}
