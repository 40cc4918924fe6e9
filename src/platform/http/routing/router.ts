/**
 * Finds the handler of a method and path, by the rules of docs/reference/http.md: HEAD wherever GET, 405 with `Allow` for a known path with
 * another method. route-tree.ts matches patterns. Each method has its own lookup, so a pattern without a method never hides another one.
 */
import { remembered } from "../../shared/collections/memoize.ts";
import { compose } from "./middleware.ts";
import { RouteTree, type Found } from "./route-tree.ts";
import type { Handler, Middleware, Params } from "../types.ts";

export interface Route {
  /** Upper case. */
  readonly method: string;
  /** The pattern as added: `/todos/:id`. Suitable for logs and metrics, because paths may contain secrets and are unlimited in number. */
  readonly pattern: string;
  readonly handler: Handler;
}

export type Match =
  | { kind: "found"; route: Route; params: Params }
  | { kind: "wrong-method"; allow: string }
  | { kind: "unknown" };

const NO_PARAMS: Params = Object.freeze({});
const UNKNOWN: Match = { kind: "unknown" };

export class Router {
  readonly #tree = new RouteTree<Route>();
  /** Patterns below `#apart`. */
  readonly #treeApart = new RouteTree<Route>();
  readonly #apart: string | undefined;
  /** Patterns without parameters, which most requests hit, by method. */
  readonly #static = new Map<string, Map<string, Match>>();
  readonly #methods = new Set<string>();
  /** Cached matches of paths with parameters, by method: action calls use few paths, very often. */
  readonly #recent = new Map<string, (path: string) => { match: Match | undefined }>();
  /** Paths that are known to match no pattern. */
  readonly #unknown = new Set<string>();

  /** @param apart a path such as `/_svc`: paths below it only match patterns below it, and not `/**:rest`. Default: none. */
  constructor(apart?: string) {
    this.#apart = apart === undefined ? undefined : `${apart}/`;
  }

  /** @param method upper case. @param middleware around the handler, outermost first. */
  add(method: string, pattern: string, handler: Handler, middleware: readonly Middleware[] = []): void {
    const route = { method, pattern, handler: compose(middleware, handler) };
    this.#methods.add(method);
    this.#unknown.clear();
    this.#recent.clear();
    this.#treeOf(pattern).add(method, pattern, route);
    if (/[:*]/.test(pattern)) return;
    const paths = this.#static.get(method) ?? new Map<string, Match>();
    this.#static.set(method, paths.set(pattern, { kind: "found", route, params: NO_PARAMS }));
  }

  /** Remembers that frequent paths, such as those of files, match no pattern. */
  ruleOut(paths: Iterable<string>): void {
    for (const path of paths) if (this.match("GET", path).kind === "unknown") this.#unknown.add(path);
  }

  match(method: string, path: string): Match {
    if (this.#unknown.has(path)) return UNKNOWN;
    const lookup = method === "HEAD" ? (this.#find("HEAD", path) ?? this.#find("GET", path)) : this.#find(method, path);
    return lookup ?? this.#miss(path);
  }

  #find(method: string, path: string): Match | undefined {
    return this.#static.get(method)?.get(path) ?? this.#lookUp(method, path);
  }

  #lookUp(method: string, path: string): Match | undefined {
    if (!this.#methods.has(method)) return undefined;
    let find = this.#recent.get(method);
    if (!find)
      this.#recent.set(method, (find = remembered((of) => ({ match: asMatch(this.#treeOf(of).find(method, of)) }))));
    return find(path).match;
  }

  #treeOf(path: string): RouteTree<Route> {
    return this.#apart !== undefined && path.startsWith(this.#apart) ? this.#treeApart : this.#tree;
  }

  #miss(path: string): Match {
    const methods = new Set([...this.#methods].filter((method) => this.#find(method, path)));
    if (methods.size === 0) return UNKNOWN;
    if (methods.has("GET")) methods.add("HEAD");
    return { kind: "wrong-method", allow: [...methods].sort().join(", ") };
  }
}

function asMatch(found: Found<Route> | undefined): Match | undefined {
  return found && { kind: "found", route: found.value, params: found.params };
}
