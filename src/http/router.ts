/**
 * Method and path to handler. Matching is `rou3`'s; ours are the rules of the contract: HEAD wherever GET, 405 with
 * `Allow` for a known path with a wrong method, the most specific pattern first.
 *
 * Patterns: `/todos`, `/todos/:id`, `/files/**:path`.
 */
import { addRoute, createRouter, findRoute } from "rou3";
import type { Handler, Middleware } from "./types.ts";

export interface Route {
  handler: Handler;
  middleware: readonly Middleware[];
}

export type Match =
  | { kind: "found"; route: Route; params: Readonly<Record<string, string>> }
  | { kind: "wrong-method"; allow: string }
  | { kind: "unknown" };

const NO_PARAMS: Readonly<Record<string, string>> = Object.freeze({});
const UNKNOWN: Match = { kind: "unknown" };

export class Router {
  readonly #router = createRouter<Route & { method: string }>();
  /** Patterns without parameters, which most requests hit. */
  readonly #static = new Map<string, Match>();
  readonly #methods = new Set<string>();

  /** @param method upper case. */
  add(method: string, pattern: string, handler: Handler, middleware: readonly Middleware[] = []): void {
    const route = { handler, middleware, method };
    this.#methods.add(method);
    addRoute(this.#router, method, pattern, route);
    if (!/[:*]/.test(pattern)) this.#static.set(`${method} ${pattern}`, { kind: "found", route, params: NO_PARAMS });
  }

  match(method: string, path: string): Match {
    const lookup = method === "HEAD" ? (this.#find("HEAD", path) ?? this.#find("GET", path)) : this.#find(method, path);
    return lookup ?? this.#miss(path);
  }

  #find(method: string, path: string): Match | undefined {
    const known = this.#static.get(`${method} ${path}`);
    if (known) return known;
    const found = findRoute(this.#router, method, path);
    return found && { kind: "found", route: found.data, params: found.params ?? NO_PARAMS };
  }

  #miss(path: string): Match {
    const methods = new Set([...this.#methods].filter((method) => this.#find(method, path)));
    if (methods.size === 0) return UNKNOWN;
    if (methods.has("GET")) methods.add("HEAD");
    return { kind: "wrong-method", allow: [...methods].sort().join(", ") };
  }
}
