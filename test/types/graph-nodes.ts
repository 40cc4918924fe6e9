/** Types of node inputs and dependencies in graphs. */
import * as v from "valibot";
import { asWorker, graph, worker, type GraphDefinition, type NodeRef, type Settled } from "svckit/graph";

interface Order {
  amount: number;
  lines: string[];
}

const read = worker("read", (order: Order) => order);
const size = worker("size", (line: string) => line.length);
const sum = worker("sum", (given: { size: number[] }) => given.size.length);
const half = worker("half", (n: number) => n / 2);
const any = worker("any", (_input: unknown) => true);
const reported = worker("reported", (given: { half: number; any: boolean | null }) => `${given.half}`);
const exact = worker("exact", (given: { any: boolean }) => given.any);

export const fits: GraphDefinition<Order, string> = graph<Order, string>("fits", (g) => {
  const order = g.node("read", read);
  const sizes = g.map("size", size, order, (all) => all.lines);
  const total = g.node("sum", sum, { after: [sizes] });
  const halved = g.node("half", half, { after: [total, order], input: (given, deps) => given.amount + deps.sum });
  const asked = g.node("any", any, { after: [order], when: (given, { read: now }) => given.amount < now.amount });
  return g.node("reported", reported, { after: [halved, asked] });
});

export const refused = graph<Order, unknown>("refused", (g) => {
  // @ts-expect-error the graph's input is an order
  g.node("first", half);
  const order = g.node("read", read);
  // @ts-expect-error the default input is `{ read }`, but the worker takes a number
  g.node("second", half, { after: [order] });
  // @ts-expect-error `input` must return a number
  g.node("third", half, { after: [order], input: (_given, deps) => deps.read });
  // @ts-expect-error no node "raed" comes before it
  g.node("fourth", any, { after: [order], when: (_given, deps) => deps.raed.amount > 1 });
  // @ts-expect-error `when` must be synchronous
  g.node("fifth", any, { after: [order], when: async () => true });
  // @ts-expect-error the items are strings, but the worker takes numbers
  g.map("sixth", half, order, (all) => all.lines);
  // @ts-expect-error names are not nodes
  g.node("seventh", any, { after: ["read"] });
  // @ts-expect-error the option is called `after`
  g.node("eighth", any, { afer: [order] });
  // @ts-expect-error only `g.map` supports "collect"
  g.node("ninth", any, { onError: "collect" });
  return order;
});

/** A dependency that may be skipped or fail has a nullable result type. */
export const absent = graph<Order, unknown>("absent", (g) => {
  const order = g.node("read", read);
  const asked = g.node("any", any, { after: [order], when: () => false });
  const tried = g.node("tried", any, { after: [order], onError: "continue" });
  // @ts-expect-error `any` may be skipped
  g.node("exact", exact, { after: [asked] });
  // @ts-expect-error `tried` may fail
  g.node("after-tried", exact, { after: [tried], input: (_given, deps) => ({ any: deps.tried }) });
  // A node is skipped if all its predecessors are skipped, so one that certainly runs makes it certain.
  const loose = g.node("loose", any, { after: [asked, tried] });
  // @ts-expect-error therefore `loose` may be skipped too
  g.node("after-loose", exact, { after: [loose], input: (_given, deps) => ({ any: deps.loose }) });
  const sure = g.node("sure", any, { after: [asked, order] });
  g.node("after-sure", exact, { after: [sure], input: (_given, deps) => ({ any: deps.sure }) });
});

/** The graph's input type and names built in a loop are unknown to the type system. */
export const unknown: GraphDefinition = graph("unknown", (g) => {
  let before: NodeRef<number> = g.node("n0", half);
  for (let at = 1; at < 5; at++)
    before = g.node(`n${at}`, half, { after: [before], input: (_given, deps) => Number(deps[`n${at - 1}`]) });
  const inner = g.node("inner", fits, { input: (order: Order) => order });
  const length = worker("length", (given: { inner: string }) => given.inner.length);
  const long = g.node("length", length, { after: [inner] });
  const many = g.map("many", fits, long, (count) => Array.from({ length: count }, () => ({ amount: 1, lines: [] })));
  const settled = g.map("settled", asWorker(fits), many, () => [], { onError: "collect" });
  const end = worker("end", (given: { many: string[]; settled: Settled<string>[] }) => given.many);
  return g.node("end", end, { after: [many, settled] });
});

const checked = worker(
  "checked",
  {
    input: v.object({ day: v.optional(v.string(), "today") }),
    onCancel: (ctx) => ctx.input.day.length,
    compensate: (ctx, result: number) => ctx.input.day.length + result,
  },
  (input) => input.day.length,
);

/** The input and output types of a schema are distinguished. */
export const schemas = graph("schemas", (g) => {
  g.node("empty", checked, { input: () => ({}) });
  g.node("full", checked, { input: () => ({ day: "tomorrow" }) });
  // @ts-expect-error `day` is a string
  return g.node("wrong", checked, { input: () => ({ day: 1 }) });
});

// @ts-expect-error the schema returns a string
worker("unlike", { input: v.string() }, (input: number) => input);

/** An error branch receives the error, and a node that joins it with the other branch may lack either result. */
export const branched = graph<Order, unknown>("branched", (g) => {
  const order = g.node("read", read);
  const sorry = g.node(
    "sorry",
    worker("sorry", (error: { message: string }) => error.message),
    {
      after: [order],
      on: "failed",
    },
  );
  g.node("by-name", half, {
    after: [order],
    on: "failed",
    input: (_given, { read: error }) => error?.message.length ?? 0,
  });
  // @ts-expect-error the worker takes a number, not an error
  g.node("wrong", half, { after: [order], on: "failed" });
  const sure = g.node("half", half, { after: [order], input: (given) => given.amount });
  const strict = worker("strict", (given: { half: number; sorry: string | null }) => given);
  const join = worker("join", (given: { half: number | null; sorry: string | null }) => given);
  // @ts-expect-error either result may be absent
  g.node("strict", strict, { after: [sure, sorry] });
  return g.node("join", join, { after: [sure, sorry] });
});
