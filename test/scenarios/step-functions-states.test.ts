/** Scenarios of Step Functions, from localstack's suite: localstack/localstack. docs/reference/engines.md names the source of each. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FinalError, graph, worker } from "svckit/graph";
import { gate, HOUR, once, scene, SECOND } from "./scene.ts";

const pass = worker("pass", (input: unknown) => input);
const double = worker("double", (n: number) => n * 2);

const hold = worker("hold", (_: unknown, ctx) => ctx.waitFor("token"));

const failing = worker("failing", once, (): string => {
  throw Object.assign(new Error("Something failed"), { name: "CustomError" });
});

describe("step functions", () => {
  it("a pass state hands its input on, and the last state's output is the result", async () => {
    const machine = graph("machine", (g) => g.node("second", pass, { after: [g.node("first", pass)] }));
    const at = await scene({ graphs: [machine] });
    const run = await at.engine.start(machine, { n: 1 });
    assert.deepEqual(await run.result(), { first: { n: 1 } });
  });

  it("a state selects its input from the input of the execution and earlier results", async () => {
    const machine = graph<{ order: { lines: number[] } }, number>("machine", (g) => {
      const first = g.node("first", double, { input: ({ order }) => order.lines[1] ?? 0 });
      return g.node("second", double, { after: [first], input: ({ order }, { first }) => first + order.lines.length });
    });
    const at = await scene({ graphs: [machine] });
    const run = await at.engine.start(machine, { order: { lines: [1, 5] } });
    assert.equal(await run.result(), 24);
  });

  it("a fail state ends the execution with an error and a cause", async () => {
    const fail = worker("fail", () => {
      throw new FinalError("NotEnoughMoney", { cause: new Error("balance 3") });
    });
    const machine = graph("machine", (g) => g.node("fail", fail));
    const at = await scene({ graphs: [machine] });
    const run = await at.engine.start(machine, null);
    await at.engine.idle();
    assert.deepEqual(await at.outcome(run), ["failed", "NotEnoughMoney"]);
    const node = await at.engine.node(run.id, "fail");
    assert.ok(node?.origin?.causes.some((cause) => cause.includes("balance 3")));
  });

  it("a choice takes the branch of the first rule that holds, and skips the others", async () => {
    const machine = graph<{ n: number }, unknown>("machine", (g) => {
      g.node("small", pass, { when: ({ n }) => n < 10 });
      g.node("large", pass, { when: ({ n }) => n >= 10 });
    });
    const at = await scene({ graphs: [machine] });
    const run = await at.engine.start(machine, { n: 12 });
    await at.engine.idle();
    assert.deepEqual(await at.nodes(run), { small: "skipped", large: "done" });
  });

  it("a choice without a matching rule goes on without a branch", async () => {
    const machine = graph<{ n: number }, unknown>("machine", (g) => {
      g.node("only", pass, { when: ({ n }) => n > 10 });
    });
    const at = await scene({ graphs: [machine] });
    const run = await at.engine.start(machine, { n: 1 });
    await at.engine.idle();
    assert.deepEqual(await at.outcome(run), ["done", { only: null }]);
  });

  it("a wait state waits for seconds from the input", async () => {
    const wait = worker("wait", async ({ seconds }: { seconds: number }, ctx) => {
      await ctx.sleep(seconds * SECOND);
      return "waited";
    });
    const at = await scene({ workers: [wait] });
    const run = await at.engine.start(wait, { seconds: 90 });
    await at.pass(89 * SECOND);
    assert.equal((await at.outcome(run))[0], "running");
    await at.pass(SECOND);
    assert.deepEqual(await at.outcome(run), ["done", "waited"]);
  });

  it("a wait state waits until a timestamp, and not for one that has passed", async () => {
    const wait = worker("wait", async (timestamp: string, ctx) => {
      await ctx.sleep(new Date(timestamp));
      return at.clock.now() - startMs;
    });
    const at = await scene({ workers: [wait] });
    const startMs = at.clock.now();
    const later = await at.engine.start(wait, new Date(startMs + HOUR).toISOString());
    const before = await at.engine.start(wait, new Date(startMs - HOUR).toISOString());
    await at.pass(HOUR);
    assert.deepEqual(
      [await at.outcome(later), await at.outcome(before)],
      [
        ["done", HOUR],
        ["done", 0],
      ],
    );
  });

  it("an invalid timestamp of a wait fails the execution", async () => {
    const wait = worker("wait", once, (timestamp: string, ctx) => ctx.sleep(new Date(timestamp)));
    const at = await scene({ workers: [wait] });
    const run = await at.engine.start(wait, "12/05/2026");
    const bad = await at.engine.start(wait, "soon");
    await at.engine.idle();
    assert.notEqual((await at.outcome(run))[0], "failed");
    const [state, message] = await at.outcome(bad);
    assert.equal(state, "failed");
    assert.match(String(message), /invalid date/);
  });

  it("a parallel state runs its branches at once and joins their outputs", async () => {
    const machine = graph<number, unknown>("machine", (g) => {
      const [a, b] = [g.node("a", double), g.node("b", pass)];
      return g.node("join", pass, { after: [a, b] });
    });
    const at = await scene({ graphs: [machine] });
    const run = await at.engine.start(machine, 4);
    assert.deepEqual(await run.result(), { a: 8, b: 4 });
  });

  it("the outputs of branches are in the order of their definition, whatever ends first", async () => {
    const slow = gate();
    const first = worker("first", () => slow.promise.then(() => 1));
    const machine = graph("machine", (g) => {
      const [a, b] = [g.node("a", first), g.node("b", double, { input: () => 1 })];
      return g.node(
        "join",
        worker("join", (all: Record<string, number>) => Object.values(all)),
        { after: [a, b] },
      );
    });
    const at = await scene({ graphs: [machine] });
    const run = await at.engine.start(machine, null);
    await at.until(async () => (await at.nodes(run))["b"] === "done");
    slow.open();
    assert.deepEqual(await run.result(), [1, 2]);
  });

  it("a branch that fails ends the other branches and the execution", async () => {
    const machine = graph("machine", (g) => {
      const branches = [g.node("bad", failing), g.node("hold", hold)] as const;
      g.node("join", pass, { after: branches });
    });
    const at = await scene({ graphs: [machine] });
    const run = await at.engine.start(machine, null);
    await at.engine.idle();
    const { bad, hold: other, join } = await at.nodes(run);
    assert.deepEqual(await at.outcome(run), ["failed", "Something failed"]);
    assert.deepEqual([bad, other, join], ["failed", "cancelled", "pending"]);
  });

  it("a parallel state inside another one joins from the inside out", async () => {
    const inner = graph<number, unknown>("inner", (g) => {
      const [a, b] = [g.node("a", double), g.node("b", pass)];
      return g.node("join", pass, { after: [a, b] });
    });
    const outer = graph<number, unknown>("outer", (g) => {
      const [one, two] = [g.node("one", inner), g.node("two", double)];
      return g.node("both", pass, { after: [one, two] });
    });
    const at = await scene({ graphs: [outer, inner] });
    const run = await at.engine.start(outer, 3);
    assert.deepEqual(await run.result(), { one: { a: 6, b: 3 }, two: 6 });
  });

  it("a catch takes its own path with the error as its input", async () => {
    const handler = worker("handler", ({ message, node }: { message: string; node?: string }) => `${node}: ${message}`);
    const machine = graph<null, unknown>("machine", (g) => {
      const bad = g.node("bad", failing);
      g.node("next", pass, { after: [bad] });
      return g.node("handler", handler, { after: [bad], on: "failed" });
    });
    const at = await scene({ graphs: [machine] });
    const run = await at.engine.start(machine, null);
    await at.engine.idle();
    assert.deepEqual(await at.outcome(run), ["done", "bad: Something failed"]);
    assert.equal((await at.nodes(run))["next"], "skipped");
  });

  it("a catch path that was not needed is skipped", async () => {
    const machine = graph<number, unknown>("machine", (g) => {
      const good = g.node("good", double);
      g.node("handler", pass, { after: [good], on: "failed" });
      return g.node("next", pass, { after: [good] });
    });
    const at = await scene({ graphs: [machine] });
    const run = await at.engine.start(machine, 2);
    await at.engine.idle();
    assert.deepEqual([await at.outcome(run), (await at.nodes(run))["handler"]], [["done", { good: 4 }], "skipped"]);
  });

  it("a retrier waits its interval times its backoff rate, up to its longest delay", async () => {
    const times: number[] = [];
    const flaky = worker("flaky", { retry: { max: 5, base: "10s", cap: "30s", jitter: false } }, () => {
      times.push(at.clock.now());
      throw new Error("busy");
    });
    const at = await scene({ workers: [flaky] });
    await at.engine.start(flaky, null);
    await at.pass(HOUR);
    assert.deepEqual(
      times.slice(1).map((time, index) => (time - (times[index] ?? 0)) / SECOND),
      [10, 20, 30, 30],
    );
  });

  it("jitter shortens the delay of a retrier", async () => {
    const times: number[] = [];
    const flaky = worker("flaky", { retry: { max: 2, base: "10s" } }, () => {
      times.push(at.clock.now());
      throw new Error("busy");
    });
    const at = await scene({ workers: [flaky], random: () => 0 });
    await at.engine.start(flaky, null);
    await at.pass(HOUR);
    assert.equal((times[1] ?? 0) - (times[0] ?? 0), 5 * SECOND);
  });

  it("a retrier with no attempts left does not retry", async () => {
    let calls = 0;
    const bad = worker("bad", () => {
      calls++;
      throw new Error("no");
    });
    const machine = graph("machine", (g) => g.node("bad", bad, { retry: { max: 1 } }));
    const at = await scene({ graphs: [machine] });
    await at.engine.start(machine, null);
    await at.pass(HOUR);
    assert.equal(calls, 1);
  });

  it("a retrier applies only to the errors that it names", async () => {
    let calls = 0;
    const picky = worker(
      "picky",
      { retry: { max: 5, retryIf: (error) => (error as Error).name === "Throttled" } },
      () => {
        throw Object.assign(new Error("no"), { name: ["Throttled", "Denied"][calls++] });
      },
    );
    const at = await scene({ workers: [picky] });
    const run = await at.engine.start(picky, null);
    await at.pass(HOUR);
    assert.deepEqual([(await at.outcome(run))[0], calls], ["failed", 2]);
  });
});
