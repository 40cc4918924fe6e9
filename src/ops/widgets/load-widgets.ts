/** Loads what the widgets show: the state of a graph. */
import type { App } from "../../index.ts";
import type { LiveTopic } from "../live/topics.ts";
import { triesOf } from "./max-attempts.ts";
import { flowView, type FlowView } from "./graph-view.ts";

/** The data of a `<FlowGraph>`. */
export interface Flow {
  view: FlowView;
  /** What the widget follows. */
  topic: LiveTopic;
  /** URL of a node's details, with `:node` for its name. Default: its row in the list. */
  nodeHref: string | undefined;
  /** When it was read, in Unix milliseconds. */
  nowMs: number;
}

/** The visitor's token for a graph. It is checked again on each connection. */
export interface Bearer {
  token?: string;
}

export interface FlowOptions {
  /** URL of a node's details, with `:node` for its name: `/jobs/7?node=:node`. Default: its row in the list. */
  nodeHref?: string;
}

/**
 * Reads a graph for `<FlowGraph>`; undefined if there is no such graph. The visitor of the page may follow the graph, so check access
 * first.
 * @example
 * const flow = await readFlow(app, graphId);
 */
export function readFlow(app: App, graphId: string, options: FlowOptions = {}): Promise<Flow | undefined> {
  return readFlowFor(app, graphId, options);
}

/** The same with the visitor's token. */
export async function readFlowFor(
  app: App,
  graphId: string,
  { nodeHref, token }: FlowOptions & Bearer,
): Promise<Flow | undefined> {
  const snapshot = await app.engine.snapshot(graphId);
  if (!snapshot) return undefined;
  const more = { ...(nodeHref !== undefined && { nodeHref }), ...(token !== undefined && { token }) };
  const topic: LiveTopic = { topic: "graph", id: graphId, ...more };
  return {
    view: flowView(snapshot, triesOf(app.definitions, snapshot)),
    topic,
    nodeHref,
    nowMs: app.operations.nowMs(),
  };
}
