/** `navigate`, as handlers are typed against it. In the browser it is src/web/client/navigation/navigate.ts; on the server there is nowhere to go. */
import { SvcError } from "../../platform/shared/errors.ts";

export interface NavigateOptions {
  /** Takes the place of the page in the history. Default false: it comes after it. */
  replace?: boolean;
  /** Whether the new page is shown from its top, or from the place behind `#`. Default true. */
  scroll?: boolean;
}

/**
 * Goes to another page from a handler, as if a link to it had been followed: within the document where the page's `navigation`
 * is `"enhanced"`, else by the browser. Say with a link what can be said with one.
 * @param path of this site, absolute or from the page that is shown; the address of another site the browser opens.
 * @returns when the page is shown; where the browser loads it, maybe never.
 * @throws SvcError `SVC_DEFINITION` on the server: `redirect(path)` is what a load or an endpoint has.
 */
export function navigate(path: string, _options?: NavigateOptions): Promise<void> {
  throw new SvcError(
    "SVC_DEFINITION",
    `navigate(${JSON.stringify(path)}) was called on the server; it is for handlers in the browser. Here redirect(path) leads elsewhere.`,
  );
}
