/** Types of a worker's context. */
import * as v from "valibot";
import { worker, type WorkerContext } from "svckit/graph";

const half = worker("half", (n: number) => n / 2);

worker("all", async (_input: unknown, ctx: WorkerContext<{ page: number }>) => {
  const step: number = await ctx.step("one", () => 1);
  const later: string = await ctx.step("two", async ({ signal }) => String(signal.aborted));
  const called: number = await ctx.call("half", half, 4);
  const mapped: number[] = await ctx.map("halves", [1, 2], half);
  const [first] = await ctx.map("each", [1, 2], half, { onError: "collect" });
  const collected: number | string | undefined = first?.ok ? first.value : first?.error.message;
  const decision = await ctx.waitFor("decision", { schema: v.object({ yes: v.boolean() }) });
  const yes: boolean = decision.yes;
  const page: number | undefined = ctx.state.get("page");
  ctx.state.set("page", 2);
  const total: number = await ctx.tx((db) => Number(db.prepare("SELECT 1 AS n").get()?.["n"]));
  const { sha256 } = await ctx.artifact("a.txt", "text");
  const hash: string = sha256;

  // @ts-expect-error the worker takes a number
  await ctx.call("half", half, "4");
  // @ts-expect-error the worker takes numbers
  await ctx.map("halves", ["1"], half);
  // @ts-expect-error the state has no such key
  ctx.state.get("pages");
  // @ts-expect-error the value has the wrong type
  ctx.state.set("page", "2");
  // @ts-expect-error the schema returns a boolean
  const no: string = decision.yes;

  return { step, later, called, mapped, collected, yes, page, total, hash, no };
});
