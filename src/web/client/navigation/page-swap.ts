/**
 * `page-swap.js`: this page becomes another page of the site, or the same one anew, without a new document: elements that both
 * have stay, and with them focus, selection, scroll positions and what was typed. Loaded by what fetches pages: forms and
 * navigation. What is interactive on either goes on (transfer-state.ts); scripts of the new one run under this page's policy.
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
  /** Goes, and its state with it, whatever the new page has in its place. Default: nothing but what the new page has not. */
  gone?: readonly ChildNode[];
  /** Whether what the page has made of its values goes on in this scope; asked for scopes of the document as it is. Default: in all. */
  keeps?: (root: Element) => boolean;
}

/** Of pages on which something has happened. */
let transferState: TransferState | undefined;

/** Longest that a stylesheet is waited for: then the page is shown as it is. */
const STYLE_MS = 3000;
const FRAME_MS = 16;
/** While code is fetched for an event, that event belongs to the page as it is: frames that are waited. */
const MAX_FRAMES = 300;

/**
 * Whether this document can become the other one; where it can't, the browser has to load it: what svc did not render, or has
 * another policy (own-page.ts), while late pieces of this page are
 * on their way, while a boundary shows its fallback, where another build has made the other, whose code this one's may not know, and
 * where a policy would refuse scripts that only the other page has.
 */
export function canSwap(next: Document, headers: Headers): boolean {
  if (!isOwnPage(next, headers)) return false;
  if (document.readyState === "loading" || document.querySelector("svc-kept")) return false;
  const [build, other] = [buildOf(document), buildOf(next)];
  return (build === null || other === null || build === other) && !refusesScripts(next);
}

/** Interactive pages have one. */
function buildOf({ documentElement }: Document): string | null {
  return documentElement.getAttribute(DOM.build);
}

/** Fetches what the page needs to be shown at once: its styles, and the code of the state that goes on. */
export async function ready(next: Document): Promise<void> {
  for (let frame = 0; frame < MAX_FRAMES && document.querySelector(`[${DOM.pending}=""]`); frame++) {
    await new Promise((resolve) => setTimeout(resolve, FRAME_MS));
  }
  await getTransferState();
  await Promise.all([...next.querySelectorAll<HTMLLinkElement>('link[rel="stylesheet"]')].map(styled));
}

/** Code of the page may come, and run, at any time. */
async function getTransferState(): Promise<void> {
  if (!transferState && self.$svc?._modules?.core)
    transferState = (await retryableImport(PATHS.transferState)) as TransferState;
}

/** Puts a stylesheet into this page, which keeps what it has. */
async function styled(link: HTMLLinkElement): Promise<void> {
  const href = link.getAttribute("href") ?? "";
  if (document.querySelector(`link[rel="stylesheet"][href="${CSS.escape(href)}"]`)) return;
  const copy = document.importNode(link, true);
  const isThere = new Promise<void>((resolve) => {
    copy.onload = copy.onerror = () => resolve();
    setTimeout(resolve, STYLE_MS);
  });
  document.head.append(copy);
  await isThere;
}

/** This document becomes the other one; at once, where `ready` has come before it. */
export async function swap(next: Document, { gone = [], keeps = () => true }: SwapOptions = {}): Promise<void> {
  await getTransferState();
  renumber(next, transferState?.current() ?? stateOf(document));
  const living = transferState?.leave((root) => keeps(root) && !gone.some((node) => node.contains(root)));
  for (const node of gone) if (!isForeign(node)) node.remove();
  const places = scrolls();
  const sent = ofSentForms();
  morph(document.documentElement, next.documentElement, { byChunk: true });
  for (const [element, name, value] of sent) element.setAttribute(name, value);
  for (const [element, left, top] of places) element.scrollTo({ left, top, behavior: "instant" });
  if (living) transferState?.enter(living);
  takeScripts(next);
  // `moments.js` looks for elements that it has not seen.
  dispatchEvent(new Event(DOM.arrived));
}

/** Of forms that are on their way: that they are, and the key by which each runs once, however often it is sent. */
function ofSentForms(): [Element, string, string][] {
  const form = `form[${DOM.form}][aria-busy=true]`;
  const all = [...document.querySelectorAll(`${form}, ${form} :is([aria-disabled], [name=${KEY_FIELD}])`)];
  return all.flatMap((element) =>
    [...element.attributes]
      .filter(({ name }) => /^(?:aria-(?:busy|disabled)|value)$/.test(name))
      .map(({ name, value }) => [element, name, value] as [Element, string, string]),
  );
}

/** What an element put before another one loses. */
function scrolls(): [Element, number, number][] {
  return [...document.querySelectorAll("*")].flatMap((element) =>
    element.scrollTop || element.scrollLeft
      ? [[element, element.scrollLeft, element.scrollTop] as [Element, number, number]]
      : [],
  );
}
