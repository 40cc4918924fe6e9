import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readEvents } from "./event-lines.ts";

/** The events of bytes that come in parts of `size`. */
async function eventsOf(text: string, size: number): Promise<string[]> {
  const bytes = new TextEncoder().encode(text);
  async function* parts(): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  }
  return collect(readEvents(parts()));
}

async function collect(events: AsyncIterable<string>): Promise<string[]> {
  const all: string[] = [];
  for await (const event of events) all.push(event);
  return all;
}

const STREAM = ': hello\r\ndata: {"a":"ä"}\r\n\r\nevent: x\ndata:one\ndata: two\n\n\n\rdata: three\r\rdata: cut off\n';

describe("readEvents", () => {
  for (const size of [1, 2, 3, 7, 1000]) {
    it(`reads the data of each event, in parts of ${size} bytes`, async () => {
      assert.deepEqual(await eventsOf(STREAM, size), ['{"a":"ä"}', "one\ntwo", "three"]);
    });
  }
});
