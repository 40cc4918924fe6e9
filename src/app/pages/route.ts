/** An endpoint of the app's own: methods, a path, a handler. Mutations are guarded unless told otherwise. */
import type { Handler, Middleware } from "../../platform/http/types.ts";
import type { OwnSecurityOptions } from "../../platform/security/headers.ts";
import { SvcError } from "../../platform/shared/errors.ts";
import { assertPath, type PathParams } from "./path.ts";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

export interface RouteOptions {
  /**
   * Whether a mutation must come from one of this site's pages (header or form field with the CSRF token). Default true.
   * `false` only for endpoints that don't trust cookies, such as receivers of signed webhooks: any site's page could
   * otherwise send requests in your user's name.
   */
  csrf?: boolean;
  /**
   * Longest form body, in bytes, that is read to find the CSRF token in it. Larger ones get 413. Default 1 MiB.
   * Handlers pass it to `readForm` as well.
   */
  maxBytes?: number;
  /** Around the handler and the check of the CSRF token, outermost first; inside that of groups and app. */
  middleware?: readonly Middleware[];
  /** Security headers of this route's answers in place of the app's, such as an image that other sites may show. */
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
  /** Longest form body that the check of the CSRF token reads; undefined: the default. */
  readonly maxBytes: number | undefined;
  readonly security: OwnSecurityOptions | undefined;
}

const METHODS: readonly string[] = ["GET", "POST", "PUT", "PATCH", "DELETE"] satisfies Method[];

/**
 * @param method one, or several that share the handler (`ctx.method` tells which). HEAD is answered wherever GET is.
 * @param path `/todos/:id`, `/files/**:file` (one segment or more). Text goes before a parameter, a parameter before a rest,
 * segment by segment from the left, whatever the order of definitions.
 * @param handler `ctx.params` is typed from the path: `{ id: string }`.
 * @throws SvcError `SVC_DEFINITION`
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
      `route(${JSON.stringify(method)}, …): the method must be one of ${METHODS.join(", ")}, or a list of some, each once`,
    );
  }
  assertPath("route", path);
  return {
    kind: "route",
    methods,
    path,
    // Only requests that the path matches come here, so its parameters are there.
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
    `route(…, "${path}") has maxBytes ${maxBytes}. Use a whole number of bytes from 1`,
  );
}
