/**
 * `navigate`: its type, and its behavior on the server, where it throws. src/web/client/navigation/navigate.ts implements it in the
 * browser.
 */
import { SvcError } from "../../platform/shared/errors.ts";

export interface NavigateOptions {
  /** Replaces the current page in the history instead of adding an entry. Default false. */
  replace?: boolean;
  /** Whether the new page is shown from its top, or from the element behind `#`. Default true. */
  scroll?: boolean;
}

/**
 * Navigates to another page from a handler, as if the visitor had followed a link: within the document if the page's `navigation` is
 * `"enhanced"`, else by a page load. Prefer a link if it is sufficient.
 * @param path on this site, absolute or relative to the current page; the browser opens URLs of other sites.
 * @returns a promise that resolves when the page is shown; it may never resolve if the browser loads the page.
 * @throws SvcError `SVC_DEFINITION` on the server: use `redirect(path)` in loads and endpoints.
 * @example
 * <button onClick={() => navigate("/books", { replace: true })}>Books</button>
 */
export function navigate(path: string, _options?: NavigateOptions): Promise<void> {
  throw new SvcError(
    "SVC_DEFINITION",
    `navigate(${JSON.stringify(path)}) was called on the server, but only works in browser handlers. Use redirect(path) on the server.`,
  );
}
