/** Reading what widgets show, in a loader: the state of a graph with the right to follow it. */
import type { App } from "../../index.ts";
import { BASE_PATH } from "../../internal.ts";
import type { LiveTopic } from "../live/topics.ts";
import { triesOf } from "./max-attempts.ts";
import { flowView, type FlowView } from "./graph-view.ts";

/** A graph as the widgets take it. */
export interface Flow {
  view: FlowView;
  /** Where the page follows it, for a day: whoever has this address may look. */
  src: string;
  /** Address of more about a node, `:node` in place of its name. Default: its row in the list. */
  nodeHref: string | undefined;
  /** When it was read, Unix milliseconds. */
  nowMs: number;
}

/** A token that was brought along for a graph, and so is asked for again with each connection. */
export interface Bearer {
  token?: string;
}

export interface FlowOptions {
  /** Address of more about a node, `:node` in place of its name: `/jobs/7?node=:node`. Default: its row in the list. */
  nodeHref?: string;
}

/** What seals the addresses of streams. */
export const LIVE_PURPOSE = "live";
const LIFETIME = "1d";

/**
 * A graph for `<FlowGraph>` and `<EventStream>`; undefined where there is none of this id. Whoever gets the page may follow the graph for a
 * day, so ask before who that is.
 */
export function readFlow(app: App, graphId: string, options: FlowOptions = {}): Promise<Flow | undefined> {
  return readFlowFor(app, graphId, options);
}

/** The same, for whoever has a token. */
export async function readFlowFor(
  app: App,
  graphId: string,
  { nodeHref, token }: FlowOptions & Bearer,
): Promise<Flow | undefined> {
  const snapshot = await app.engine.snapshot(graphId);
  if (!snapshot) return undefined;
  const more = { ...(nodeHref !== undefined && { nodeHref }), ...(token !== undefined && { token }) };
  const src = liveSrc(app, { topic: "graph", id: graphId, ...more });
  return { view: flowView(snapshot, triesOf(app.definitions, snapshot)), src, nodeHref, nowMs: app.operations.nowMs() };
}

/** The address at which a topic is followed. */
export function liveSrc(app: App, topic: LiveTopic): string {
  return `${BASE_PATH}/live?on=${app.seal(LIVE_PURPOSE, { ...topic }, LIFETIME)}`;
}
