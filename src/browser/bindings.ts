/** Bindings: what keeps one place of the document equal to an expression. Names are those of docs/resume-protocol.md section 5. */
import { effect } from "../reactivity/signal.ts";
import { scoped } from "../reactivity/system.ts";

/**
 * While a scope wakes, the first run of a binding only records what it reads: the document is the server's, or the
 * user's where something was typed.
 */
let isQuiet = false;

/**
 * Sets up bindings.
 * @param quiet they belong to what the server has written; else to what the browser has made, and write at once.
 * @returns the way to end them.
 */
export const scopedBindings = (quiet: boolean, setUp: () => void): (() => void) => {
  const outer = isQuiet;
  isQuiet = quiet;
  try {
    return scoped(setUp);
  } finally {
    isQuiet = outer;
  }
};

/** Whether bindings are being set up for what the server has written. */
export const isResuming = (): boolean => isQuiet;

/** Writes what `read` gives whenever that is something else; what is in an object may be something else in the same one. */
export const bind = <T>(read: () => T, write: (value: T) => void): void => {
  let skips = isQuiet;
  let last: unknown;
  effect(() => {
    const isFirst = skips;
    skips = false;
    const value = read();
    if (!isFirst && (last !== value || value instanceof Object)) write(value);
    last = value;
  });
};

/** Text of a value as the server writes it, unescaped; lists are joined. */
const str = (value: unknown): string => {
  if (Array.isArray(value)) return value.map(str).join("");
  return value == null || typeof value === "boolean" ? "" : String(value);
};

/** A text, or the whole text of an element: for an empty one the server writes no node. */
export const T = (at: Node, read: () => unknown): void => {
  const text = at instanceof Element ? (at.firstChild ?? at.appendChild(new Text())) : at;
  bind(
    () => str(read()),
    (value) => {
      (text as Text).data = value;
    },
  );
};

/** `null`, `undefined` and `false` take an attribute away, `true` leaves it empty. */
const write = (element: Element, name: string, value: unknown): void => {
  if (value == null || value === false) element.removeAttribute(name);
  else element.setAttribute(name, value === true ? "" : String(value));
};

/** Attribute. */
export const A = (element: Element, name: string, read: () => unknown): void => {
  bind(read, (value) => write(element, name, value));
};

/** Property; set only when it differs, or the caret would jump. */
export const P = (element: Element, name: string, read: () => unknown): void => {
  const target = element as unknown as Record<string, unknown>;
  bind(read, (value) => {
    if (target[name] !== value) target[name] = value;
  });
};
