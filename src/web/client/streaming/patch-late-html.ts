/** HTML that the server wrote with values as it knew them, in a page that has gone on since. Shared by stream.ts and transfer-state.ts. */
import { DOM } from "../../../platform/shared/wire.ts";
import { batch, Cell, kinds, values, wake } from "../runtime/core.ts";
import type { ValueRow } from "../runtime/types.ts";

/** Runs `run` while a value is what it was when the server wrote what shows it; then it changes to what it is now, as any value does. */
const rewound = (index: number, [kind, json]: ValueRow, run: () => void): void => {
  const value = values[index];
  const before = kinds[kind]!(json as never);
  if (value instanceof Cell) {
    const now = value._value;
    const then = (before as Cell)._value;
    if (JSON.stringify(now) === JSON.stringify(then)) return run();
    value._value = then;
    run();
    value.value = now;
  } else if (kind === 2 || kind === 6) {
    const store = value as Record<string, unknown>;
    const now = { ...store };
    become(store, before as Record<string, unknown>);
    run();
    become(store, now);
  } else run();
};

const become = (store: Record<string, unknown>, fields: Record<string, unknown>): void => {
  for (const name of Object.keys(store)) if (!(name in fields)) delete store[name];
  if (Array.isArray(store)) store.length = Object.keys(fields).length;
  Object.assign(store, fields);
};

/**
 * Has the loader fetch the code of a scope, and wakes it: what it shows may have changed while its HTML was on the way.
 * @param indices of the values that it shows and that somebody has by now
 * @param original a value's row as the server wrote it, whatever has become of the value
 */
export const patchLateHtml = (
  id: number | string,
  indices: readonly number[],
  original: (index: number) => ValueRow,
  then?: () => void,
): void => {
  const target = document.querySelector(`[${DOM.scope}^="${id} "]:not([${DOM.portal}])`);
  target?.setAttribute("on:wake", "wake");
  const event = {
    type: "wake",
    target,
    _way: [target!],
    // Asked before the first handler; there is none.
    get cancelBubble() {
      target!.removeAttribute("on:wake");
      batch(() =>
        indices.reduceRight<() => void>(
          (run, index) => () => rewound(index, original(index), run),
          () => wake(id),
        )(),
      );
      then?.();
      return true;
    },
  };
  if (target) self.$svc.push(event);
  else then?.();
};
