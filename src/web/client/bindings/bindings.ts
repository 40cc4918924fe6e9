/** Bindings: what keeps one place of the document equal to an expression. Names are those of docs/resume-protocol.md section 5. */
import { watch } from "../../reactivity/signal.ts";
import { isResuming } from "../../reactivity/system.ts";

/** Keeps what `write` writes equal to what `read` gives. */
export const bind = <T>(read: () => T, write: (value: T) => void): void => void watch(read, write, isResuming());

/** Text of a value as the server writes it, unescaped; lists are joined. */
const str = (value: unknown): string => {
  if (Array.isArray(value)) return value.map(str).join("");
  // Only booleans are what negating them twice gives.
  return value == null || value === !!value ? "" : String(value);
};

/** A text, or the whole text of an element: for an empty one the server writes no node. */
export const T = (at: Node, read: () => unknown): void => {
  const text = at instanceof Element ? (at.firstChild ?? at.appendChild(new Text())) : at;
  // Asked once: each look at what a node says makes a string of it, which costs more than all else here.
  let shown = (text as Text).data;
  bind(read, (value) => {
    const now = str(value);
    if (shown !== now) (text as Text).data = shown = now;
  });
};

/**
 * Attribute. `null`, `undefined` and `false` take it away, `true` leaves it empty. What is there already is not written
 * again.
 */
export const A = (element: Element, name: string, read: () => unknown): void => {
  bind(read, (value) => {
    const text = value === true ? "" : String(value);
    if (value == null || value === false) element.removeAttribute(name);
    else if (element.getAttribute(name) !== text) element.setAttribute(name, text);
  });
};

/** Property; set only when it differs, or the caret would jump. */
export const P = (target: Record<string, unknown>, name: string, read: () => unknown): void => {
  bind(read, (value) => {
    if (target[name] !== value) target[name] = value;
  });
};
