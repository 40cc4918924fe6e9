/**
 * A process that `remote-attempt-kill.test.ts` kills: an app that runs the workers named by its environment. Each node emits an event with
 * the id of its process.
 */
import { writeSync } from "node:fs";
import { createApp } from "svckit";
import { graph, worker } from "svckit/graph";

/** Runs in the process that holds the run. */
const plan = worker("plan", (input: string) => input);
/** Its first attempt never ends. Steps before that are remembered. */
const model = worker("model", { timeout: "5m" }, async (input: string, ctx) => {
  const first = await ctx.step("load", () => process.pid);
  ctx.emit("runs", { pid: process.pid });
  await ctx.checkpoint();
  if (ctx.attempt === 1) await new Promise((_stay, leave) => ctx.signal.addEventListener("abort", leave));
  return { input, first, last: process.pid };
});
/** Has one slot per process. Its first attempt never ends. */
const item = worker("item", { timeout: "5m", perProcess: 1 }, async (input: string, ctx) => {
  ctx.emit("runs", { pid: process.pid });
  await ctx.checkpoint();
  if (ctx.attempt === 1) await new Promise((_stay, leave) => ctx.signal.addEventListener("abort", leave));
  return `${input} at ${ctx.attempt}`;
});
const wide = graph("wide", (g) => {
  const first = g.node("plan", plan);
  return g.map("each", item, first, (text) => [`${text}1`, `${text}2`]);
});
const bomb = worker("bomb", { retry: { max: 10, base: "1ms" } }, () => void process.kill(process.pid, "SIGKILL"));

const after = (name: string, middle: typeof model | typeof bomb) =>
  graph(name, (g) => {
    const first = g.node("plan", plan);
    return g.node("away", middle as typeof model, { after: [first], input: (_input, deps) => String(deps["plan"]) });
  });

export const graphs = [after("uses", model), after("explodes", bomb), wide];

if (process.argv[2] === "go") {
  const app = createApp({ graphs });
  await app.boot();
  // The parent process waits for a line.
  writeSync(1, "up\n");
}
