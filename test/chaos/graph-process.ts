/**
 * The process that test/chaos/graph-kill.test.ts kills: starts graphs on the database of its first argument, tells of each
 * one that was acknowledged, and once all have ended prints what the store says of them and exits.
 */
import { createEngine, graph, openStore, systemClock, worker, type GraphEvent } from "svc/graph";

/** Started again by each process: the keys make that one graph each. */
export const GRAPHS = 300;
/** Of the fan-out of each graph. */
export const ITEMS = 40;

/** What a graph came to. */
export interface Ended {
  id: string;
  status: string;
  result: unknown;
  events: Pick<GraphEvent, "seq" | "type" | "node">[];
}

const list = worker("list", (input: { from: number }) => Array.from({ length: ITEMS }, (_, at) => input.from + at));
const double = worker(
  "double",
  { retry: { max: 20, base: "5ms", cap: "20ms" }, concurrency: 16 },
  async (n: number) => {
    await new Promise((done) => setTimeout(done, Math.random() * 4));
    if (Math.random() < 0.15) throw new Error("a fault that passes");
    return n * 2;
  },
);
const sum = worker("sum", (doubled: number[]) => doubled.reduce((total, n) => total + n, 0));

const sums = graph<{ from: number }, number>("sums", (g) => {
  const items = g.node("list", list);
  const doubled = g.map("double", double, items, (numbers) => numbers);
  return g.node("sum", sum, { after: [doubled], input: (_input, deps) => deps["double"] });
});

async function main(url: string): Promise<void> {
  // The timers of an engine do not keep a process alive, so between two retries nothing would.
  const alive = setInterval(() => {}, 60_000);
  const store = await openStore(url);
  const engine = createEngine({ store, clock: systemClock, graphs: [sums], outboxRows: () => [], log: console });
  await engine.recover();
  const ids = await Promise.all(
    Array.from({ length: GRAPHS }, async (_, at) => {
      const { snapshot } = await engine.start("sums", { from: at }, { idempotencyKey: `sums-${at}` });
      console.log(`started ${at} ${snapshot.graph_id}`);
      return snapshot.graph_id;
    }),
  );
  const ended = await Promise.all(ids.map((id) => untilEnded(id)));
  console.log(`ended ${JSON.stringify(ended)}`);
  await engine.close(1000);
  await store.close();
  clearInterval(alive);

  async function untilEnded(id: string): Promise<Ended> {
    const events: Ended["events"] = [];
    for (;;) {
      for await (const { seq, type, node } of engine.subscribe(id, events.length, new AbortController().signal)) {
        events.push(node === undefined ? { seq, type } : { seq, type, node });
      }
      const snapshot = engine.snapshot(id);
      // By chance one node was running at three kills, which the engine takes for its fault.
      if (snapshot?.error?.reason === "poison") await engine.retry(id);
      else return { id, status: snapshot?.status ?? "gone", result: snapshot?.result, events };
    }
  }
}

const [, , url] = process.argv;
// Imported by its test, too, which may have arguments of its own.
if (url?.startsWith("sqlite:")) await main(url);
