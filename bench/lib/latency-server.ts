/**
 * The server of bench:latency, in a separate process: one page, and graphs that the parent process turns on and off.
 * Its argument is the data directory. Graphs run at full rate: each that ends starts the next one.
 */
import { createApp, page } from "svckit";
import { graph, worker, type GraphDefinition } from "svckit/graph";

export type Order = "start graphs" | "stop graphs" | "report";

/** Response to each order. */
export interface Report {
  url: string;
  /** Graphs that have ended so far. */
  graphs: number;
}

const CONCURRENT_GRAPHS = 32;
const ROWS = 100;

const increment = worker("increment", { perProcess: 1000 }, (n: number) => n + 1);
const chain = graph("chain-of-3", (g) => {
  const first = g.node("first", increment);
  const second = g.node("second", increment, { after: [first], input: (_input, deps) => deps["first"] });
  return g.node("third", increment, { after: [second], input: (_input, deps) => deps["second"] });
}) as GraphDefinition;

const table = page("/", {
  title: "Table",
  load: () => ({ rows: Array.from({ length: ROWS }, (_, at) => at) }),
  view: ({ rows }) => `<table>${rows.map((row) => `<tr><td>${row}</td><td>row ${row}</td></tr>`).join("")}</table>`,
});

const app = createApp({
  pages: [table],
  graphs: [chain],
  env: {
    NODE_ENV: "production",
    SVC_DATA_DIR: process.argv[2],
    SVC_LOG_LEVEL: "silent",
  },
});
const { url } = await app.start({ port: 0, host: "127.0.0.1" });

let isRunning = false;
let graphs = 0;
let queueReports: Promise<void[]> = Promise.resolve([]);

async function runLane(): Promise<void> {
  while (isRunning) {
    const { snapshot } = await app.engine.start(chain.name, graphs);
    await app.engine.result(snapshot.graph_id);
    graphs++;
  }
}

async function obey(order: Order): Promise<void> {
  if (order === "report") return;
  isRunning = order === "start graphs";
  if (isRunning) queueReports = Promise.all(Array.from({ length: CONCURRENT_GRAPHS }, runLane));
  else await queueReports;
}

const report = (): void => void process.send?.({ url, graphs } satisfies Report);

process.on("message", (order: Order) => {
  obey(order).then(report, (error: unknown) => {
    console.error(error);
    process.exit(1);
  });
});
report();
