/** Updates deferred HTML that the server rendered with older values than the page has now. Shared by stream.ts and transfer-state.ts. */
import { DOM } from "../../../platform/shared/wire.ts";
import { batch, Cell, kinds, values, wake } from "../runtime/core.ts";
import type { ValueRow } from "../runtime/types.ts";

/** Sets a value back to what the server rendered with while `run` binds that HTML, then restores it as an ordinary change. */
const rewound = (index: number, [kind, json]: ValueRow, run: () => void): void => {
  const value = values[index];
  const before = kinds[kind]!(json as never);
  if (value instanceof Cell) {
    const now = value._value;
    const then = (before as Cell)._value;
    if (JSON.stringify(now) === JSON.stringify(then)) return run();
    value._value = value._known = then;
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
 * Has the loader fetch the code of a scope and wakes it: its values may have changed while its HTML was being sent.
 * @param indices of the values it shows that have been created by now
 * @param original the row of a value as the server wrote it, whatever its value is now
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
    // A hook, not a flag: core reads it before the first handler. The event has none, so this getter does the work.
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
