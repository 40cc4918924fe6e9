/** Handlers among the props of a spread, on the server and in the browser. */
import { DOM } from "../wire.ts";

/** DOM events whose names end in "capture". */
const OWN_CAPTURE = /^on(?:Got|Lost)PointerCapture$/;

interface SpreadEvent {
  /** As in an attribute: `click`, `window:resize`. */
  type: string;
  flag: string;
  /** Whether the handler ignores events outside of the element. */
  isWithin: boolean;
}

/**
 * `onClick` -> `click`, `onWindowResize` -> `window:resize`, `onClickCapture` -> `click` with the flag; undefined for other names. Beside `onClick` of
 * the same object, `onClickCapture` is in the attribute of the window.
 */
export function spreadEvent(name: string, props: Readonly<Record<string, unknown>> = {}): SpreadEvent | undefined {
  const isCapture = name.endsWith("Capture") && !OWN_CAPTURE.test(name);
  const [, target, event] = /^on(Window|Document)?([A-Z]\w*)$/.exec(isCapture ? name.slice(0, -7) : name) ?? [];
  if (event === undefined) return undefined;
  const type = event.toLowerCase().replace(/^doubleclick$/, "dblclick");
  const isWithin = isCapture && typeof props[name.slice(0, -7)] === "function";
  return { type: (target || isWithin ? DOM.window : "") + type, flag: isCapture ? "^" : "", isWithin };
}
