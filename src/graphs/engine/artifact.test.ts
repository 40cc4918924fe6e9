import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { buffer } from "node:stream/consumers";
import { describe, it } from "node:test";
import type { Json } from "../../platform/shared/json.ts";
import { PART_BYTES } from "../../storage/contract/artifacts.ts";
import { readArtifact } from "../execution/attempt/artifact.ts";
import { graph, worker } from "../definition/definition.ts";
import type { Store } from "../../storage/contract/contract.ts";
import type { GraphStore } from "../../storage/contract/graph-store.ts";
import { bench, REMOTE, gate, PLACES, type Bench } from "./engine.testkit.ts";

/** Remote workers pass bytes, not streams. */
const given = async (url: string, parts: AsyncIterable<Uint8Array>) => (url === REMOTE ? buffer(parts) : parts);

async function* chunks(sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  for (const [at, size] of sizes.entries()) yield new Uint8Array(size).fill(at + 1);
}

/** Wraps the store to observe its uploads. */
async function watched(self: Bench): Promise<{ seen: Set<string>; left: (graphId: string) => Promise<string[]> }> {
  const { graphs } = self.store;
  const seen = new Set<string>();
  const writePart: GraphStore["writePart"] = (graphId, upload, ...part) => {
    seen.add(upload);
    return graphs.writePart(graphId, upload, ...part);
  };
  const through = new Proxy(graphs, {
    get: (from, key) => {
      const value: unknown = key === "writePart" ? writePart : Reflect.get(from, key);
      return typeof value === "function" ? (value.bind(from) as unknown) : value;
    },
  });
  await self.crash({ store: { ...self.store, graphs: through } });
  const left = async (graphId: string): Promise<string[]> => {
    const parts = await Promise.all([...seen].map((upload) => graphs.part(graphId, upload, 0)));
    return [...seen].filter((_, at) => parts[at] !== undefined);
  };
  return { seen, left };
}

async function fileOf({ graphs }: Store, graphId: string): Promise<Buffer> {
  const [row] = await graphs.artifacts(graphId);
  assert.ok(row);
  return buffer(readArtifact(graphs, row));
}

