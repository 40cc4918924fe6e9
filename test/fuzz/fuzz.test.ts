/**
 * Bounded fuzz: for any input every connection is answered or closed, only errors of the contract occur, every response has its
 * headers, and no resources leak. `npm run fuzz` runs longer.
 */
import assert from "node:assert/strict";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { Middleware } from "svckit";
import { openTarget, type Target } from "./app.ts";
import { KINDS, type Kind } from "./kinds.ts";
import { fuzz, LEAST_INPUTS, type FuzzOptions } from "./run.ts";
import { beSilent } from "./silent.ts";

const seed = Number(process.env["FUZZ_SEED"] ?? 20261121);
const budgetMs = Number(process.env["FUZZ_SECONDS"] ?? 12) * 1000;

describe(`the server under fuzz (FUZZ_SEED=${seed})`, () => {
  let target: Target;
  let silence: Promise<void>;
  before(async () => {
    target = await openTarget();
    silence = beSilent(target.port, 60);
    // The test that awaits it reports a failure.
    silence.catch(() => undefined);
  });
  after(() => target.close());

  for (const kind of KINDS) {
    it(`answers or closes every connection as the contract says and leaks nothing, for ${kind.name}`, async () => {
      const { runs } = await fuzz(kind, { seed, budgetMs: budgetMs / KINDS.length, maxInputs: 2000 });
      assert.ok(runs * (kind.inputsPerRun ?? 1) >= LEAST_INPUTS, `${runs} runs`);
    });
  }

  it("Refused at the door: slow headers or body 408: closes connections of clients that stop sending", () => silence);
});

describe("the fuzz", () => {
  const kind = (name: string): Kind => {
    const found = KINDS.find((candidate) => candidate.name === name);
    assert.ok(found);
    return found;
  };
  const planted = (middleware: Middleware, options: Partial<FuzzOptions> = {}): Promise<unknown> =>
    // A fixed number of inputs, with time enough for a busy machine.
    fuzz(kind("queries, cookies and headers"), {
      seed,
      budgetMs: 60_000,
      maxInputs: 800,
      middleware: [middleware],
      ...options,
    });

  it("finds a failing handler and reports the seed and the input", async () => {
    const failing: Middleware = (ctx, next) => {
      if (ctx.header("cookie") !== undefined) throw new TypeError("planted");
      return next();
    };
    await assert.rejects(planted(failing), new RegExp(`seed: ${seed}[^]*Counterexample[^]*cookie`));
  });

  it("finds a memory leak per request", async () => {
    const kept: unknown[] = [];
    const leaking: Middleware = (_ctx, next) => {
      if (kept.length < 2000) kept.push(Array(20_000).fill(kept.length));
      return next();
    };
    await assert.rejects(planted(leaking), /the heap has grown/);
  });

  it("finds a leftover file", async () => {
    let hasWritten = false;
    const littering: Middleware = (_ctx, next) => {
      if (!hasWritten) mkdtempSync(join(tmpdir(), "svc-upload-"));
      hasWritten = true;
      return next();
    };
    await assert.rejects(planted(littering, { maxInputs: 10, quietWithinMs: 0 }), /resources that are still in use/);
  });
});
