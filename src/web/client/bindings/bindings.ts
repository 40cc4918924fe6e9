/** Bindings: each keeps one place of the document equal to an expression. Names follow docs/resume-protocol.md section 5. */
import { watch } from "../../reactivity/signal.ts";
import { isResuming, type Node as Effect } from "../../reactivity/system.ts";

/** Calls `write` with the value of `read`, now and after each change. While resuming the first write is skipped. @returns the effect */
export const bind = <T>(read: () => T, write: (value: T) => void): Effect => watch(read, write, isResuming());

/** Text of a value as the server writes it, before escaping. Arrays are joined. */
const str = (value: unknown): string => {
  if (Array.isArray(value)) return value.map(str).join("");
  // `value === !!value` holds only for booleans.
  return value == null || value === !!value ? "" : String(value);
};

/** Binds a text node, or the whole text of an element. The server writes no text node for an empty text, so it may be created here. */
export const T = (at: Node, read: () => unknown): void => {
  const text = at instanceof Element ? (at.firstChild ?? at.appendChild(new Text())) : at;
  // Cached: reading `data` creates a string each time, which is the most expensive operation here.
  let shown = (text as Text).data;
  bind(read, (value) => {
    const now = str(value);
    if (shown !== now) (text as Text).data = shown = now;
  });
};

/** Binds an attribute. `null`, `undefined` and `false` remove it, `true` sets it empty. An unchanged value is not written again. */
export const A = (element: Element, name: string, read: () => unknown): void => {
  bind(read, (value) => {
    const text = value === true ? "" : String(value);
    if (value == null || value === false) element.removeAttribute(name);
    else if (element.getAttribute(name) !== text) element.setAttribute(name, text);
  });
};

/** Binds a property. It is written only if it differs, since a write moves the caret. */
export const P = (target: Record<string, unknown>, name: string, read: () => unknown): void => {
  bind(read, (value) => {
    // A form field would show "undefined".
    if (target[name] !== value) target[name] = value ?? null;
  });
};
