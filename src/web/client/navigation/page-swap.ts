/**
 * `page-swap.js`: turns this page into another page of the site, or re-renders it, without a new document. Elements that both pages have
 * stay, and keep focus, selection, scroll position and typed text. Used by forms and navigation. transfer-state.ts carries over the
 * interactive state; scripts of the new page run under this page's policy.
 *
 *     const next = await parsePage(response);
 *     if (canSwap(next, response.headers)) { await ready(next); await swap(next); } else location.assign(…);
 */
import { DOM, KEY_FIELD, PATHS } from "../../../platform/shared/wire.ts";
import { retryableImport } from "../runtime/retryable-import.ts";
import { isForeign, morph } from "./morph.ts";
import { parsePage, stateOf } from "./fetched-page.ts";
import { isOwnPage } from "./own-page.ts";
import { refusesScripts, takeScripts } from "./page-scripts.ts";
import { renumber } from "./renumber-scopes.ts";

export { parsePage };

type TransferState = typeof import("./transfer-state.ts");

export interface SwapOptions {
  /** Nodes to remove together with their state, whatever the new page has in their place. Default: none. */
  gone?: readonly ChildNode[];
  /** Whether a scope of the current document keeps the values that the page has changed. Default: all do. */
  keeps?: (root: Element) => boolean;
}

/** Loaded once the page has been interacted with. */
let transferState: TransferState | undefined;

/** Maximum wait for a stylesheet, after which the page is shown without it. */
const STYLE_MS = 3000;
const FRAME_MS = 16;
/** Maximum number of frames to wait for events whose code is still loading. They belong to the current page. */
const MAX_FRAMES = 300;

/**
 * Whether this document can become the other one; otherwise the browser has to load it. It can't if svc did not render the other page or
 * its policy differs (own-page.ts), while deferred content of this page is still arriving, while an error boundary shows its fallback,
 * if the other page comes from another build, or if this page's policy would refuse scripts that only the other page has.
 */
export function canSwap(next: Document, headers: Headers): boolean {
  if (!isOwnPage(next, headers)) return false;
  if (document.readyState === "loading" || document.querySelector("svc-kept")) return false;
  const [build, other] = [buildOf(document), buildOf(next)];
  return (build === null || other === null || build === other) && !refusesScripts(next);
}

/** Only interactive pages have a build. */
function buildOf({ documentElement }: Document): string | null {
  return documentElement.getAttribute(DOM.build);
}

/** Prepares to show the page at once: waits for pending events and fetches its styles and the code that transfers state. */
export async function ready(next: Document): Promise<void> {
  for (let frame = 0; frame < MAX_FRAMES && document.querySelector(`[${DOM.pending}=""]`); frame++) {
    await new Promise((resolve) => setTimeout(resolve, FRAME_MS));
  }
  await getTransferState();
  await addStyles(next);
}

/** Called again before each use: core may be loaded at any time. */
async function getTransferState(): Promise<void> {
  if (!transferState && self.$svc?._modules?.core)
    transferState = (await retryableImport(PATHS.transferState)) as TransferState;
}

/**
 * Adds the stylesheets that this page lacks, each behind the one before it in the new page. The page's own stylesheets stay.
 * @returns resolves when all have loaded
 */
async function addStyles(next: Document): Promise<void> {
  const waits: Promise<void>[] = [];
  let last: Element | null = null;
  for (const link of next.querySelectorAll<HTMLLinkElement>('link[rel="stylesheet"]')) {
    const href = CSS.escape(link.getAttribute("href") ?? "");
    let own = document.querySelector(`link[rel="stylesheet"][href="${href}"]`);
    if (!own) {
      const copy = (own = document.importNode(link, true));
      waits.push(
        new Promise<void>((resolve) => {
          copy.onload = copy.onerror = () => resolve();
          setTimeout(resolve, STYLE_MS);
        }),
      );
      if (last) last.after(copy);
      else document.head.append(copy);
    }
    last = own;
  }
  await Promise.all(waits);
}

/** Turns this document into the other one, without delay if `ready` was awaited before. */
export async function swap(next: Document, { gone = [], keeps = () => true }: SwapOptions = {}): Promise<void> {
  await getTransferState();
  renumber(next, transferState?.current() ?? stateOf(document));
  const previous = transferState?.leave((root) => keeps(root) && !gone.some((node) => node.contains(root)));
  for (const node of gone) if (!isForeign(node)) node.remove();
  const places = scrolls();
  const sent = ofSentForms();
  morph(document.documentElement, next.documentElement, { byChunk: true });
  for (const [element, name, value] of sent) element.setAttribute(name, value);
  for (const [element, left, top] of places) element.scrollTo({ left, top, behavior: "instant" });
  if (previous) transferState?.enter(previous);
  takeScripts(next);
  // `moments.js` then looks for new elements.
  dispatchEvent(new Event(DOM.arrived));
}

/** The attributes to preserve on forms with a request in flight: their busy state, and the idempotency key. */
function ofSentForms(): [Element, string, string][] {
  const form = `form[${DOM.form}][aria-busy=true]`;
  const all = [...document.querySelectorAll(`${form}, ${form} :is([aria-disabled], [name=${KEY_FIELD}])`)];
  return all.flatMap((element) =>
    [...element.attributes]
      .filter(({ name }) => /^(?:aria-(?:busy|disabled)|value)$/.test(name))
      .map(({ name, value }) => [element, name, value] as [Element, string, string]),
  );
}

/** Scroll positions. An element that is moved in the document loses its own. */
function scrolls(): [Element, number, number][] {
  return [...document.querySelectorAll("*")].flatMap((element) =>
    element.scrollTop || element.scrollLeft
      ? [[element, element.scrollLeft, element.scrollTop] as [Element, number, number]]
      : [],
  );
}
