/**
 * Bounded fuzz: whatever is sent, every connection is answered or closed, nothing fails that the contract does not name,
 * every answer has its headers, and nothing is left behind. `npm run fuzz` goes on for longer.
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

describe(`whatever is sent (FUZZ_SEED=${seed})`, () => {
  let target: Target;
  let silence: Promise<void>;
  before(async () => {
    target = await openTarget();
    silence = beSilent(target.port, 60);
    // Its failure is told by the test that waits for it.
    silence.catch(() => undefined);
  });
  after(() => target.close());

  for (const kind of KINDS) {
    it(`${kind.name}: answered or closed, by the contract, and forgotten`, async () => {
      const { runs } = await fuzz(kind, { seed, budgetMs: budgetMs / KINDS.length, maxInputs: 2000 });
      assert.ok(runs * (kind.inputsPerRun ?? 1) >= LEAST_INPUTS, `${runs} runs`);
    });
  }

  it("Refused at the door: slow headers or body 408: who begins and never goes on is ended by the server", () =>
    silence);
});

describe("the fuzz itself", () => {
  const kind = (name: string): Kind => {
    const found = KINDS.find((candidate) => candidate.name === name);
    assert.ok(found);
    return found;
  };
  const planted = (middleware: Middleware, options: Partial<FuzzOptions> = {}): Promise<unknown> =>
    // By their number, with time enough for a busy machine.
    fuzz(kind("queries, cookies and headers"), {
      seed,
      budgetMs: 60_000,
      maxInputs: 800,
      middleware: [middleware],
      ...options,
    });

  it("finds a handler that fails, and says how to see it again", async () => {
    const failing: Middleware = (ctx, next) => {
      if (ctx.header("cookie") !== undefined) throw new TypeError("planted");
      return next();
    };
    await assert.rejects(planted(failing), new RegExp(`seed: ${seed}[^]*Counterexample[^]*cookie`));
  });

  it("finds what every request leaves behind", async () => {
    const kept: unknown[] = [];
    const leaking: Middleware = (_ctx, next) => {
      if (kept.length < 2000) kept.push(Array(20_000).fill(kept.length));
      return next();
    };
    await assert.rejects(planted(leaking), /the heap has grown/);
  });

  it("finds a file that stays", async () => {
    let hasWritten = false;
    const littering: Middleware = (_ctx, next) => {
      if (!hasWritten) mkdtempSync(join(tmpdir(), "svc-upload-"));
      hasWritten = true;
      return next();
    };
    await assert.rejects(planted(littering, { maxInputs: 10, quietWithinMs: 0 }), /what is left under way/);
  });
});
