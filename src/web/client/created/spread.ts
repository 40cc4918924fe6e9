/** `spread.js`: `{...props}` on an element: attributes that stay live, handlers and a ref. */
import { DOM } from "../../../platform/shared/wire.ts";
import { membersBehind } from "../../../platform/shared/html/hidden-members.ts";
import { isEnumerated, isUrlAttribute } from "../../../platform/shared/html/html.ts";
import { spreadEvent } from "../../../platform/shared/html/spread-events.ts";
import { mayBeSpread } from "../../../platform/shared/html/spread-names.ts";
import { A, Cell, isResuming, P, scoped, watch } from "../runtime/core.ts";
import { B, C, S, U } from "../bindings/attr.ts";
import { H } from "../bindings/create.ts";
import { N } from "../bindings/raw-html.ts";

type Props = Record<string, unknown>;
type Handler = (event: Event, element: Element) => unknown;

/** Attributes that are properties in the browser, as the user changes them there. */
const PROPERTIES = /^(?:value|checked|selected|muted|disabled|indeterminate)$/;

const handle = (element: Element, name: string, props: Props): boolean => {
  const event = spreadEvent(name, props);
  if (!event) return false;
  const attribute = DOM.on + event.type;
  element.setAttribute(attribute, event.flag + DOM.createdHandler);
  H(element, undefined, {
    [attribute]: (_slots, happened, at) => {
      if (!event.isWithin || at.contains(happened.target as Node))
        return (props[name] as Handler | undefined)?.(happened, at);
    },
  });
  return true;
};

const write = (element: Element, name: string, read: () => unknown): void => {
  const lower = name.toLowerCase();
  if (name === "class" || name === "className") C(element, read);
  else if (name === "style") S(element, read);
  else if (PROPERTIES.test(name)) P(element as unknown as Props, name, read);
  else if (isUrlAttribute(lower, lower)) U(element, name, read);
  else if (isEnumerated(lower)) B(element, name, read);
  else if (membersBehind(lower, element.localName)) N(element, lower, read);
  else A(element, name, read);
};

/** A signal shows its value, as on the server. */
const shown = (value: unknown): unknown => (value instanceof Cell ? value.value : value);

/** @param skip names of attributes that the element writes itself. */
export const Spread = (element: Element, read: () => unknown, skip: readonly string[]): void => {
  let stop: (() => void) | undefined;
  let before: Props = {};
  /** The server has written the attributes already. */
  let isFirst = isResuming();
  const bind = (props: Props): void => {
    // An attribute or handler that the next object lacks is gone.
    for (const name of Object.keys({ ...before, ...props })) {
      if (skip.includes(name) || handle(element, name, props)) continue;
      if (name === "ref") {
        const ref = props[name] as { current: unknown } | ((element: Element) => unknown) | undefined;
        if (typeof ref === "function") ref(element);
        else if (ref) ref.current = element;
      } else if (name === "style" || mayBeSpread(name)) write(element, name, () => shown(props[name]));
    }
    before = props;
  };
  const update = (props: unknown): void => {
    stop?.();
    stop = scoped(isFirst, () => bind((props ?? {}) as Props));
    isFirst = false;
  };
  watch(read, update, false, () => stop?.());
};
