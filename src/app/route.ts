/** An endpoint of the app's own: a method, a path, a handler. Mutations are guarded unless told otherwise. */
import type { Handler } from "../http/types.ts";
import type { OwnSecurityOptions } from "../security/headers.ts";
import { SvcError } from "../shared/errors.ts";
import { assertPath } from "./path.ts";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

export interface RouteOptions {
  /**
   * Whether a mutation must come from one of this site's pages (header or form field with the CSRF token). Default true.
   * `false` only for endpoints that don't trust cookies, such as receivers of signed webhooks: any site's page could
   * otherwise send requests in your user's name.
   */
  csrf?: boolean;
  /** Security headers of this route's answers in place of the app's, such as an image that other sites may show. */
  security?: OwnSecurityOptions;
}

export interface RouteDefinition {
  readonly kind: "route";
  readonly method: Method;
  readonly path: string;
  readonly handler: Handler;
  readonly isGuarded: boolean;
  readonly security: OwnSecurityOptions | undefined;
}

const METHODS: readonly string[] = ["GET", "POST", "PUT", "PATCH", "DELETE"] satisfies Method[];

/** @param path `/todos/:id`, `/files/**:rest`. @throws SvcError `SVC_DEFINITION` */
export function route(method: Method, path: string, handler: Handler, options: RouteOptions = {}): RouteDefinition {
  if (!METHODS.includes(method)) {
    throw new SvcError(
      "SVC_DEFINITION",
      `route("${String(method)}", …): the method must be one of ${METHODS.join(", ")}`,
    );
  }
  assertPath("route", path);
  const isGuarded = method !== "GET" && (options.csrf ?? true);
  return { kind: "route", method, path, handler, isGuarded, security: options.security };
}
