/**
 * `context.js`: contexts in components that the browser creates. A provider in the browser is linked to the providers around it. Around those
 * are the providers of the server: the page contains the values that created components may read (src/web/ssr/resume/context-uses.ts).
 */
import { CONTEXT_KIND, DOM } from "../../../platform/shared/wire.ts";
import { nodesOf, Tail, V } from "../bindings/create.ts";
import { guard, kinds, slotsAt, valueAt } from "../runtime/core.ts";

/** A provided value, and what is around its provider. The values of the server's providers are among the slots of a scope. */
class Provided {
  readonly _key: unknown;
  readonly _value: unknown;
  readonly _outer: Place;

  constructor(key: unknown, value: unknown, outer?: Place) {
    this._key = key;
    this._value = value;
    this._outer = outer;
  }
}

/** A provider; or an element that came from the server, whose scope has the values of the server's providers. */
type Place = Provided | object | undefined;

interface Context {
  _key: unknown;
  _fallback: unknown;
  Provider(props: { value: unknown; children?: unknown }): unknown;
}

/** What the running code is in. */
let place: Place;

const within = <Result>(at: Place, run: () => Result): Result => {
  const outer = place;
  place = at;
  try {
    return run();
  } finally {
    place = outer;
  }
};

const inner = { ...guard };
guard._run = (run, at) => within(at, () => inner._run(run, at));
// Content that a binding creates later is in the same place as the binding.
guard._made = (node) => {
  const at = place;
  const { _run: run, _write: write } = node;
  node._run = () => within(at, run!);
  node._write = (value) => within(at, () => write!(value));
  inner._made?.(node);
};

kinds[CONTEXT_KIND] = ([id, index]: [id: string, index: number]) => new Provided(id, valueAt(index));

/** @param id name of the context in the page's state, if a module of the app declares it */
export const createContext = (fallback: unknown, id?: string): Context => {
  const key = id ?? {};
  return {
    _key: key,
    _fallback: fallback,
    Provider: (props) =>
      V(() => within(new Provided(key, props.value, place), () => nodesOf(Tail(() => props.children)))),
  };
};

export const useContext = ({ _key, _fallback }: Context): unknown => {
  let at = place;
  for (; at instanceof Provided; at = at._outer) if (at._key === _key) return at._value;
  const scope = at instanceof Element ? at.closest(`[${DOM.scope}]`) : undefined;
  const slots = scope?.[slotsAt] as unknown[] | undefined;
  const found = slots?.find((slot): slot is Provided => slot instanceof Provided && slot._key === _key);
  return found ? found._value : _fallback;
};
