/** What a page has for its events: the stub with its types, the loader, `moments.js`; and how a page that took over another gets its. */
import { DOM, PATHS } from "../shared/wire.ts";

/** The nonce by which scripts of this page pass its policy; empty where it has none. */
export function ownNonce(): string {
  return document.querySelector<HTMLScriptElement>("script[nonce]")?.nonce ?? "";
}

/** Whether a script is the stub, or what a late piece has of it. */
function isStub({ text }: HTMLScriptElement): boolean {
  return text.includes(`${DOM.queue}=`) || text.includes(`${DOM.queue}[999]`);
}

/** Whether a script of another page is wanted here: the runtime, and what its widgets need. */
function isOurs(script: HTMLScriptElement): boolean {
  const path = script.getAttribute("src");
  return path === PATHS.loader || path === PATHS.moments || script.hasAttribute(DOM.widget);
}

/** Types of events that the stubs of a page listen for. */
function eventTypes(page: Document): string[] {
  return [...page.scripts].filter(isStub).flatMap(({ text }) => {
    const list = /\bof\s*(\[[^\]]*\])/.exec(text)?.[1];
    return list === undefined ? [] : (JSON.parse(list) as string[]);
  });
}

/** Scripts of another page that this one has not, and would run. */
function newScripts(next: Document): HTMLScriptElement[] {
  return [...next.scripts].filter((script) => {
    if (isStub(script) ? "$svc" in self : !isOurs(script)) return false;
    const path = script.getAttribute("src");
    return !(path && document.querySelector(`script[src="${path}"]`));
  });
}

/** Whether this page, whose policy names scripts by hash, would refuse one of the other page. */
export function refusesScripts(next: Document): boolean {
  return ownNonce() === "" && newScripts(next).some((script) => !script.hasAttribute("src"));
}

/** Types that are listened for besides those of the stub. */
const heard = new Set<string>();

/** Has this page listen for the events of the one whose document it takes, and run its scripts. */
export function takeScripts(next: Document): void {
  const known = eventTypes(document);
  if ("$svc" in self) listen(eventTypes(next).filter((type) => !known.includes(type)));
  for (const script of newScripts(next)) {
    const { text, type, async } = script;
    const path = script.getAttribute("src") ?? "";
    const copy = Object.assign(document.createElement("script"), { type, async, nonce: ownNonce() });
    if (path) copy.src = path;
    else copy.text = text;
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
