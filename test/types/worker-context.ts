/** Types of a worker's context. */
import type { App } from "svckit";
import * as v from "valibot";
import { event, graph, worker, type WorkerContext } from "svckit/graph";

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

const ticketCreated = event("ticket.created", v.object({ id: v.string(), tries: v.optional(v.number(), 0) }));
const ticketClosed = event<{ id: string; by: { name: string } }>("ticket.closed");

const answer = worker("answer", async ({ id, tries }: { id: string; tries: number }, ctx) => {
  const closed = await ctx.waitForEvent(ticketClosed, { match: { id, by: { name: "Ada" } }, timeout: "1d" });
  const name: string = closed.data.by.name;
  const created = await ctx.waitForEvent(ticketCreated, { match: { id } });
  const count: number = created.data.tries;
  // @ts-expect-error the event has no such field
  await ctx.waitForEvent(ticketClosed, { match: { ticket: id } });
  // @ts-expect-error the field is text
  await ctx.waitForEvent(ticketClosed, { match: { id: 7 } });
  return [name, count, tries];
});

export const answers = graph("answers", (g) => g.node("answer", answer), {
  on: ticketCreated,
  cancelOn: [{ event: ticketClosed, match: ({ id }) => ({ id }) }],
});

graph(
  "wrong",
  // @ts-expect-error the worker needs the data of another event
  (g) => g.node("answer", answer),
  { on: ticketClosed },
);

graph(
  "batch",
  (g) =>
    g.node(
      "all",
      worker("all", (items: { id: string; tries: number }[]) => items.length),
    ),
  {
    on: ticketCreated,
    batchEvents: { maxSize: 10, timeout: "5s", key: ({ id }) => id },
  },
);

graph("debounced", (g) => g.node("answer", answer), {
  on: ticketCreated,
  debounce: { period: "5s", key: ({ id }) => id },
});

graph("limited", (g) => g.node("answer", answer), {
  on: ticketCreated,
  // @ts-expect-error the event has no such field
  throttle: { limit: 1, period: "5s", key: ({ tenant }) => tenant },
});

export async function sends({ engine }: App): Promise<void> {
  await engine.send(ticketCreated, { id: "t_1" }, { id: "evt_1" });
  await engine.send("ticket.created", { anything: 1 });
  // @ts-expect-error the id is text
  await engine.send(ticketCreated, { id: 1 });
}
