/**
 * What the processes of `kill-run.ts` work on: graphs of every kind, each with a result that its number gives, and each
 * call told to a file outside of the database, so that what happened is counted by other means than what was stored.
 */
import { writeSync } from "node:fs";
import { FinalError, graph, worker, type GraphDefinition, type Json, type WorkerContext } from "svckit/graph";

/** Graphs by the name of their definition; the number of a graph says which it is. */
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

/** Attempts of one worker at once. */
const CONCURRENCY = 8;
/** Workers that tell of their calls. */
const WORKERS = 7;
/** Calls that a kill can meet, and so at most has repeated. */
export const PLACES = CONCURRENCY * WORKERS;
const ITEMS = 8;

/** What a graph ends with; undefined where it may have been cancelled before. */
export function resultOf(index: number): Json | undefined {
  const kind = kindOf(index);
  if (kind === "cancelled") return undefined;
  if (kind === "fan-out" || kind === "flaky") return ITEMS * (2 * index + ITEMS - 1);
  return kind === "broken" || kind === "sleeper" || kind === "approval" ? index + 1 : index + 3;
}

/** A call as it is told: of a worker, or of a step of one. */
export interface Call {
  graphId: string;
  node: string;
  epoch: number;
}

export function callOf(line: string): Call {
  const [graphId = "", node = "", epoch] = line.split(" ");
  return { graphId, node, epoch: Number(epoch) };
}

/** @param file descriptor of a file opened for appending: what is written survives the process. */
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
  // Those that wait begin again after a kill, as they are meant to: only their steps must not.
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
