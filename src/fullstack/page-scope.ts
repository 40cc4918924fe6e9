/** What components of the framework know of the page around them: its request, and what the app has. */
import { createContext, SvcError, useContext, type Context } from "../index.ts";
import type { AnySubmit } from "./forms/submit.ts";

export interface PageScope {
  readonly ctx: Context;
  /** Submits of the app by name. */
  readonly submits: ReadonlyMap<string, AnySubmit>;
}

export const pageScope = createContext<PageScope | undefined>(undefined);

/** @param what component that asks, for the message. @throws SvcError `SVC_DEFINITION` outside of a page of files */
export function usePage(what: string): PageScope {
  const scope = useContext(pageScope);
  if (scope) return scope;
  throw new SvcError(
    "SVC_DEFINITION",
    `<${what}> stands in no page of createFullStackApp; put it into a page or layout below pages/`,
  );
}
