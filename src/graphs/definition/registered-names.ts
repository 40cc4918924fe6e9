/**
 * Types of starts: by definition, or by a name that the app has registered. `svc dev` and `svc build` write the list of names
 * (`Definitions`).
 */
import type { Json } from "../../platform/shared/json.ts";
import type { GraphDefinition, Worker } from "./definition-types.ts";

/**
 * Every graph and worker that the app lists, by name. Filled by declaration merging in `svc-graphs.d.ts`, which `svc dev` and
 * `svc build` write; an app without these commands declares it by hand. Empty: any name compiles.
 */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type
export interface Definitions {}

/** A graph, or a worker that is started alone. */
export type Startable<Input, Output> = GraphDefinition<Input, Output> | Worker<Input, Output>;

/** Names for completion in editors; any other text is checked by `KnownName`. */
// eslint-disable-next-line typescript/no-redundant-type-constituents -- an app fills the interface
export type NameHint = Extract<keyof Definitions, string> | (string & Record<never, never>);

/** Shown by editors for a name that the app has not registered. */
interface UnknownName {
  readonly "no graph or worker of this app has this name: list it in createApp({ graphs, workers })": never;
}

/** A text that is known only at run time may be any name. */
export type KnownName<Name extends string> = [keyof Definitions] extends [never]
  ? string
  : string extends Name
    ? string
    : Name extends keyof Definitions
      ? string
      : UnknownName;

/** Input of a registered name; JSON for a name that is known only at run time. */
export type InputOfName<Name extends string> = Name extends keyof Definitions ? InputIn<Definitions[Name]> : Json;

/** Result of a registered name. */
export type OutputOfName<Name extends string> = Name extends keyof Definitions ? OutputIn<Definitions[Name]> : Json;

type InputIn<Definition> = Definition extends { readonly run: (input: infer Input, ctx: never) => unknown }
  ? Input
  : Definition extends GraphDefinition<infer Input>
    ? Input
    : Json;

type OutputIn<Definition> = Definition extends { readonly run: (input: never, ctx: never) => infer Output }
  ? Awaited<Output>
  : Definition extends GraphDefinition<infer _Input, infer Output>
    ? Output
    : Json;
