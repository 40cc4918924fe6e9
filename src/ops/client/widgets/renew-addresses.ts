/**
 * New stream addresses for widgets. An address is valid for minutes, so a page that was hidden, offline or in the back/forward cache has old
 * ones. The page fetches itself, which checks the visitor's access again, and takes the addresses of the same widgets.
 */
import { DOM } from "../../../platform/shared/wire.ts";
import { fetchPage } from "./fetch-page.ts";

/**
 * @returns an address for each widget; `"over"` if the page no longer shows one of them to this visitor; `"later"` if the server did not
 * answer
 */
export async function renewedAddresses(widgets: readonly HTMLElement[]): Promise<string[] | "over" | "later"> {
  const { status, responseXML: fresh } = await fetchPage(location.href);
  // 204: a message waits for the next page.
  if (status === 0 || status === 204 || status === 429 || status > 499) return "later";
  const found = widgets.map((widget) => fresh && twinOf(widget, fresh)?.dataset["src"]);
  return found.every((src) => src) ? (found as string[]) : "over";
}

/** The same widget in the fresh page: of the same topic, and at the same place among those. */
function twinOf(widget: HTMLElement, fresh: Document): HTMLElement | undefined {
  const selector = `${DOM.liveTag}[data-topic="${CSS.escape(widget.dataset["topic"] ?? "")}"]`;
  const [here, there] = [document, fresh].map((page) => page.querySelectorAll<HTMLElement>(selector));
  return there![[...here!].indexOf(widget)];
}
