/**
 * The graphs that the processes of `kill-run.ts` run. Each run's result follows from its number. Every call is recorded in a file outside
 * of the database, so that it can be counted independently of what is stored.
 */
import { writeSync } from "node:fs";
import { FinalError, graph, worker, type GraphDefinition, type Json, type WorkerContext } from "svckit/graph";

/** Names of the graphs. The number of a run determines its graph. */
export const KINDS = [
  "chain",
  "fan-out",
  "flaky",
  "delayed",
  "paused",
  "broken",
  "sleeper",
  "approval",
  "cancelled",
] as const;
export type Kind = (typeof KINDS)[number];

export function kindOf(index: number): Kind {
  return KINDS[index % KINDS.length] as Kind;
}

/** Concurrent attempts of one worker. */
const CONCURRENCY = 8;
/** Number of workers that record their calls. */
const WORKERS = 7;
/** Maximum number of calls that one kill interrupts and thereby repeats. */
export const SLOTS = CONCURRENCY * WORKERS;
const ITEMS = 8;

/** The result of a run; undefined if it may have been cancelled before. */
export function resultOf(index: number): Json | undefined {
  const kind = kindOf(index);
  if (kind === "cancelled") return undefined;
  if (kind === "fan-out" || kind === "flaky") return ITEMS * (2 * index + ITEMS - 1);
  return kind === "broken" || kind === "sleeper" || kind === "approval" ? index + 1 : index + 3;
}

/** A recorded call of a worker or of one of its steps. */
export interface Call {
  graphId: string;
  node: string;
  epoch: number;
}

export function callOf(line: string): Call {
  const [graphId = "", node = "", epoch] = line.split(" ");
  return { graphId, node, epoch: Number(epoch) };
}

/** @param file descriptor of a file opened for appending, so that the record survives the process. */
export function definitionsOf(file: number): GraphDefinition[] {
  const report = (ctx: WorkerContext, node = ctx.nodeId): void =>
    void writeSync(file, `${ctx.graphId} ${node} ${ctx.epoch}\n`);
  const moment = (): Promise<void> => new Promise((done) => setTimeout(done, Math.random() * 3));
  const options = { concurrency: CONCURRENCY, retry: { max: 100, base: 2, cap: 10 } };

  const add = worker("add", options, async (n: number, ctx) => {
    report(ctx);
    await moment();
    return n + 1;
  });
  const list = worker("list", options, (from: number, ctx) => {
    report(ctx);
    return Array.from({ length: ITEMS }, (_, at) => from + at);
  });
  const double = worker("double", options, async (n: number, ctx) => {
    report(ctx);
    await moment();
    return n * 2;
  });
  const shaky = worker("shaky", options, async (n: number, ctx) => {
    report(ctx);
    await moment();
    if (Math.random() < 0.2) throw new Error("a fault that passes");
    return n * 2;
  });
  const sum = worker("sum", options, (all: number[], ctx) => {
    report(ctx);
    return all.reduce((total, n) => total + n, 0);
  });
  const broken = worker("break", options, (n: number, ctx) => {
    report(ctx);
    if (ctx.epoch === 1) throw new FinalError("only an operator helps");
    return n + 1;
  });
  // After a kill a waiting worker starts again, as designed. Only its steps must not be repeated.
  const sleeper = worker("sleep", options, async (n: number, ctx) => {
    const before = await ctx.step("before", () => (report(ctx, `${ctx.nodeId}#before`), n));
    await ctx.sleep(15);
    return ctx.step("after", () => (report(ctx, `${ctx.nodeId}#after`), before + 1));
  });
  const approval = worker("approve", options, async (n: number, ctx) => n + (await ctx.waitFor<number>("approved")));

  const chainOf = (name: Kind): unknown =>
    graph(name, (g) => {
      const first = g.node("first", add);
      const second = g.node("second", add, { after: [first], input: (_input, deps) => deps["first"] });
      return g.node("third", add, { after: [second], input: (_input, deps) => deps["second"] });
    });
  const fanOutOf = (name: Kind, item: typeof double): unknown =>
    graph(name, (g) => {
      const items = g.node("list", list);
      const doubled = g.map("item", item, items, (all) => all);
      return g.node("sum", sum, { after: [doubled], input: (_input, deps) => deps["item"] });
    });
  const aloneOf = (name: Kind, only: typeof broken): unknown => graph(name, (g) => g.node("only", only));
  return [
    chainOf("chain"),
    fanOutOf("fan-out", double),
    fanOutOf("flaky", shaky),
    chainOf("delayed"),
    chainOf("paused"),
    aloneOf("broken", broken),
    aloneOf("sleeper", sleeper),
    aloneOf("approval", approval),
    chainOf("cancelled"),
  ] as GraphDefinition[];
}
