/** Chooses the names in generated code, for server and browser. No name may collide with one in the source. */
import type { Scopes } from "./parse/scopes.ts";

export interface Names {
  /** Prefix of every generated local name: `$`, or longer if the module has names that begin with `$`. */
  prefix: string;
  /** Parameters of handlers and bindings: the slots, the root element, the event, the element. */
  slots: string;
  root: string;
  event: string;
  element: string;
  /** A new name for a copy of `name`: `$_left`, then `$_left$1`. */
  unique(name: string): string;
  /** The next of `h0`, `h1`, … that the source does not use. Exports of the browser module have no prefix. */
  nextSymbol(stem: "h" | "b"): string;
}

export function newNames(scopes: Scopes): Names {
  const taken = new Set([...scopes.references, ...scopes.bindings].map((item) => item.name));
  let prefix = "$";
  while ([...taken].some((name) => name.startsWith(prefix))) prefix += "$";
  const used = new Map<string, number>();
  const symbols = { h: 0, b: 0 };
  return {
    prefix,
    slots: prefix,
    root: `${prefix}r`,
    event: `${prefix}e`,
    element: `${prefix}el`,
    unique(name) {
      const count = used.get(name) ?? 0;
      used.set(name, count + 1);
      // A digit alone could give the helper of f the name of the helper of the author's f1.
      return `${prefix}_${name}${count === 0 ? "" : `$${count}`}`;
    },
    nextSymbol(stem) {
      while (taken.has(`${stem}${symbols[stem]}`)) symbols[stem]++;
      return `${stem}${symbols[stem]++}`;
    },
  };
}
