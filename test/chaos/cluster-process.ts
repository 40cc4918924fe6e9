/**
 * A process of the cluster in `cluster-run.ts`: an app with several graphs, configured by its environment. It prints the address where it
 * listens.
 */
import { writeSync } from "node:fs";
import { createApp } from "svckit";
import { graph, worker } from "svckit/graph";

/** Prefix of the line with the address. */
export const LISTENS = "url ";

const soon = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

const step = worker("step", { retry: { max: 5, base: "10ms" } }, async (value: number) => {
  await soon(Math.random() * 20);
  return value + 1;
});
const parts = worker("parts", async (value: number) => Array.from({ length: 8 }, (_, at) => value + at));
const shared = worker("shared", { perProcess: 2, retry: { max: 5, base: "10ms" } }, async (value: number, ctx) => {
  const first = await ctx.step("first", () => value);
  await soon(20 + Math.random() * 60);
  return first + 1;
});
const sum = worker("sum", async (values: number[]) => values.reduce((all, value) => all + value, 0));
const signed = worker("signed", async (value: number, ctx) => {
  await ctx.waitFor("go");
  return value;
});

const chain = graph("chain", (g) => {
  const first = g.node("first", step);
  const second = g.node("second", step, { after: [first], input: (_input, deps) => Number(deps["first"]) });
  return g.node("third", step, { after: [second], input: (_input, deps) => Number(deps["second"]) });
});
const fan = graph("fan", (g) => {
  const list = g.node("list", parts);
  const each = g.map("each", step, list, (values) => values);
  return g.node("sum", sum, { after: [each], input: (_input, deps) => deps["each"] as number[] });
});
const wide = graph("wide", (g) => {
  const list = g.node("list", parts);
  const each = g.map("each", shared, list, (values) => values);
  return g.node("sum", sum, { after: [each], input: (_input, deps) => deps["each"] as number[] });
});
const approval = graph("approval", (g) => {
  const first = g.node("signed", signed);
  return g.node("third", step, { after: [first], input: (_input, deps) => Number(deps["signed"]) });
});

if (process.argv[2] === "go") {
  const app = createApp({
    graphs: [chain, fan, wide, approval],
    // Failed deliveries are retried soon, to keep the test short.
    webhookSchedule: ["0s", "1s", "1s", "1s", "2s", "2s", "2s", "2s", "2s", "2s"],
  });
  const started = await app.start();
  writeSync(1, `${LISTENS}${started.url}\n`);
  process.once("SIGTERM", () => void started.close().then(() => process.exit(0)));
}
