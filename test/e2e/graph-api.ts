/** Graphs over HTTP, as an operator's script would use them. */
import { API_KEY } from "./demo-server.ts";

export interface ApiEvent {
  seq: number;
  type: string;
  graph_id: string;
  node?: string;
}

export interface StartedGraph {
  graph_id: string;
  status: string;
  token: string;
}

async function post(baseUrl: string, path: string, body: Record<string, unknown>): Promise<unknown> {
  const response = await fetch(baseUrl + path, {
    method: "POST",
    headers: { authorization: `Bearer ${API_KEY}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`POST ${path}: ${response.status} ${await response.text()}`);
  return response.json();
}

export const startGraph = (baseUrl: string, body: Record<string, unknown>): Promise<StartedGraph> =>
  post(baseUrl, "/_svc/graphs", body) as Promise<StartedGraph>;

/** Nodes of the worker begin only after it is resumed. */
export const steerQueue = (baseUrl: string, worker: string, step: "pause" | "resume"): Promise<unknown> =>
  post(baseUrl, `/_svc/queues/${worker}/${step}`, {});

/** The events of a graph from the first one. Ends after the terminal event, or with the connection when the server dies. */
export async function* graphEvents(baseUrl: string, graph: StartedGraph): AsyncGenerator<ApiEvent> {
  const response = await fetch(`${baseUrl}/_svc/graphs/${graph.graph_id}/events?token=${graph.token}`);
  if (response.status !== 200 || response.body === null) throw new Error(`events: ${response.status}`);
  let text = "";
  const decoder = new TextDecoder();
  for await (const bytes of response.body) {
    text += decoder.decode(bytes as Uint8Array, { stream: true });
    const blocks = text.split("\n\n");
    text = blocks.pop() ?? "";
    for (const block of blocks) {
      const data = block.split("\n").find((line) => line.startsWith("data:"));
      if (data !== undefined) yield JSON.parse(data.slice("data:".length)) as ApiEvent;
    }
  }
}
