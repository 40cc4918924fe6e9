import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SimulatedClock } from "../../platform/shared/clock.ts";
import { AnswerBudget } from "./answer-budget.ts";

const MIB = 1024 ** 2;
const DAY_MS = 86_400_000;

describe("the budget of stored answers", () => {
  const fill = (budget: AnswerBudget, clients: string[], each: number): number =>
    clients.flatMap((client) => Array.from({ length: each }, () => budget.accepts(client, MIB))).filter(Boolean).length;

  it("is 16 MiB for a client in the time that answers are kept", async () => {
    const clock = new SimulatedClock();
    const budget = new AnswerBudget(clock, DAY_MS);
    assert.equal(fill(budget, ["203.0.113.9"], 40), 15);
    assert.equal(budget.accepts("203.0.113.10", MIB), true);
    await clock.advance(DAY_MS);
    assert.equal(budget.accepts("203.0.113.9", MIB), true);
  });

  it("is shared by the networks of an IPv6 /48", () => {
    const clients = Array.from({ length: 100 }, (_, at) => `2001:db8:1:${at.toString(16)}::1`);
    assert.equal(fill(new AnswerBudget(new SimulatedClock(), DAY_MS), clients, 20), 255);
  });

  it("is 512 MiB in total", () => {
    const clients = Array.from({ length: 100 }, (_, at) => `203.0.113.${at}`);
    assert.equal(fill(new AnswerBudget(new SimulatedClock(), DAY_MS), clients, 20), 511);
  });
});
