/** An app whose worker stores artifacts of every kind. */
import type { App } from "svckit";
import { createFullStackApp } from "svckit/fullstack";
import { worker } from "svckit/graph";
import { localOperator } from "./ops-app.ts";

/** A PNG of one pixel. */
export const PIXEL = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

const printLabels = worker("print-labels", async (_: unknown, ctx) => {
  await ctx.artifact("label.bin", PIXEL, "application/x-label");
  await ctx.artifact("drawing.svg", "<svg onload='alert(1)' xmlns='http://www.w3.org/2000/svg'/>", "image/svg+xml");
  await ctx.artifact("forged.png", "<html><script>alert(1)</script>", "image/png");
  await ctx.artifact("table.bin", new Uint8Array([0, 1, 2, 255]), "text/plain");
  await ctx.artifact("list.csv", "a,b\n1,2", "text/csv");
  await ctx.artifact("answer.json", '{"carrier":"north","token":"planted"}', "application/json");
  return "printed";
});

export function filesApp(env: Record<string, string> = {}): App {
  const always = { SVC_DATABASE_URL: "memory:", SVC_SECRET: "s".repeat(32), SVC_LOG_LEVEL: "error" };
  return createFullStackApp(
    { env: { ...always, ...env }, workers: [printLabels], ops: { authorize: localOperator } },
    {},
  );
}
