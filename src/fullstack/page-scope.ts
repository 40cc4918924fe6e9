/** Context of the framework's components: the request of the page around them, and the app's submits. */
import { createContext, SvcError, useContext, type Context } from "../index.ts";
import type { RouteNames } from "./files/route-names.ts";
import type { AnySubmit } from "./forms/submit.ts";

export interface PageScope {
  readonly ctx: Context;
  /** Submits of the app by name. */
  readonly submits: ReadonlyMap<string, AnySubmit>;
  readonly routes: RouteNames;
}

export const pageScope = createContext<PageScope | undefined>(undefined);

/** @param what name of the calling component, for the message. @throws SvcError `SVC_DEFINITION` outside a page of files */
export function usePage(what: string): PageScope {
  const scope = useContext(pageScope);
  if (scope) return scope;
  throw new SvcError(
    "SVC_DEFINITION",
    `<${what}> is not in a page of createFullStackApp; put it into a page or layout below pages/`,
  );
}
