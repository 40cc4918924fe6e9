/**
 * `visit.js`: client-side navigation. Fetches the page of a link, swaps it into this document (page-swap.ts) except for the layouts that
 * both share, and updates history, scroll position, focus and title. The browser loads any page that can't be shown this way.
 * See docs/decisions/025-links-stay-links.md.
 */
import { AHEAD, DOM, HEADERS, PATHS } from "../../../platform/shared/wire.ts";
import { retryableImport } from "../runtime/retryable-import.ts";
import { busy } from "./loading-bar.ts";
import { announce, focusOn } from "./focus-and-announce.ts";
import { AHEAD_MS, BACK_MS, PrefetchCache } from "./prefetch-cache.ts";
import { addressOf } from "./get-forms.ts";
import { pageOf } from "./link-click.ts";
import { outletsOf, sharedOutlet, type Outlet } from "./outlets.ts";
import * as scrollPositions from "./scroll-positions.ts";
import type { NavigateOptions } from "../runtime/types.ts";

type PageSwap = typeof import("./page-swap.ts");

/** A fetched page. */
interface Fetched {
  /** After redirects. */
  address: string;
  text: string;
  headers: Headers;
}

/** A page that was requested. */
interface Load {
  page: Promise<Fetched>;
  stop: () => void;
  /** Whether the page has been shown. From then on it serves only navigation back. */
  isUsed: boolean;
}

interface VisitOptions extends NavigateOptions {
  /** Navigation back or forward: the history entry is already current. */
  isBack?: boolean;
  /** Do not use a prefetched page: the handler that navigates may have changed its content. */
  isFresh?: boolean;
}

const loads = new PrefetchCache<Load>();
let current: Load | undefined;
let visits = 0;

const isPage = ({ headers }: Response): boolean =>
  /^text\/html *(?:;|$)/i.test(headers.get("content-type") ?? "") &&
  !/^attachment/i.test(headers.get("content-disposition") ?? "");

const fetched = async (address: string, how: string, { signal }: AbortController): Promise<Fetched> => {
  const headers = { accept: "text/html", [HEADERS.navigation]: how };
  // A redirect to another site rejects, and the browser then loads the link.
  const response = await fetch(address, { headers, signal, mode: "same-origin" });
  if (!isPage(response)) throw new TypeError(`${address} is not a page`);
  return { address: response.url, text: await response.text(), headers: response.headers };
};

/** @param how value of the navigation header: a visit or a prefetch */
const begin = (address: string, how = "1"): Load => {
  const controller = new AbortController();
  const load: Load = { page: fetched(address, how, controller), stop: () => controller.abort(), isUsed: false };
  loads.keep(address, load, Date.now());
  load.page.catch(() => loads.forget(address, load));
  return load;
};

const ahead = (address: string): Load | undefined => {
  const load = loads.find(address, Date.now(), AHEAD_MS);
  return load?.isUsed ? undefined : load;
};

/** Whether the visitor has just navigated there: a click may come before the prefetch of its link. */
const isCurrent = (address: string): boolean =>
  current !== undefined && loads.find(address, Date.now(), AHEAD_MS) === current;

/** Prefetches the page of a link that the user is about to follow. */
export const prefetch = (href: string): void => {
  // Fetch the code that swaps the page in as well.
  retryableImport(PATHS.pageSwap).catch(() => undefined);
  const { connection } = navigator as { connection?: { saveData?: boolean } };
  const address = pageOf(href);
  if (connection?.saveData || ahead(address) || isCurrent(address)) return;
  // A failed prefetch has no effect: following the link fetches the page again.
  begin(address, AHEAD).page.then(preloadStyles, () => undefined);
};

/** Loads the stylesheets of a prefetched page, which its document waits for. */
const preloadStyles = ({ text }: Fetched): void => {
  for (const [, href] of text.matchAll(/<link rel="stylesheet" href="([^"&]*)">/g)) {
    if (document.querySelector(`link[href="${href}"]`)) continue;
    document.head.append(Object.assign(document.createElement("link"), { rel: "preload", as: "style", href }));
  }
};

const comments = (page: Document): Comment[] => {
  const walker = page.createTreeWalker(page, NodeFilter.SHOW_COMMENT);
  const found: Comment[] = [];
  while (walker.nextNode()) found.push(walker.currentNode as Comment);
  return found;
};

/** The nodes that navigation replaces: the content of the innermost shared layout, or the whole body. */
const contentOf = (outlet: Outlet<Comment> | undefined): ChildNode[] => {
  if (!outlet) return [...document.body.childNodes];
  const found: ChildNode[] = [];
  for (let at = outlet.start.nextSibling; at && at !== outlet.end; at = at.nextSibling) found.push(at);
  return found;
};

const linksOf = (page: Document): string | null | undefined =>
  page.querySelector(`script[${DOM.links}]`)?.getAttribute(DOM.links);

