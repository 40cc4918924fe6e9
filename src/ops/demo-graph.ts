/**
 * A demo graph for apps without graphs, in development only: a list, a node per item, a node that fails once, and a final node. It takes a
 * few seconds, so that there is something to watch.
 */
import { graph, worker, type GraphDefinition } from "../graph.ts";

export const DEMO_GRAPH = "svc-demo";
const LETTERS = ["A", "B", "C", "D", "E", "F"];
/** Long enough to be visible. */
const STEP_MS = 900;

const pause = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, STEP_MS);
    signal.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true });
  });

const collect = worker("svc-demo-collect", async (_: unknown, ctx) => {
  ctx.log("info", "looking for letters");
  await pause(ctx.signal);
  return LETTERS;
});
const weigh = worker("svc-demo-weigh", { concurrency: 2 }, async (letter: string, ctx) => {
  await pause(ctx.signal);
  ctx.log("info", `${letter} weighs ${letter.charCodeAt(0)} g`);
  return letter.charCodeAt(0);
});
const stamp = worker("svc-demo-stamp", { retry: { max: 2, base: "500ms", cap: "1s" } }, async (_: unknown, ctx) => {
  await pause(ctx.signal);
  if (ctx.attempt === 1) throw new Error("The stamp is dry. The next attempt has ink");
  return "stamped";
});
const send = worker("svc-demo-send", async (grams: number[], ctx) => {
  ctx.progress(0.5, "packed");
  await pause(ctx.signal);
  return { grams: grams.reduce((sum, one) => sum + one, 0) };
});

export function demoGraph(): GraphDefinition {
  return graph(DEMO_GRAPH, (g) => {
    const letters = g.node("collect", collect);
    const weights = g.map("weigh", weigh, letters, (found) => found);
    const stamped = g.node("stamp", stamp, { after: [letters] });
    return g.node("send", send, { after: [weights, stamped], input: (_, { weigh }) => weigh });
  });
}
