/** What a page has for its events: the stub with its types, the loader, `moments.js`; and how a page that took over another gets its. */
import { DOM, PAGE_SCRIPTS } from "../../../platform/shared/wire.ts";

let nonce: string | undefined;

/**
 * The nonce by which scripts of this page pass its policy; empty where it has none. Injected markup may name a nonce too, and
 * scripts that a script adds need none under `'strict-dynamic'`. So the browser says which nonce is valid: it applies a style.
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

/** Whether a script is the stub, or what a late piece has of it. */
function isStub({ text }: HTMLScriptElement): boolean {
  return text.includes(`${DOM.queue}=`) || text.includes(`${DOM.queue}[999]`);
}

/** Types of events that the stubs of a page listen for. */
function eventTypes(page: Document): string[] {
  return [...page.scripts].filter(isStub).flatMap(({ text }) => {
    const list = /\bof\s*(\[[^\]]*\])/.exec(text)?.[1];
    return list === undefined ? [] : (JSON.parse(list) as string[]);
  });
}

/** Types that are listened for besides those of the stub. */
const heard = new Set<string>();

/** What scripts this document has run: addresses, and texts of those without. */
const ran = new Set<string>();

const nameOf = (script: HTMLScriptElement): string => script.getAttribute("src") ?? script.text;

/** What moves late pieces to their places, which they have by now (fetched-page.ts). */
const PIECE = /^\$piece\b/;
const RUNS = /^(?:module|text\/javascript|)$/;

/** Scripts of another page that this document has not run; none twice, for they don't expect it. */
function newScripts(next: Document): HTMLScriptElement[] {
  for (const script of document.scripts) ran.add(nameOf(script));
  return [...next.scripts].filter((script) => {
    if (!RUNS.test(script.type) || PIECE.test(script.text) || script.hasAttribute(DOM.devBuild)) return false;
    return isStub(script) ? !("$svc" in self) : !ran.has(nameOf(script));
  });
}

/** Compares the resolved address: `/_svc/../files/a.js` begins like a file of the runtime and is none. */
const isRuntime = ({ src }: HTMLScriptElement): boolean => PAGE_SCRIPTS.some((path) => src === location.origin + path);

/** Whether its server meant a script: it has the nonce (parsePage has made it this page's), or is a file of the runtime. */
function isMeant(script: HTMLScriptElement): boolean {
  return (ownNonce() !== "" && script.getAttribute("nonce") === ownNonce()) || isRuntime(script);
}

/**
 * Whether the other page has a script that can't be run here: under Trusted Types no script makes another, and one that only its
 * own policy knows, by a hash, or that a stranger got into it, is for the browser to judge.
 */
export function refusesScripts(next: Document): boolean {
  const scripts = newScripts(next);
  return scripts.length > 0 && (self.$html !== undefined || !scripts.every(isMeant));
}

/** Has this page listen for the events of the one whose document it takes, and run its scripts. */
export function takeScripts(next: Document): void {
  const known = eventTypes(document);
  if ("$svc" in self) listen(eventTypes(next).filter((type) => !known.includes(type)));
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

/** As the stub does, for types that the page did not have before. */
function listen(types: readonly string[]): void {
  for (const type of types) {
    if (heard.has(type)) continue;
    heard.add(type);
    addEventListener(
      type,
      (event) => {
        let flags: string | null | undefined;
        for (const at of (event._way = event.composedPath() as Element[])) {
          if (/^!?\./.test(flags!)) break;
          flags = at.getAttribute?.(DOM.on + type);
          if (flags?.startsWith("!")) event.preventDefault();
        }
        self.$svc.push(event);
      },
      { capture: true, passive: false },
    );
  }
}
