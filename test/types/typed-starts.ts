/** Types of starts by definition and by registered name, of handles, and of signals. */
import * as v from "valibot";
import { defineSignal, defineUpdate, graph, worker, type Engine, type Json, type RunHandle } from "svckit/graph";

interface Order {
  cents: number;
}

const charge = worker("charge", (order: Order) => ({ isPaid: order.cents > 0 }));
const orderFlow = graph<Order, { isPaid: boolean }>("order-flow", (g) => g.node("charge", charge));
const untyped = graph("untyped", (g) => void g.node("charge", charge));
const checked = worker("checked", { input: v.object({ day: v.optional(v.string(), "today") }) }, ({ day }) => day);

declare module "svckit/graph" {
  interface Definitions {
    "order-flow": typeof orderFlow;
    charge: typeof charge;
    checked: typeof checked;
    untyped: typeof untyped;
  }
}

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const same = <A, B>(isSame: Equal<A, B>): void => void isSame;

export async function byDefinition(engine: Engine): Promise<void> {
  const run = await engine.start(orderFlow, { cents: 500 }, { tags: ["a"] });
  const { snapshot, created } = run;
  const result = await run.result();
  same<typeof result, { isPaid: boolean }>(true);
  const alone = await (await engine.start(charge, { cents: 1 })).result();
  same<typeof alone, { isPaid: boolean }>(true);
  await engine.start(checked, {});
  await engine.start(untyped, { anything: true });
  const handle: RunHandle<{ isPaid: boolean }> = engine.getHandle(orderFlow, snapshot.graph_id);
  const known = engine.getHandle(snapshot.graph_id);
  same<typeof known, RunHandle<Json>>(true);
  // @ts-expect-error the graph's input is an order
  await engine.start(orderFlow, { cent: 500 });
  // @ts-expect-error the input is missing
  await engine.start(orderFlow);
  // @ts-expect-error the worker takes an order
  await engine.start(charge, 500);
  // @ts-expect-error the schema accepts a text
  await engine.start(checked, { day: 1 });
  // @ts-expect-error there is no such option
  await engine.start(orderFlow, { cents: 500 }, { tag: "a" });
  // @ts-expect-error the result has no such property
  void (await handle.result()).isPayed;
  void created;
}

export async function byName(engine: Engine, anyName: string): Promise<void> {
  const result = await (await engine.start("order-flow", { cents: 500 })).result();
  same<typeof result, { isPaid: boolean }>(true);
  const alone = await (await engine.start("charge", { cents: 500 })).result();
  same<typeof alone, { isPaid: boolean }>(true);
  await engine.start("checked", {});
  await engine.start("untyped", null);
  // @ts-expect-error no graph or worker has this name
  await engine.start("order-flwo", { cents: 500 });
  // @ts-expect-error the graph's input is an order
  await engine.start("order-flow", { amount: 500 });
  // A name that is known only at run time may be any name.
  const dynamic = await (await engine.start(anyName, { anything: true })).result();
  same<typeof dynamic, Json>(true);
}

const approval = defineSignal("approval", v.object({ isApproved: v.boolean(), at: v.optional(v.number(), 0) }));
const remark = defineSignal<{ text: string }>("remark");

export async function signals(engine: Engine, run: RunHandle): Promise<void> {
  await run.signal(approval, { isApproved: true });
  await engine.signal("g_1", approval, { isApproved: true, at: 1 }, { idempotencyKey: "a" });
  await run.signal(remark, { text: "fine" });
  await run.signal("any", { anything: true });
  // @ts-expect-error the value has no such property
  await run.signal(approval, { approved: true });
  // @ts-expect-error the value is missing
  await run.signal(remark);
  // @ts-expect-error the value has the wrong type
  await engine.signal("g_1", remark, { text: 1 });
  await engine.signalWithStart(
    orderFlow,
    { cents: 1 },
    { signal: remark, value: { text: "fine" }, idempotencyKey: "a" },
  );
  // @ts-expect-error a run without a key can't be found again
  await engine.signalWithStart(orderFlow, { cents: 1 }, { signal: remark, value: { text: "fine" } });
  // @ts-expect-error the value has the wrong type
  await engine.signalWithStart(orderFlow, { cents: 1 }, { signal: remark, value: "fine", idempotencyKey: "a" });
}

export const waiting = worker("waiting", async (_input: unknown, ctx) => {
  const { isApproved, at } = await ctx.waitFor(approval, { timeout: "1d" });
  same<typeof at, number>(true);
  const { text } = await ctx.waitFor(remark);
  // @ts-expect-error the definition has the schema
  await ctx.waitFor(approval, { schema: v.object({}) });
  return { isApproved, text };
});

const addItem = defineUpdate(
  "add-item",
  v.object({ sku: v.string(), count: v.optional(v.number(), 1) }),
  v.object({ items: v.number() }),
);
const rename = defineUpdate<{ title: string }, boolean>("rename");

export async function updates(engine: Engine, run: RunHandle): Promise<void> {
  const { items } = await run.update(addItem, { sku: "tea" });
  same<typeof items, number>(true);
  const isRenamed = await engine.update("g_1", rename, { title: "b" }, { timeout: "1m" });
  same<typeof isRenamed, boolean>(true);
  // @ts-expect-error the value has no such property
  await run.update(addItem, { name: "tea" });
  // @ts-expect-error the value is missing
  await run.update(rename);
}

export const updated = worker("updated", async (_input: unknown, ctx) => {
  const outcome = await ctx.handleUpdate(addItem, ({ sku, count }) => ({ items: sku.length + count }));
  if (outcome.ok) same<typeof outcome.answer, { items: number }>(true);
  same<typeof outcome.value, { sku: string; count: number }>(true);
  // @ts-expect-error the answer has the wrong type
  await ctx.handleUpdate(addItem, () => ({ items: "many" }));
  return ctx.patched("a-change");
});
