/** What actions, workers, graphs and pages make of types. */
import { action, graph, page, worker } from "svc";
import * as v from "valibot";

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const same = <A, B>(isSame: Equal<A, B>): void => void isSame;

const add = action(async (left: number, right: number) => left + right);
const rename = action(v.object({ name: v.string(), age: v.optional(v.number(), 0) }), (person) => {
  same<typeof person, { name: string; age: number }>(true);
  return person.age;
});

export async function calls(): Promise<void> {
  const sum = await add(1, 2);
  same<typeof sum, number>(true);
  // @ts-expect-error two numbers
  await add("1", 2);
  // @ts-expect-error one is missing
  await add(1);
  // age is optional to callers, there for the action
  const age = await rename({ name: "Ada" });
  same<typeof age, number>(true);
  // @ts-expect-error a name is text
  await rename({ name: 1 });
}

const double = worker("double", (input: { value: number }) => input.value * 2);

export const sums = graph("sums", (g) => {
  const first = g.node("first", double);
  return g.node(
    "second",
    worker("show", (_input: unknown, ctx) => String(ctx.deps["first"])),
    { after: [first] },
  );
});

export const pages = [
  page("/person", {
    title: (person) => person.name,
    load: async () => ({ name: "Ada" }),
    view: (person) => {
      same<typeof person, { name: string }>(true);
      return null;
    },
  }),
  // @ts-expect-error a page needs a title
  page("/untitled", { view: () => null }),
];
