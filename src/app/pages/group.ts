/** Pages and routes below one prefix, or behind the same middleware. Owns groups, and what they come to once laid flat. */
import type { Middleware } from "../../platform/http/types.ts";
import { SvcError } from "../../platform/shared/errors.ts";
import type { PageDefinition } from "./page.ts";
import { assertPath } from "./path.ts";
import type { RouteDefinition } from "./route.ts";

export interface GroupOptions {
  /** Around everything in the group, outermost first: inside that of the app and of groups around, outside its members' own. */
  middleware?: readonly Middleware[];
}

/** What `pages`, `routes` and groups hold. */
export type Entry = PageDefinition | RouteDefinition | GroupDefinition;

export interface GroupDefinition {
  readonly kind: "group";
  /** Empty, or begins with a slash and ends without one. */
  readonly prefix: string;
  readonly middleware: readonly Middleware[];
  readonly entries: readonly Entry[];
}

/** A page or route with its whole path and all the middleware around it but the app's. */
export interface Placed {
  definition: PageDefinition | RouteDefinition;
  path: string;
  middleware: readonly Middleware[];
}

/**
 * @param prefix of every path inside: in `group("/admin", …)`, `page("/")` is at `/admin` and `page("/users")` at
 * `/admin/users`. Text alone: parameters would not reach the types of what is inside; without a prefix, members write
 * their whole paths.
 * @throws SvcError `SVC_DEFINITION`
 */
export function group(prefix: string, options: GroupOptions, entries: readonly Entry[]): GroupDefinition;
/** Without a prefix: only the middleware is shared. */
export function group(options: GroupOptions, entries: readonly Entry[]): GroupDefinition;
export function group(
  ...given: [string, GroupOptions, readonly Entry[]] | [GroupOptions, readonly Entry[]]
): GroupDefinition {
  const [prefix, { middleware = [] }, entries] = given.length === 3 ? given : (["/", ...given] as const);
  assertPath("group", prefix);
  if (/[:*]/.test(prefix)) {
    throw new SvcError(
      "SVC_DEFINITION",
      `group path "${prefix}" holds a parameter; leave the prefix out and write it in the paths inside`,
    );
  }
  return { kind: "group", prefix: prefix === "/" ? "" : prefix, middleware, entries };
}

/** All pages and routes of a tree of groups, in the order they are written. @throws SvcError `SVC_DEFINITION` */
export function placeAll(entries: readonly Entry[], around: Omit<GroupDefinition, "kind" | "entries"> = TOP): Placed[] {
  return entries.flatMap((entry) => {
    if (!KINDS.has(entry?.kind))
      throw new SvcError("SVC_DEFINITION", `${reported(entry)} stands where ${ALLOWED} does`);
    const middleware = [...around.middleware, ...entry.middleware];
    if (entry.kind === "group") return placeAll(entry.entries, { prefix: around.prefix + entry.prefix, middleware });
    const path = around.prefix + (entry.path === "/" && around.prefix !== "" ? "" : entry.path);
    assertPath(entry.kind, path);
    return [{ definition: entry, path, middleware }];
  });
}

const KINDS: ReadonlySet<string> = new Set<Entry["kind"]>(["page", "route", "group"]);
const ALLOWED = "a page(…), a route(…) or a group(…)";

/** What apps in plain JavaScript, or with an import that led nowhere, give instead. */
function reported(value: unknown): string {
  return value === null || value === undefined ? String(value) : `A value of type ${typeof value}`;
}

const TOP = { prefix: "", middleware: [] };
