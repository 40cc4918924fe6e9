/**
 * `handler/element.js`: the chunk of elements from the server whose name is a value: `<Dynamic is="h2">`, `const Tag = props.as ?? "button"`.
 * It binds them as a compiled component binds an element with a spread (docs/resume-protocol.md section 4, `dynamicElement`).
 */
import { DOM } from "../../../platform/shared/wire.ts";
import { Before, G, I } from "../bindings/create.ts";
import type { Slots } from "../runtime/types.ts";
import { Kids, L, Own } from "../state/prop.ts";
import { Spread } from "./spread.ts";

export { _c } from "../bindings/create.ts";

/** The handlers, the ref and the attributes that change, as one object. */
export const d = Own;

/** Bindings. Slots: the object of `d`, and children with parts that change; 0 for nothing. */
export const b = (slots: [object | 0, unknown] & Slots, root: Element): void => {
  L(slots, root);
  if (slots[0]) Spread(root, () => slots[0], []);
  if (!slots[1]) return;
  const range = G(root, DOM.elementChildren);
  if (!Kids(slots[1], range, Before, I)) I(range, () => slots[1]);
};
