/** The graphs of the measuring scripts. Their workers do almost nothing, so the scripts measure the engine and its store. */
import { graph, worker, type Engine, type GraphDefinition } from "svckit/graph";

/** Items of one fan-out. */
const ITEMS = 100;

const increment = worker("increment", { perProcess: 1000 }, (n: number) => n + 1);

export const chain = graph("chain-of-3", (g) => {
  const first = g.node("first", increment);
  const second = g.node("second", increment, { after: [first], input: (_input, deps) => deps["first"] });
  return g.node("third", increment, { after: [second], input: (_input, deps) => deps["second"] });
}) as GraphDefinition;

const list = worker("list", { perProcess: 1000 }, (n: number) => Array.from({ length: ITEMS }, (_, at) => n + at));
const sum = worker("sum", { perProcess: 1000 }, (all: number[]) => all.reduce((total, n) => total + n, 0));

export const fanOut = graph(`fan-out-of-${ITEMS}`, (g) => {
  const items = g.node("list", list);
  const increments = g.map("increment", increment, items, (all) => all);
  return g.node("sum", sum, { after: [increments], input: (_input, deps) => deps["increment"] });
}) as GraphDefinition;

/** Runs this number of graphs to their ends, `concurrency` at once. @returns duration in seconds. @throws if one fails */
export async function runAll(engine: Engine, name: string, graphs: number, concurrency: number): Promise<number> {
  let started = 0;
  const next = (): number | undefined => (started < graphs ? started++ : undefined);
  const beginMs = performance.now();
  await Promise.all(Array.from({ length: concurrency }, () => runMany(engine, name, next)));
  return (performance.now() - beginMs) / 1000;
}

/** Starts one graph after another and waits for each end. */
async function runMany(engine: Engine, name: string, next: () => number | undefined): Promise<void> {
  for (let n = next(); n !== undefined; n = next()) {
    const { snapshot } = await engine.start(name, n);
    await engine.result(snapshot.graph_id);
  }
}
