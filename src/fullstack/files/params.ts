/**
 * Route types derived from file names: `"/users/[id]"` has the parameter `id`. `svc dev` and `svc build` write the list of routes
 * (`Routes`).
 */
import type { Context } from "../../index.ts";

type Params = Context["params"];

/** Every route of the app, filled by declaration merging in `svc-routes.d.ts`. */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type
export interface Routes {}

/** Name of a route's file without extension and `index`: `/users/[id]`. Any text before the first build. */
export type RoutePath = [keyof Routes] extends [never] ? string : Extract<keyof Routes, string>;

/**
 * `"/users/[id]"` → `{ readonly id: string }`. An optional parameter (`[[lang]]`) may be undefined; a rest parameter (`[...path]`) is
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

/** The pattern of `[id]` also matches `[...rest]`, with its dots. */
type Bare<Name extends string> = Name extends `...${infer Rest}` ? Rest : Name;

/** Argument of `load`: `LoadContext<"/users/[id]">`, or `LoadContext` in a layout, which many routes share. */
export type LoadContext<Path extends RoutePath | undefined = undefined> = Path extends string
  ? Context<RouteParams<Path>>
  : Context;