for (const url of PLACES) {
  describe(`artifacts of workers, on ${url}`, () => {
    it("are stored in parts, with their hash, for any sizes of the chunks written", async () => {
      const sizes = [1, PART_BYTES, PART_BYTES - 1, 2 * PART_BYTES, 7];
      const dump = worker("dump", async (_: Json, ctx) => [
        await ctx.artifact("all.bin", await given(url, chunks(sizes))),
        await ctx.artifact("note.txt", "grün", "text/plain; charset=utf-8"),
        await ctx.artifact("empty", new Uint8Array()),
      ]);
      const { engine, store } = await bench({ workers: [dump] }, url);
      const { snapshot } = await engine.start("dump", null);
      await engine.idle();
      const id = snapshot.graph_id;
      const whole: Buffer[] = [];
      for await (const chunk of chunks(sizes)) whole.push(Buffer.from(chunk));
      for (const [name, bytes] of [
        ["all.bin", Buffer.concat(whole)],
        ["note.txt", Buffer.from("grün")],
        ["empty", Buffer.alloc(0)],
      ] as const) {
        const row = (await store.graphs.artifacts(id)).find((each) => each.name === name);
        assert.ok(row);
        const read: Uint8Array[] = [];
        for await (const part of readArtifact(store.graphs, row)) read.push(part);
        assert.ok(Buffer.concat(read).equals(bytes), name);
        assert.equal(row.sha256, createHash("sha256").update(bytes).digest("hex"));
      }
      const refs = (await engine.snapshot(id))?.result as { name: string; bytes: number }[];
      assert.deepEqual(
        refs.map(({ name, bytes }) => [name, bytes]),
        [
          ["all.bin", 4 * PART_BYTES + 7],
          ["note.txt", 5],
          ["empty", 0],
        ],
      );
      await store.close();
    });

    // Counts the chunks of a stream.
    if (url !== REMOTE)
      it("are written once per run of their node", async () => {
        let writes = 0;
        let attempts = 0;
        const dump = worker("dump", { retry: { max: 2, base: 0 } }, async (_: Json, ctx) => {
          await ctx.artifact(
            "a.txt",
            (async function* () {
              yield Buffer.from(`version ${++writes}`);
            })(),
          );
          if (++attempts === 1) throw new Error("later");
        });
        const { engine, store, pass } = await bench({ workers: [dump] }, url);
        const { snapshot } = await engine.start("dump", null);
        await engine.idle();
        await pass(1);
        assert.deepEqual([(await engine.snapshot(snapshot.graph_id))?.status, writes], ["done", 1]);
        await engine.retry(snapshot.graph_id, { from: "dump" });
        await engine.idle();
        const [row, ...others] = await store.graphs.artifacts(snapshot.graph_id);
        assert.deepEqual([(await engine.snapshot(snapshot.graph_id))?.status, writes, others], ["done", 2, []]);
        assert.ok(row);
        for await (const part of readArtifact(store.graphs, row))
          assert.equal(Buffer.from(part).toString(), "version 2");
        await store.close();
      });

    // Remote workers pass bytes, not streams.
    if (url !== REMOTE)
      it("belong to the attempt that finished writing them, even if the stream of an ended attempt continues", async () => {
        const [held, over] = [gate(), gate()];
        const dump = worker("dump", { timeout: "1s", retry: { max: 2, base: 0 } }, async (_: Json, ctx) => {
          const isFirst = ctx.attempt === 1;
          async function* stream(): AsyncGenerator<Uint8Array> {
            if (isFirst) await held.promise;
            yield Buffer.from(isFirst ? "late" : "good");
          }
          await ctx.artifact("a.txt", stream()).finally(() => isFirst && over.open());
        });
        const { engine, store, clock, pass } = await bench({ workers: [dump] }, url);
        const { snapshot } = await engine.start("dump", null);
        await clock.advance(1000);
        await pass(1);
        assert.equal((await engine.snapshot(snapshot.graph_id))?.status, "done");
        held.open();
        await over.promise;
        const [row] = await store.graphs.artifacts(snapshot.graph_id);
        assert.ok(row);
        for await (const part of readArtifact(store.graphs, row)) assert.equal(Buffer.from(part).toString(), "good");
        await store.close();
      });

    // Remote workers pass bytes, not streams.
    if (url !== REMOTE)
      it("stay complete while their node replaces them, and leave nothing of a replacement that breaks off", async () => {
        const midway = gate();
        let isAgain = false;
        const dump = worker("dump", { retry: { max: 1 } }, async (_: Json, ctx) => {
          async function* stream(): AsyncGenerator<Uint8Array> {
            yield new Uint8Array(PART_BYTES).fill(isAgain ? 2 : 1);
            if (isAgain) await midway.promise;
            if (isAgain) throw new Error("cut");
            yield new Uint8Array(3).fill(1);
          }
          await ctx.artifact("a.bin", stream());
        });
        const self = await bench({ workers: [dump] }, url);
        const { seen, left } = await watched(self);
        const id = (await self.engine.start("dump", null)).snapshot.graph_id;
        await self.engine.idle();
        const whole = Buffer.alloc(PART_BYTES + 3, 1);
        isAgain = true;
        await self.engine.retry(id, { from: "dump" });
        while (seen.size < 2) await self.clock.advance(0);
        assert.ok((await fileOf(self.store, id)).equals(whole));
        midway.open();
        await self.engine.idle();
        assert.equal((await self.engine.snapshot(id))?.error?.message, "cut");
        assert.ok((await fileOf(self.store, id)).equals(whole));
        assert.deepEqual(await left(id), [[...seen][0]]);
        await self.store.close();
      });

    // Remote workers pass bytes, not streams.
    if (url !== REMOTE)
      it("leave nothing behind if the process dies during a write, even if they are never written again", async () => {
        let attempts = 0;
        const dump = worker("dump", async (_: Json, ctx) => {
          if (++attempts > 1) return;
          async function* stream(): AsyncGenerator<Uint8Array> {
            yield new Uint8Array(PART_BYTES);
            await new Promise(() => undefined);
          }
          await ctx.artifact("a.bin", stream());
        });
        const self = await bench({ workers: [dump] }, url);
        const { seen, left } = await watched(self);
        const id = (await self.engine.start("dump", null)).snapshot.graph_id;
        while (seen.size < 1 || (await left(id)).length === 0) await self.clock.advance(0);
        await self.crash();
        await self.engine.idle();
        assert.equal((await self.engine.snapshot(id))?.status, "done");
        assert.deepEqual([await left(id), await self.store.graphs.artifacts(id)], [[], []]);
        await self.store.close();
      });

    it("need names and types that are valid in a header, and a name may belong to one node only", async () => {
      const bad = worker("bad", (given: [string, string], ctx) => ctx.artifact(given[0], "x", given[1]));
      const pair = graph("pair", (g) => {
        const [one, two] = ["one", "two"].map((name) => worker(name, (_: Json, ctx) => ctx.artifact("same", name)));
        if (one && two) g.node("second", two, { after: [g.node("first", one)] });
      });
      const { engine, store } = await bench({ workers: [bad], graphs: [pair] }, url);
      for (const [input, expected] of [
        [["a/b", "text/plain"], /"a\/b" is not a valid key/],
        [[":a", "text/plain"], /":a" is not a valid name for an artifact of "bad"/],
        [["a", "text/html\r\nx: y"], /is not a media type/],
      ] as const) {
        const { snapshot } = await engine.start("bad", [...input]);
        await engine.idle();
        assert.match((await engine.snapshot(snapshot.graph_id))?.error?.message ?? "", expected);
      }
      const { snapshot } = await engine.start("pair", null);
      await engine.idle();
      const message = 'The artifact "same" of "second" has the same name as one of "first"';
      assert.equal((await engine.snapshot(snapshot.graph_id))?.error?.message, message);
      await store.close();
    });
  });
}
