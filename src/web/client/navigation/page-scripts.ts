/** The scripts that handle a page's events (stub with event types, loader, `moments.js`), and how they are added when another page is swapped in. */
import { DOM, PAGE_SCRIPTS } from "../../../platform/shared/wire.ts";
import { eventTypes, isStub, listen } from "../runtime/event-types.ts";

let nonce: string | undefined;

/**
 * The nonce that allows scripts under this page's policy; empty if it has none. Injected markup may contain nonces too, and under
 * `'strict-dynamic'` a script may add scripts without one. So each candidate is tested: the browser applies a style only with a valid nonce.
 */
export function ownNonce(): string {
  return (nonce ??= [...new Set([...document.scripts].map((script) => script.nonce))].find(isValidNonce) ?? "");
}

function isValidNonce(candidate: string): boolean {
  if (!candidate) return false;
  const style = Object.assign(document.createElement("style"), { nonce: candidate });
  document.head.append(style);
  const isApplied = style.sheet !== null;
  style.remove();
  return isApplied;
}

/** The scripts that this document has run: URLs, or the text of inline scripts. */
const ran = new Set<string>();

const nameOf = (script: HTMLScriptElement): string => script.getAttribute("src") ?? script.text;

/** Moves deferred content into place. Not needed here: fetched-page.ts has done so already. */
const PIECE = /^\$piece\b/;
const RUNS = /^(?:module|text\/javascript|)$/;

/** Scripts of another page that this document has not run. None runs twice, since scripts do not expect that. */
function newScripts(next: Document): HTMLScriptElement[] {
  for (const script of document.scripts) ran.add(nameOf(script));
  return [...next.scripts].filter((script) => {
    if (!RUNS.test(script.type) || PIECE.test(script.text) || script.hasAttribute(DOM.devBuild)) return false;
    return isStub(script) ? !("$svc" in self) : !ran.has(nameOf(script));
  });
}

/** Compares the resolved URL: `/_svc/../files/a.js` has the prefix of a runtime file but is not one. */
const isRuntime = ({ src }: HTMLScriptElement): boolean => PAGE_SCRIPTS.some((path) => src === location.origin + path);

/** Whether the server authorized a script: it has the nonce (which parsePage replaced by this page's), or is a file of the runtime. */
function isMeant(script: HTMLScriptElement): boolean {
  return (ownNonce() !== "" && script.getAttribute("nonce") === ownNonce()) || isRuntime(script);
}

/**
 * Whether the other page has a script that can't run here. Under Trusted Types a script can't create scripts. A script without the nonce
 * may be allowed by a hash in that page's own policy, or may be injected; only the browser can judge that.
 */
export function refusesScripts(next: Document): boolean {
  const scripts = newScripts(next);
  return scripts.length > 0 && (self.$html !== undefined || !scripts.every(isMeant));
}

/** Listens for the event types of the page that is swapped in, and runs its scripts. */
export function takeScripts(next: Document): void {
  if ("$svc" in self) listen(eventTypes(next));
  for (const script of newScripts(next).filter(isMeant)) {
    const { text, type, async } = script;
    const path = isRuntime(script) ? script.src : script.getAttribute("src");
    const copy = Object.assign(document.createElement("script"), { type, async, nonce: ownNonce() });
    if (path === null) copy.text = text;
    else copy.src = path;
    ran.add(nameOf(script));
    document.head.append(copy);
  }
}
