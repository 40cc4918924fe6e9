/**
 * Applies an edit to the page: fetches a fresh render of the same URL with the page's current values and morphs the document into it.
 * Handlers need no update, since their attributes name the new chunk.
 */
import type { DevFault } from "../../../platform/shared/dev-fault.ts";
import { BASE_PATH, DOM, HEADERS, PATHS } from "../../../platform/shared/wire.ts";
import type { DevState } from "./hot-update.ts";
import { morph, OWN } from "../navigation/morph.ts";
import { parsePage, stateOf } from "../navigation/fetched-page.ts";
import { isOwnPage } from "../navigation/own-page.ts";
import { takeScripts } from "../navigation/page-scripts.ts";
import { logLostState } from "./lost-state.ts";

type Inside = typeof import("./hot-update.ts");

/** The build that the page now shows, or a fault to display; undefined if the server reports the fault itself. */
export type Outcome = { build: string } | { fault: DevFault | undefined };

/** Maximum number of renders while the user keeps changing values. */
const MAX_ROUNDS = 5;

export async function update(): Promise<Outcome> {
  const inside = devStateOf(document) ? ((await import(PATHS.core)) as { dev: Inside }).dev : undefined;
  for (let round = 0; ; round++) {
    await settled();
    const changes = inside?.changes();
    const sent = JSON.stringify(changes?.kept);
    const response = await fetch(location.href, {
      headers: { accept: "text/html", ...(changes?.names.length ? { [HEADERS.devValues]: await keep(sent) } : {}) },
    });
    const next = await parsePage(response);
    const fault = next.getElementById(DOM.faultId);
    if (fault) return { fault: JSON.parse(fault.textContent) as DevFault };
    if (!isOwnPage(next, response.headers)) {
      location.reload();
      return { fault: undefined };
    }
    const state = devStateOf(next);
    // Code that fails to load contains an error: the page stays as it is.
    if (state && !(await fetchCode(next, inside?.modules() ?? {}))) return { fault: undefined };
    // Values have changed during the render, so render again.
    if (round < MAX_ROUNDS && JSON.stringify(inside?.changes().kept) !== sent) continue;
    apply(next, inside, state, changes?.names ?? []);
    if (changes && state) logLostState(changes, state);
    return { build: buildOf(next) ?? "" };
  }
}

/** The build that rendered a document. */
export function buildOf(page: Document): string | null | undefined {
  return page.querySelector(`script[${DOM.devBuild}]`)?.getAttribute(DOM.devBuild);
}

function devStateOf(page: Document): DevState | undefined {
  return stateOf(page) as DevState | undefined;
}

/** Waits for events whose code is still loading. */
async function settled(): Promise<void> {
  for (let frame = 0; frame < 300 && document.querySelector(`[${DOM.pending}]`); frame++) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

async function keep(body: string): Promise<string> {
  const headers = { "content-type": "application/json" };
  const response = await fetch(PATHS.devValues, { method: "POST", headers, body });
  return ((await response.json()) as { id: string }).id;
}

/** Waking is synchronous, so all code that the new page may need is loaded before the page is applied. */
async function fetchCode(next: Document, modules: Record<string, unknown>): Promise<boolean> {
  const names = [...next.querySelectorAll(`[${DOM.scope}]`)].flatMap((element) => {
    const [, chunk, ...parts] = (element.getAttribute(DOM.scope) as string).split(" ");
    return [`handler/${chunk}`, ...parts];
  });
  const missing = [...new Set(names)].filter((name) => !modules[name]);
  const urls = missing.map((name) => `${BASE_PATH}/${name}.js`);
  // Loaded modules belong to the loader. Without a loader the code is only checked by fetching it.
  if (!("$svc" in self)) return (await Promise.all(urls.map((url) => fetch(url)))).every(({ ok }) => ok);
  const found = await Promise.allSettled(urls.map((url) => import(url)));
  found.forEach((module, at) => {
    if (module.status === "fulfilled") modules[missing[at] as string] = module.value;
  });
  return found.every(({ status }) => status === "fulfilled");
}

function apply(next: Document, inside: Inside | undefined, state: DevState | undefined, kept: readonly string[]): void {
  const wasAwake = inside?.awakeElements() ?? [];
  const places = scrolls();
  const callbacks = lifecycleCallbacks(inside?.modules() ?? {});
  morphHead(next);
  const added = morph(document.documentElement, next.documentElement);
  for (const [element, left, top] of places) element.scrollTo({ left, top, behavior: "instant" });
  if (!state) return;
  if (inside) inside.transferState(state, wasAwake, kept);
  takeScripts(next);
  for (const element of added) announce(element);
  for (const element of edited(callbacks, inside?.modules() ?? {})) {
    self.$svc._undoLoads?.(element);
    announceOne(element);
  }
}

/** Keeps the scripts and styles of the head; the rest of the head is morphed with the body. */
function morphHead(next: Document): void {
  // A stylesheet that was replaced has a version in its URL (styles.ts).
  for (const link of document.querySelectorAll<HTMLLinkElement>(`link[${OWN}]`)) {
    for (const fresh of next.querySelectorAll("link")) {
      if (fresh.getAttribute("href") === link.getAttribute(OWN)) fresh.remove();
    }
  }
}

function scrolls(): [Element, number, number][] {
  return [...document.querySelectorAll("*")].flatMap((element) =>
    element.scrollTop || element.scrollLeft
      ? [[element, element.scrollLeft, element.scrollTop] as [Element, number, number]]
      : [],
  );
}

/** Fires the lifecycle triggers of new elements: `load` and `idle` now, `visible` when they are seen. */
function announce(root: Element): void {
  for (const element of [root, ...root.querySelectorAll("*")]) announceOne(element);
}

function announceOne(element: Element): void {
  for (const moment of ["load", "idle"]) {
    if (element.hasAttribute(DOM.on + moment)) self.$svc.push({ type: moment, target: element, _way: [element] });
  }
  if (element.hasAttribute(`${DOM.on}visible`)) seen.observe(element);
}

const MOMENTS = ["load", "idle", "visible"].map((moment) => DOM.on + moment);

/** Code of the callbacks of `onLoad` and similar functions that the page has, by element. */
function lifecycleCallbacks(modules: Record<string, unknown>): Map<Element, string> {
  const elements = document.querySelectorAll(MOMENTS.map((name) => `[${CSS.escape(name)}]`).join());
  return new Map([...elements].map((element) => [element, callbackText(element, modules)]));
}

/** The elements that stay, and whose callbacks have new code. Without their code nothing has run yet. */
function edited(before: ReadonlyMap<Element, string>, modules: Record<string, unknown>): Element[] {
  return [...before.keys()].filter((element) => {
    const text = before.get(element);
    return element.isConnected && text !== "" && text !== callbackText(element, modules);
  });
}

function callbackText(element: Element, modules: Record<string, unknown>): string {
  const [, chunk] = element.closest(`[${DOM.scope}]`)?.getAttribute(DOM.scope)?.split(" ") ?? [];
  const code = modules[`handler/${chunk}`] as Record<string, unknown> | undefined;
  const symbols = MOMENTS.map((name) => element.getAttribute(name)?.replaceAll(/\W/g, ""));
  return symbols.map((symbol) => (code && symbol !== undefined ? String(code[symbol]) : "")).join("");
}

const seen = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) {
    if (!isIntersecting) continue;
    seen.unobserve(target);
    self.$svc.push({ type: "visible", target, _way: [target] });
  }
});
