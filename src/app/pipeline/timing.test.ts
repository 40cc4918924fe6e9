import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Context } from "../../platform/http/types.ts";
import { serverTiming } from "./server-timing.ts";
import { Phases } from "./timing.ts";

/** An object as the key of phases; only its identity matters. */
const request = (): Context => ({}) as Context;

describe("phases of a request", () => {
  it("are recorded with name and outcome, for values, errors and promises", async () => {
    const [phases, ctx] = [new Phases(true), request()];
    assert.equal(
      phases.time(ctx, "render", () => "html"),
      "html",
    );
    assert.equal(await phases.time(ctx, "load", async () => 7), 7);
    assert.throws(() => phases.time(ctx, "broken", () => assert.fail("thrown")));
    await assert.rejects(async () => phases.time(ctx, "refused", async () => assert.fail("rejected")));
    assert.deepEqual(
      phases.of(ctx).map(({ name, hasFailed }) => [name, hasFailed]),
      [
        ["render", false],
        ["load", false],
        ["broken", true],
        ["refused", true],
      ],
    );
    assert.deepEqual(phases.of(request()), []);
  });

  it("are not recorded if disabled", () => {
    const [phases, ctx] = [new Phases(false), request()];
    phases.time(ctx, "render", () => "html");
    assert.deepEqual(phases.of(ctx), []);
  });

  it("form a Server-Timing header, with an action's name in the description", () => {
    const phase = (name: string, durationMs: number) => ({ name, startMs: 0, durationMs, hasFailed: false });
    assert.equal(
      serverTiming([phase("load", 1.25), phase("action addTodo", 10)], 12),
      'load;dur=1.3, action;desc="addTodo";dur=10.0, total;dur=12.0',
    );
  });
});
