/** Groups: pages and routes below one prefix, or behind the same middleware. Defines groups and flattens them. */
import type { Middleware } from "../../platform/http/types.ts";
import { SvcError } from "../../platform/shared/errors.ts";
import type { PageDefinition } from "./page.ts";
import { assertPath } from "./path.ts";
import type { RouteDefinition } from "./route.ts";

export interface GroupOptions {
  /** Middleware around all members, outermost first; inside the middleware of the app and outer groups, outside that of the members. */
  middleware?: readonly Middleware[];
}

/** A member of `pages`, `routes` and groups. */
export type Entry = PageDefinition | RouteDefinition | GroupDefinition;

export interface GroupDefinition {
  readonly kind: "group";
  /** Empty, or starts with a slash and ends without one. */
  readonly prefix: string;
  readonly middleware: readonly Middleware[];
  readonly entries: readonly Entry[];
}

/** A page or route with its complete path and all middleware except the app's. */
export interface Placed {
  definition: PageDefinition | RouteDefinition;
  path: string;
  middleware: readonly Middleware[];
}

/**
 * @param prefix of every member's path: in `group("/admin", …)`, `page("/")` is at `/admin` and `page("/users")` at
 * `/admin/users`. It must not contain parameters, because the types of members would not include them. Without a prefix, members have
 * complete paths.
 * @throws SvcError `SVC_DEFINITION` for an invalid prefix
 * @example
 * const admin = group("/admin", { middleware: [rateLimit({ perMinute: 60 })] }, [
 *   page("/", { title: "Admin", view: () => <h1>Admin</h1> }),
 * ]);
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
      `group path "${prefix}" contains a parameter; omit the prefix and write it in the paths of the members`,
    );
  }
  return { kind: "group", prefix: prefix === "/" ? "" : prefix, middleware, entries };
}

/** All pages and routes of a tree of groups, in source order. @throws SvcError `SVC_DEFINITION` */
export function placeAll(entries: readonly Entry[], around: Omit<GroupDefinition, "kind" | "entries"> = TOP): Placed[] {
  return entries.flatMap((entry) => {
    if (!KINDS.has(entry?.kind)) throw new SvcError("SVC_DEFINITION", `${reported(entry)} is not ${ALLOWED}`);
    const middleware = [...around.middleware, ...entry.middleware];
    if (entry.kind === "group") return placeAll(entry.entries, { prefix: around.prefix + entry.prefix, middleware });
    const path = around.prefix + (entry.path === "/" && around.prefix !== "" ? "" : entry.path);
    assertPath(entry.kind, path);
    return [{ definition: entry, path, middleware }];
  });
}

const KINDS: ReadonlySet<string> = new Set<Entry["kind"]>(["page", "route", "group"]);
const ALLOWED = "a page(…), a route(…) or a group(…)";

/** Describes an invalid entry: from plain JavaScript, or from an import that resolved to nothing. */
function reported(value: unknown): string {
  return value === null || value === undefined ? String(value) : `A value of type ${typeof value}`;
}

const TOP = { prefix: "", middleware: [] };
