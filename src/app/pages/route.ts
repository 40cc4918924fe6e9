/** Defines a route: methods, a path and a handler. Mutations require a CSRF token unless the route disables it. */
import type { Handler, Middleware } from "../../platform/http/types.ts";
import type { OwnSecurityOptions } from "../../platform/security/headers.ts";
import { SvcError } from "../../platform/shared/errors.ts";
import { assertPath, type PathParams } from "./path.ts";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

export interface RouteOptions {
  /**
   * Whether a mutation must have the CSRF token of one of this site's pages, in a header or form field. Default true. Use `false` only for
   * endpoints that don't trust cookies, such as receivers of signed webhooks: otherwise any site could send requests in the name of your
   * users.
   */
  csrf?: boolean;
  /**
   * Largest form body in bytes that is read to find the CSRF token; a larger one gets 413. A whole number of at least 1. Default 1 MiB.
   * Handlers pass the same limit to `readForm`.
   */
  maxBytes?: number;
  /** Middleware around the handler and the CSRF check, outermost first; inside that of groups and app. Default: none. */
  middleware?: readonly Middleware[];
  /** Security headers that replace the app's for this route, such as for an image that other sites may embed. */
  security?: OwnSecurityOptions;
}

export interface RouteDefinition {
  readonly kind: "route";
  readonly methods: readonly Method[];
  readonly path: string;
  readonly handler: Handler;
  readonly middleware: readonly Middleware[];
  /** Whether methods other than GET need the CSRF token. */
  readonly isGuarded: boolean;
  /** Largest form body that the CSRF check reads; undefined: the default. */
  readonly maxBytes: number | undefined;
  readonly security: OwnSecurityOptions | undefined;
}

const METHODS: readonly string[] = ["GET", "POST", "PUT", "PATCH", "DELETE"] satisfies Method[];

/**
 * @param method one method, or several that share the handler (`ctx.method` has the actual one). GET includes HEAD.
 * @param path `/todos/:id`, `/files/**:file` (one segment or more). Text precedes parameters, and parameters precede a rest,
 * segment by segment from the left. The order of definitions does not matter.
 * @param handler `ctx.params` is typed from the path: `{ id: string }`.
 * @throws SvcError `SVC_DEFINITION` for an invalid method, path or limit
 * @example
 * route("GET", "/books/:id", (ctx) => json({ id: ctx.params.id }));
 */
export function route<const Path extends string>(
  method: Method | readonly Method[],
  path: Path,
  handler: Handler<PathParams<Path>>,
  options: RouteOptions = {},
): RouteDefinition {
  const methods = typeof method === "string" ? [method] : method;
  const wrong = methods.find((name) => !METHODS.includes(name));
  if (wrong !== undefined || new Set(methods).size !== methods.length || methods.length === 0) {
    throw new SvcError(
      "SVC_DEFINITION",
      `route(${JSON.stringify(method)}, …): the method must be one of ${METHODS.join(", ")}, or a list of them without duplicates`,
    );
  }
  assertPath("route", path);
  return {
    kind: "route",
    methods,
    path,
    // The router calls it only for matching paths, so the parameters exist.
    handler: handler as Handler,
    middleware: options.middleware ?? [],
    security: options.security,
    isGuarded: options.csrf ?? true,
    maxBytes: requireBytes(path, options.maxBytes),
  };
}

function requireBytes(path: string, maxBytes: number | undefined): number | undefined {
  if (maxBytes === undefined || (Number.isSafeInteger(maxBytes) && maxBytes > 0)) return maxBytes;
  throw new SvcError(
    "SVC_DEFINITION",
    `route(…, "${path}") has maxBytes ${maxBytes}. It must be a whole number of bytes, at least 1`,
  );
}
