/** The sources of bench:types: the same typed calls, written as each framework's guide recommends. */

export const TYPES_NAMES = ["svc", "svc-zod", "zod", "svc-valibot", "valibot", "trpc", "hono"] as const;
export type TypesName = (typeof TYPES_NAMES)[number];

type Sources = Record<string, string>;

const numbers = (count: number): number[] => Array.from({ length: count }, (_, at) => at);

/** Each schema differs, because identical types would be checked only once. */
const schema = (at: number): string =>
  `z.object({ id: z.number(), field${at}: z.string(), tags: z.array(z.string()) })`;
const argument = (at: number): string => `{ id: ${at}, field${at}: "a", tags: ["b"] }`;
const value = (at: number): string => `{ id: input.id, text${at}: input.field${at}.trim(), count: input.tags.length }`;
/** A type error unless the value's type is inferred. */
const use = (at: number, call: string): string => `  total += (${call}).text${at}.length;`;

const component = (imports: string, count: number, call: (at: number) => string): string =>
  `${imports}
export async function onClick(): Promise<number> {
  let total = 0;
${numbers(count)
  .map((at) => use(at, call(at)))
  .join("\n")}
  return total;
}
`;

const svc = (count: number): Sources =>
  actions(
    count,
    'import { action } from "svckit";',
    (at) => `(input: { id: number; field${at}: string; tags: string[] }) => (${value(at)})`,
  );

/** Schema libraries: import, schema syntax, and the names of their inferred types. */
interface Library {
  imports: string;
  schema: (at: number) => string;
  input: string;
  output: string;
}

const ZOD: Library = { imports: 'import { z } from "zod";', schema, input: "z.input", output: "z.output" };

const VALIBOT: Library = {
  imports: 'import * as v from "valibot";',
  schema: (at) => `v.object({ id: v.number(), field${at}: v.string(), tags: v.array(v.string()) })`,
  input: "v.InferInput",
  output: "v.InferOutput",
};

const svcSchema =
  (library: Library) =>
  (count: number): Sources =>
    actions(
      count,
      `import { action } from "svckit";\n${library.imports}`,
      (at) => `${library.schema(at)}, (input) => (${value(at)})`,
    );

/** The cost of the library's inference alone: the same calls as plain functions with the inferred types, without a framework. */
const schemaAlone =
  (library: Library) =>
  (count: number): Sources => {
    const types = (at: number): string =>
      `${library.input}<typeof s${at}>, ${library.output}<typeof s${at}>, { id: number; text${at}: string; count: number }`;
    const schemas = numbers(count).map((at) => `const s${at} = ${library.schema(at)};`);
    const declared = "declare function run<I, O, V>(run: (input: O) => V): (input: I) => Promise<V>;";
    const imports = [library.imports, declared, ...schemas].join("\n");
    return actions(
      count,
      imports,
      (at) => `(input) => (${value(at)})`,
      (at) => `run<${types(at)}>`,
    );
  };

function actions(
  count: number,
  imports: string,
  given: (at: number) => string,
  make: (at: number) => string = () => "action",
): Sources {
  const lines = numbers(count).map((at) => `export const act${at} = ${make(at)}(${given(at)});`);
  const names = numbers(count).map((at) => `act${at}`);
  return {
    "server.ts": `${imports}\n${lines.join("\n")}\n`,
    "component.ts": component(
      `import { ${names.join(", ")} } from "./server.ts";`,
      count,
      (at) => `await act${at}(${argument(at)})`,
    ),
  };
}

function trpc(count: number): Sources {
  const procedures = numbers(count).map(
    (at) => `  act${at}: t.procedure.input(${schema(at)}).mutation(({ input }) => (${value(at)})),`,
  );
  return {
    "server.ts": `import { initTRPC } from "@trpc/server";
import { z } from "zod";
const t = initTRPC.create();
export const router = t.router({
${procedures.join("\n")}
});
export type Router = typeof router;
`,
    "component.ts": component(
      `import { createTRPCClient, httpLink } from "@trpc/client";
import type { Router } from "./server.ts";
const client = createTRPCClient<Router>({ links: [httpLink({ url: "/trpc" })] });`,
      count,
      (at) => `await client.act${at}.mutate(${argument(at)})`,
    ),
  };
}

function hono(count: number): Sources {
  const routes = numbers(count).map(
    (at) =>
      `  .post("/act${at}", validator("json", (given) => ${schema(at)}.parse(given)), (c) => {
    const input = c.req.valid("json");
    return c.json(${value(at)});
  })`,
  );
  return {
    "server.ts": `import { Hono } from "hono";
import { validator } from "hono/validator";
import { z } from "zod";
export const app = new Hono()
${routes.join("\n")};
export type App = typeof app;
`,
    "component.ts": component(
      `import { hc } from "hono/client";
import type { App } from "./server.ts";
const client = hc<App>("/");`,
      count,
      (at) => `await (await client.act${at}.$post({ json: ${argument(at)} })).json()`,
    ),
  };
}

const MAKERS: Record<TypesName, (count: number) => Sources> = {
  svc,
  "svc-zod": svcSchema(ZOD),
  zod: schemaAlone(ZOD),
  "svc-valibot": svcSchema(VALIBOT),
  valibot: schemaAlone(VALIBOT),
  trpc,
  hono,
};

/** Files by name: a server, and a component that calls all its actions. */
export function sourcesOf(name: TypesName, count: number): Sources {
  return MAKERS[name](count);
}
