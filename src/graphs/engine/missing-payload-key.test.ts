/** A process without the key of some runs. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import type { Json } from "../../platform/shared/json.ts";
import { worker } from "../definition/definition.ts";
import { bench } from "./engine.testkit.ts";

const wait = worker("wait", async (input: Json, ctx) => ({ input, said: await ctx.waitFor<Json>("go") }));

describe("A run whose payload key is missing", () => {
  it("is left alone and reported at the start of the process, and other runs continue", async () => {
    const folder = mkdtempSync(join(tmpdir(), "svc-missing-"));
    const url = `sqlite:${join(folder, "svc.db")}`;
    const first = await bench({ workers: [wait] }, `encrypted ${url}`);
    const { snapshot: locked } = await first.engine.start("wait", "locked");
    await first.engine.idle();
    await first.store.close();
    // Without keys: new values are not encrypted.
    const second = await bench({ workers: [wait] }, url);
    const { snapshot: readable } = await second.engine.start("wait", "readable");
    await second.engine.idle();
    await second.crash();
    assert.deepEqual(
      second.logs.filter((text) => text.includes("can't be continued")).map((text) => text.includes('"test"')),
      [true],
    );
    await second.engine.signal(readable.graph_id, "go", 1);
    await second.engine.idle();
    assert.deepEqual((await second.engine.snapshot(readable.graph_id))?.result, { input: "readable", said: 1 });
    const shown = await second.engine.snapshot(locked.graph_id);
    assert.equal(shown?.status, "running");
    assert.match(String(shown.input), /SVC_PAYLOAD_KEY/);
    assert.equal((await second.engine.list({})).total, 2);
    await assert.rejects(second.engine.signal(locked.graph_id, "go", 2), { code: "SVC_PAYLOAD_KEY" });
    await second.engine.close(0);
    await second.store.close();
    // With the key again, it continues.
    const third = await bench({ workers: [wait] }, `encrypted ${url}`);
    await third.engine.recover();
    await third.engine.signal(locked.graph_id, "go", 2);
    await third.engine.idle();
    assert.deepEqual((await third.engine.snapshot(locked.graph_id))?.result, { input: "locked", said: 2 });
    await third.store.close();
    rmSync(folder, { recursive: true });
  });
});
