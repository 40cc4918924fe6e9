/** Context of the framework's components: the request of the page around them, and the app's submits. */
import { createContext, SvcError, useContext, type Context } from "../index.ts";
import type { RouteNames } from "./files/route-names.ts";
import type { FormMessages } from "./forms/form-messages.ts";
import type { AnySubmit } from "./forms/submit.ts";

export interface PageScope {
  readonly ctx: Context;
  /** Submits of the app by name. */
  readonly submits: ReadonlyMap<string, AnySubmit>;
  readonly routes: RouteNames;
  /** Texts of forms in the language of the page. */
  readonly formMessages: FormMessages;
  /** Data of the layouts around the page, by their loaders. */
  readonly loaded: ReadonlyMap<unknown, unknown>;
}

export const pageScope = createContext<PageScope | undefined>(undefined);

/** @param what name of the calling component or function, for the message. @throws SvcError `SVC_DEFINITION` outside a page of files */
export function usePage(what: string): PageScope {
  const scope = useContext(pageScope);
  if (scope) return scope;
  throw new SvcError(
    "SVC_DEFINITION",
    `${/^[A-Z]/.test(what) ? `<${what}>` : what} is not in a page of createFullStackApp; use it in a page or layout below pages/`,
  );
}
