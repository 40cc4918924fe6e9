/** Development only: rejects reactive values in output that never updates: stores (SVC204), signals and computeds (SVC205). */
import { Cell, isSignal } from "../../reactivity/signal.ts";
import { dispose } from "../../reactivity/system.ts";
import { isOfStore, isStore } from "../../reactivity/server-store.ts";
import { gettersRead } from "./function-props.ts";
import { isLive, type Props } from "./live-props.ts";
import { nestedValues } from "./nested-values.ts";
import { SvcError } from "../../../platform/shared/errors.ts";

/**
 * Returns the prop unchanged. Called by modules compiled for development.
 * @param where position of the prop in the source: `pages/list.tsx:12:9`.
 * @param source the source text of the prop.
 * @param props of the instance, with its state. @param names of those that the browser follows here, if they are live.
 * @throws SvcError SVC204 for a store, or an object inside a store, that the browser does not follow
 */
export function still<Prop>(prop: Prop, where: string, source: string, props?: Props, names = ""): Prop {
  if (!isOfStore(prop) || isLive(props, names)) return prop;
  throw new SvcError(
    "SVC204",
    `SVC204 ${where}\n${source} is a store, but this output is rendered only once: the compiler can't see that it can change. ` +
      `Write const shown = computed(() => ${source}…) and show shown.value, or create the computed where the store is. ` +
      `If the output should stay as it is, read it in untrack(() => …).`,
  );
}

/**
 * As `still`, for an object that is passed to a function as a whole.
 * @throws SvcError SVC204 if it also contains a store that the browser does not follow
 */
export function stillWhole<Prop>(prop: Prop, where: string, source: string, props?: Props, names = ""): Prop {
  still(prop, where, source, props, names);
  if (isLive(props, names) || !nestedValues(prop, false).some(isStore)) return prop;
  throw new SvcError(
    "SVC204",
    `SVC204 ${where}\n${source} contains a store and other data, and is passed to a function as a whole, so this output is rendered only once. ` +
      `Pass the members that the function needs, such as the store. If the output should stay as it is, call the function in untrack(() => …).`,
  );
}

/**
 * Returns the value of an expression. Called by modules compiled for development.
 * @param run evaluates the expression.
 * @param where position of the expression in the source.
 * @param source its source text.
 * @param props and names as in `still`.
 * @throws SvcError SVC204 if it is a store. SVC205 if it reads a signal or computed that the browser does not follow, or is one.
 */
export function once<Value>(run: () => Value, where: string, source: string, props?: Props, names = ""): Value {
  if (isLive(props, names)) return run();
  const reads = new Cell(undefined, run);
  const before = gettersRead;
  const value = reads.value as Value;
  // A getter may read a store, whose reads the server does not track.
  const isReactive = reads._sources !== undefined || gettersRead !== before;
  dispose(reads);
  // The rows of a list that is a store.
  if (!isReactive && !isSignal(value)) return still(value, where, source, props, names);
  throw new SvcError(
    "SVC205",
    isSignal(value)
      ? `SVC205 ${where}\n${source} is a signal or computed, but this output is rendered only once: the compiler can't see that it can change. Read its value here: ${source}.value. If the output should stay as it is, write untrack(() => ${source}.value).`
      : `SVC205 ${where}\n${source} reads a signal or computed, but this output is rendered only once: the compiler can't see that it can change. ` +
          `Return a computed from the code that reads the signal, and read its value here. ` +
          `If the output should stay as it is, write untrack(() => ${source}).`,
  );
}
