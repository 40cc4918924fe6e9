import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { GraphEvent } from "../../storage/contract/graph-rows.ts";
import { encodedEvents } from "./run-events.ts";

/** An event that counts how often its data is read. */
function event(seq: number, node?: string) {
  const counts = { reads: 0 };
  const data = {
    get n() {
      counts.reads++;
      return seq;
    },
  };
  const made = { seq, type: "node.done", graphId: "g", ...(node !== undefined && { node }), timestampMs: 1, data };
  return { counts, made: made as unknown as GraphEvent };
}

async function chunks(batches: GraphEvent[][], node: string | null = null): Promise<string[]> {
  async function* source() {
    yield* batches;
  }
  const found: string[] = [];
  for await (const chunk of encodedEvents(source(), node)) found.push(Buffer.from(chunk).toString());
  return found;
}

const frame = (seq: number, node?: string): string =>
  `id: ${seq}\ndata: {"n":${seq},"seq":${seq},"type":"node.done","graph_id":"g",${node === undefined ? "" : `"node":"${node}",`}"timestamp_ms":1}\n\n`;

describe("The events of a run for streams", () => {
  it("are encoded once, however many clients follow the run", async () => {
    const [first, second] = [event(1), event(2)];
    for (let follower = 0; follower < 5; follower++)
      assert.deepEqual(await chunks([[first.made, second.made]]), [frame(1) + frame(2)]);
    assert.deepEqual(await chunks([[second.made]]), [frame(2)]);
    assert.deepEqual([first.counts.reads, second.counts.reads], [1, 1]);
  });

  it("are one chunk if they are there together", async () => {
    const [one, two, three] = [event(1).made, event(2).made, event(3).made];
    assert.deepEqual(await chunks([[one], [two, three]]), [frame(1), frame(2) + frame(3)]);
  });

  it("of one node contain no other node, and no empty chunk", async () => {
    const [one, two, three] = [event(1, "a").made, event(2, "b").made, event(3, "a#s").made];
    assert.deepEqual(await chunks([[one, two], [two], [three]], "a"), [frame(1, "a"), frame(3, "a#s")]);
  });
});
