/**
 * One process of those that `elsewhere-kill.test.ts` kills: an app whose workers run where the environment says. A node tells by an event
 * in which process it runs.
 */
import { writeSync } from "node:fs";
import { createApp } from "svckit";
import { graph, worker } from "svckit/graph";

/** Where its graph is. */
const plan = worker("plan", (input: string) => input);
/** Stays at its first attempt; what it did before that is remembered. */
const model = worker("model", { timeout: "5m" }, async (input: string, ctx) => {
  const first = await ctx.step("load", () => process.pid);
  ctx.emit("runs", { pid: process.pid });
  await ctx.checkpoint();
  if (ctx.attempt === 1) await new Promise((_stay, leave) => ctx.signal.addEventListener("abort", leave));
  return { input, first, last: process.pid };
});
/** One place in each process. Stays at its first attempt. */
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
  // Whoever starts it waits for a line.
  writeSync(1, "up\n");
}
