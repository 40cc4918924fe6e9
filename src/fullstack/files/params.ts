/**
 * Types of routes by the names of their files: `"/users/[id]"` has the parameter `id`. Which routes there are is known
 * once `svc dev` or `svc build` has written them down (`Routes`); what parameters one has is read from its text.
 */
import type { Context } from "../../index.ts";

type Params = Context["params"];

/** Every route of the app, filled by declaration merging in `.svc/routes.d.ts`. */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type
export interface Routes {}

/** A route as its file is called, without extension and `index`: `/users/[id]`. Any text before the first build. */
export type RoutePath = [keyof Routes] extends [never] ? string : Extract<keyof Routes, string>;

/**
 * `"/users/[id]"` → `{ readonly id: string }`. What may be left out (`[[lang]]`) may be undefined; the rest (`[...path]`) is
 * text with slashes.
 */
export type RouteParams<Path extends string> = string extends Path
  ? Params
  : { readonly [Name in RequiredOf<Path>]: string } & { readonly [Name in OptionalOf<Path>]?: string };

type SegmentOf<Path extends string> = Path extends `${infer Segment}/${infer More}` ? Segment | SegmentOf<More> : Path;

type RequiredOf<Path extends string> = RequiredIn<SegmentOf<Path>>;
type RequiredIn<Segment extends string> = Segment extends `[[${string}`
  ? never
  : Segment extends `[...${infer Name}]` | `[${infer Name}]`
    ? Bare<Name>
    : never;

type OptionalOf<Path extends string> = OptionalIn<SegmentOf<Path>>;
type OptionalIn<Segment extends string> = Segment extends `[[...${infer Name}]]` | `[[${infer Name}]]`
  ? Bare<Name>
  : never;

/** `[...rest]` matches the pattern of `[id]` too, with its dots. */
type Bare<Name extends string> = Name extends `...${infer Rest}` ? Rest : Name;

/** What `load` is given at a route: `LoadContext<"/users/[id]">`; in a layout, which many routes share, `LoadContext`. */
export type LoadContext<Path extends RoutePath | undefined = undefined> = Path extends string
  ? Context<RouteParams<Path>>
  : Context;
