/** Event types with listeners: those of the stub, and those added later by enhanced navigation and created components. */
import { DOM } from "../../../platform/shared/wire.ts";

/** Whether a script is the stub, or the part of it that comes with deferred content. */
export function isStub({ text }: HTMLScriptElement): boolean {
  return text.includes(`${DOM.queue}=`) || text.includes(`${DOM.queue}[999]`);
}

/** Event types that the stubs of a page listen for. */
export function eventTypes(page: Document): string[] {
  return [...page.scripts].filter(isStub).flatMap(({ text }) => {
    const list = /\bof\s*(\[[^\]]*\])/.exec(text)?.[1];
    return list === undefined ? [] : (JSON.parse(list) as string[]);
  });
}

/** Does what the stub does, for event types that this page did not have before. */
export function listen(types: readonly string[]): void {
  // Shared by all parts that contain this file: a type with two listeners would run its handlers twice.
  const heard = (self.$svc._heard ??= new Set(eventTypes(document)));
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
