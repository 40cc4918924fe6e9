import assert from "node:assert/strict";
import { setImmediate as turn } from "node:timers/promises";
import { test } from "node:test";
import { settled } from "./buffer-ready-stream.ts";

type Chunk = string | Uint8Array;

async function read(body: string | AsyncIterable<Chunk>): Promise<Chunk[]> {
  if (typeof body === "string") return [body];
  const chunks: Chunk[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return chunks;
}

test("a generator that waits for no I/O becomes one text", async () => {
  async function* parts(): AsyncGenerator<string> {
    yield "a";
    await Promise.resolve();
    yield* ["b", "c"];
  }
  assert.equal(await settled(parts()), "abc");
});

test("a stream without chunks becomes an empty text", async () => {
  assert.equal(await settled((async function* () {})()), "");
});

test("a stream sends available chunks first, while it waits for the rest", async () => {
  let go = (): void => undefined;
  const gate = new Promise<void>((resolve) => (go = resolve));
  async function* parts(): AsyncGenerator<string> {
    yield "a";
    yield "b";
    await gate;
    yield "c";
  }
  const body = await settled(parts());
  assert.ok(typeof body !== "string");
  const iterator = body[Symbol.asyncIterator]();
  assert.deepEqual(await iterator.next(), { done: false, value: "ab" });
  go();
  assert.deepEqual(await iterator.next(), { done: false, value: "c" });
  assert.equal((await iterator.next()).done, true);
});

test("a stream that has no chunk yet is not awaited", async () => {
  async function* parts(): AsyncGenerator<string> {
    await turn();
    yield "late";
  }
  const body = await settled(parts());
  assert.ok(typeof body !== "string");
  assert.deepEqual(await read(body), ["late"]);
});

test("byte chunks keep their order among texts", async () => {
  const bytes = new Uint8Array([1, 2]);
  async function* parts(): AsyncGenerator<Chunk> {
    yield* ["a", "b", bytes, "c"];
  }
  assert.deepEqual(await read(await settled(parts())), ["ab", bytes, "c"]);
});

test("an endless source of texts becomes a stream that reads no more than requested", async () => {
  let given = 0;
  async function* parts(): AsyncGenerator<string> {
    for (;;) {
      given++;
      yield "x".repeat(1000);
    }
  }
  const body = await settled(parts());
  assert.ok(typeof body !== "string");
  const before = given;
  assert.ok(before < 100);
  await turn();
  assert.equal(given, before);
});

test("an error is delivered after the chunks before it", async () => {
  async function* parts(): AsyncGenerator<string> {
    yield "a";
    throw new RangeError("broken");
  }
  const body = await settled(parts());
  assert.ok(typeof body !== "string");
  const iterator = body[Symbol.asyncIterator]();
  assert.deepEqual(await iterator.next(), { done: false, value: "a" });
  await assert.rejects(iterator.next(), /broken/);
});

test("a reader that stops ends the source", async () => {
  let hasEnded = false;
  async function* parts(): AsyncGenerator<string> {
    try {
      yield "a";
      await turn();
      yield "b";
    } finally {
      hasEnded = true;
    }
  }
  const body = await settled(parts());
  assert.ok(typeof body !== "string");
  const iterator = body[Symbol.asyncIterator]();
  await iterator.next();
  await iterator.return?.();
  while (!hasEnded) await turn();
});
