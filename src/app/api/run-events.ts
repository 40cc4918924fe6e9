/** Encodes the events of runs for streams: each event once, however many clients follow its run. */
import { encodeEvent } from "../../platform/http/response/event-stream.ts";
import type { GraphEvent } from "../../storage/contract/graph-rows.ts";

/** Bytes of events, for as long as the store or a follower has the event. */
const encoded = new WeakMap<GraphEvent, Uint8Array>();

/** @param node default null: the events of all nodes */
export async function* encodedEvents(
  batches: AsyncIterable<readonly GraphEvent[]>,
  node: string | null,
): AsyncGenerator<Uint8Array> {
  for await (const events of batches) {
    const wanted = node === null ? events : events.filter((event) => isAbout(event, node));
    const [first] = wanted;
    if (first) yield wanted.length === 1 ? bytesOf(first) : Buffer.concat(wanted.map(bytesOf));
  }
}

function bytesOf(event: GraphEvent): Uint8Array {
  let bytes = encoded.get(event);
  if (!bytes) encoded.set(event, (bytes = encodeEvent({ id: event.seq, data: eventView(event) })));
  return bytes;
}

/** Whether an event concerns a node or its steps; the end of the run always counts. */
function isAbout({ node, type }: GraphEvent, wanted: string): boolean {
  if (type === "graph.done" || type === "graph.failed") return true;
  return node === wanted || (node?.startsWith(`${wanted}#`) ?? false) || (node?.startsWith(`${wanted}/`) ?? false);
}

/** The event on the wire; fields of its data are beside the common ones, which win. */
export function eventView({ seq, type, graphId, node, timestampMs, data }: GraphEvent): Record<string, unknown> {
  const fields = data !== null && typeof data === "object" && !Array.isArray(data) ? data : {};
  return {
    ...fields,
    seq,
    type,
    graph_id: graphId,
    ...(node === undefined ? {} : { node }),
    timestamp_ms: timestampMs,
  };
}