const load = (href: string, { isBack, replace }: VisitOptions): void => {
  if (isBack) location.reload();
  else if (replace) location.replace(href);
  else location.assign(href);
};

/** Navigates to a link. @returns when the page is shown, or when the browser has started to load it. */
export const follow = (href: string, how: VisitOptions = {}): Promise<void> =>
  visit(href, pageOf(href) === pageOf(location.href) ? { ...how, replace: true } : how);

// In the bubble phase: other listeners have had the chance to prevent the submit.
addEventListener("submit", (event) => {
  const address = addressOf(event);
  if (address === undefined) return;
  event.preventDefault();
  void follow(address, { isFresh: true });
});

/** Shows the page of the history entry that became current. @param shown address of the page that is displayed */
export const goBack = (shown: string): void => {
  const { state } = history as { state: unknown };
  // An entry that the app itself created is left to the app.
  if (pageOf(location.href) !== shown) {
    if (state === null || scrollPositions.isOurs(state)) void visit(location.href, { isBack: true });
  } else scrollPositions.restore(false);
};

const known = (address: string, { isBack, isFresh }: VisitOptions): Load | undefined => {
  if (isFresh) return undefined;
  return isBack ? loads.find(address, Date.now(), BACK_MS) : ahead(address);
};

const visit = async (href: string, how: VisitOptions): Promise<void> => {
  const number = ++visits;
  const isStale = (): boolean => number !== visits;
  const address = pageOf(href);
  const kept = known(address, how);
  const asked = kept ?? begin(address);
  if (asked !== current && current?.isUsed === false) current.stop();
  current = asked;
  const end = busy(sharedParent());
  try {
    const [{ address: arrived, text, headers }, swapping] = await Promise.all([
      asked.page,
      retryableImport(PATHS.pageSwap) as Promise<PageSwap>,
    ]);
    if (isStale()) return;
    const next = await swapping.parsePage(new Response(text, { headers }));
    if (linksOf(next) !== linksOf(document) || !swapping.canSwap(next, headers)) return load(href, how);
    await swapping.ready(next);
    if (isStale()) return;
    asked.isUsed = true;
    await transition(() => show(next, withPlace(arrived, href), how, swapping));
  } catch (error) {
    if (isStale()) return;
    // A prefetched page may have failed or be outdated, so request it again.
    if (kept?.isUsed === false) return await visit(href, { ...how, isFresh: true });
    console.warn(error);
    load(href, how);
  } finally {
    if (!isStale()) end();
  }
};

const sharedParent = (): Element => outletsOf(comments(document)).at(-1)?.start.parentElement ?? document.body;

/** Adds the link's fragment to the address after redirects, unless that has one. */
const withPlace = (arrived: string, href: string): string =>
  arrived.includes("#") ? arrived : arrived + href.slice(pageOf(href).length);

const show = async (next: Document, href: string, how: VisitOptions, { swap }: PageSwap): Promise<void> => {
  const outlet = sharedOutlet(outletsOf(comments(document)), outletsOf(comments(next)));
  const gone = contentOf(outlet);
  scrollPositions.leave(how.isBack === true);
  if (how.isBack) history.replaceState(history.state, "", href);
  else history[how.replace ? "replaceState" : "pushState"](null, "", href);
  scrollPositions.arrive();
  await swap(next, { gone });
  if (how.isBack) scrollPositions.restore(true);
  else if (how.scroll !== false) scrollPositions.begin();
  focusOn(contentOf(outlet));
  announce(document.title);
  dispatchEvent(new CustomEvent(DOM.navigated, { detail: { href } }));
};

/** WebKit gives every click during a transition to the root, whatever `pointer-events` its pictures have, and the page would lose them. */
const rootTakesClicks = (): boolean => {
  const { x, y } = document.body.getBoundingClientRect();
  return document.elementFromPoint(Math.max(x, 0) + 1, Math.max(y, 0) + 1) === document.documentElement;
};

/** Changes the document, with a view transition if the browser supports it and the visitor does not prefer reduced motion. */
const transition = async (change: () => Promise<void>): Promise<void> => {
  const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches || document.visibilityState !== "visible";
  if (isStill || !("startViewTransition" in document)) return change();
  const running = document.startViewTransition(change);
  // These reject when another transition begins meanwhile.
  running.ready.then(
    () => rootTakesClicks() && running.skipTransition(),
    () => undefined,
  );
  running.finished.catch(() => undefined);
  await running.updateCallbackDone;
};

const isCall = (path: string): boolean => path.startsWith(PATHS.action) || path.startsWith(PATHS.submit);

// An action or a submit may have changed what pages show, so pages kept for navigation back are dropped.
new PerformanceObserver((list) => {
  if (list.getEntries().some(({ name }) => isCall(name.slice(location.origin.length)))) loads.clear();
}).observe({ type: "resource" });
