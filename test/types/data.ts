/** Types of actions, workers, graphs and pages, inferred from their functions and schemas. */
import { action, call, fail, page } from "svckit";
import { graph, worker } from "svckit/graph";
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
  // @ts-expect-error the arguments are numbers
  await add("1", 2);
  // @ts-expect-error an argument is missing
  await add(1);
  // `age` is optional for callers, but always set inside the action.
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

interface Tree {
  name: string;
  children: Tree[];
}
interface Row {
  id: number;
  note?: string | undefined;
}

/** JSON-compatible types are kept as they are. */
const tree = action(async (root: Tree): Promise<Tree> => root);
const rows = action((): readonly Row[] => [{ id: 1 }]);
const nothing = action(() => {});
const maybe = action((id: number) => (id > 0 ? { id } : undefined));
const echo = action((...args: unknown[]) => args);
const optional = action((first?: string, second?: number) => [first ?? "", second ?? 0]);
const ask = action(
  async function* (prompt: string) {
    for (const word of prompt.split(" ")) yield word;
  },
  { limit: { perMinute: 5 }, timeout: 1000, maxBytes: 2048 },
);
const never = action(() => fail(409, "never"));
const neverChecked = action(v.string(), () => fail("never"));
const checkedAsk = action(v.object({ prompt: v.string() }), async function* ({ prompt }) {
  yield { word: prompt };
});

export async function carried(): Promise<void> {
  same<Awaited<ReturnType<typeof tree>>, Tree>(true);
  same<Awaited<ReturnType<typeof rows>>, readonly Row[]>(true);
  same<Awaited<ReturnType<typeof nothing>>, null>(true);
  same<ReturnType<typeof never>, Promise<never>>(true);
  same<ReturnType<typeof neverChecked>, Promise<never>>(true);
  same<Awaited<ReturnType<typeof maybe>>, { id: number } | null>(true);
  same<Awaited<ReturnType<typeof echo>>, unknown[]>(true);
  const signal = new AbortController().signal;
  const age = await call(rename, { signal, idempotencyKey: "k" })({ name: "Ada" });
  same<typeof age, number>(true);
  for await (const word of call(ask, { signal })("a b")) same<typeof word, string>(true);
  // @ts-expect-error `call` keeps the argument types of the action
  await call(rename, { signal })(1);
  await optional();
  await optional("a", 1);
  for await (const word of ask("a b")) same<typeof word, string>(true);
  for await (const item of checkedAsk({ prompt: "a b" })) same<typeof item, { word: string }>(true);
  // @ts-expect-error a prompt is text
  ask(1);
}

export const refusedByTypes = [
  // @ts-expect-error a Date would arrive as text
  action(() => new Date()),
  // @ts-expect-error nested values are checked too
  action(async () => ({ rows: [{ at: new Date() }] })),
  // @ts-expect-error functions cannot be serialized
  action(() => ({ run: () => 1 })),
  // @ts-expect-error a Map would arrive empty
  action(() => new Map([["a", 1]])),
  // @ts-expect-error JSON has no bigint
  action(() => 1n),
  // @ts-expect-error arguments are serialized too
  action((at: Date) => at.getTime()),
  // @ts-expect-error streamed values are serialized too
  action(async function* () {
    yield new Date();
  }),
  // @ts-expect-error `undefined` in a list would arrive as `null`
  action(() => ["a", undefined]),
  // @ts-expect-error callers send the schema's input, which must be JSON
  action(v.object({ at: v.date() }), ({ at }) => at.getTime()),
  // @ts-expect-error there is no such option
  action(() => 1, { retries: 3 }),
];
