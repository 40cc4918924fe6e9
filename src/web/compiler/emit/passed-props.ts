/** Works out which props an app passes to the browser, from those that its files pass. */
import { ALL_PROPS } from "../../../platform/shared/wire.ts";
import { itemOf, originIn } from "../analyze/origins.ts";

/** A prop that a file passes as a derived value. */
export interface PassedProp {
  name: string;
  /** Props of the component around it that must be live for that; empty if it is always live. */
  from: string;
}

/** Names of the props whose functions the browser code of an app may call. */
export interface CalledNames {
  readonly anywhere: ReadonlySet<string>;
  /** Names of contexts and hooks whose values bindings show. They follow functions of state alone. */
  readonly shown: ReadonlySet<string>;
  /** Names that code calls which runs only if another prop is live, such as the rows of a list. */
  readonly besideLive: ReadonlySet<string>;
}

/** Names of the props that an app passes as derived values, directly or because another one is. */
export function liveNames(files: Iterable<readonly PassedProp[]>): Set<string> {
  const names = new Set<string>();
  const all = [...files].flat();
  for (let size = -1; size !== names.size;) {
    size = names.size;
    for (const { name, from } of all) if (from === "" || isAnyOf(from, names)) names.add(name);
  }
  return names;
}

/**
 * Names of the props whose functions browser code of an app may call: those that it captures, and those that are passed on as such.
 * @param captured names of the props that the browser code of a file captures
 */
export function functionNames(
  captured: Iterable<Iterable<string>>,
  files: Iterable<readonly PassedProp[]>,
): Set<string> {
  const names = new Set<string>();
  for (const file of captured) for (const name of file) names.add(name);
  const all = [...files].flat();
  for (let size = -1; size !== names.size;) {
    size = names.size;
    const origins = new Set([...names].map(originIn));
    for (const { name, from } of all) {
      if (names.has(name) || origins.has(name)) for (const one of from.split(" ")) names.add(one);
      if (itemOf(name) !== name && names.has(itemOf(name))) for (const one of from.split(" ")) names.add(itemOf(one));
    }
  }
  return names;
}

/** Whether one of the names, which are separated by spaces, is wanted. */
export function isAnyOf(props: string, wanted: ReadonlySet<string>): boolean {
  return props.split(" ").some((name) => wanted.has(name) || (name === ALL_PROPS && wanted.size > 0));
}
