/** `builtins.js`: components of the framework in content that the browser creates. */
import { Cell, untrack, watch } from "../runtime/core.ts";
import { I, N, V, type NodeRange, type View } from "../bindings/create.ts";

/** Content that follows what `read` returns. */
const shown = (read: () => unknown): NodeRange => {
  const range = N();
  I(range, read);
  return range;
};

/** The browser awakens nothing here: created components are awake. */
export const Island = (props: { children?: unknown }): View => V(() => shown(() => props.children));

/** Key of the named content among the props of a component. */
export const Named = Symbol();

interface SlotProps {
  of: { children?: unknown; [Named]?: Record<string, unknown> };
  name?: string;
  children?: unknown;
}

export const Slot = (props: SlotProps): View =>
  V(() =>
    shown(() => {
      const { of, name } = props;
      const given = name === undefined ? of.children : of[Named]?.[name];
      return given == null || given === "" || given === false ? props.children : given;
    }),
  );

interface Fetching {
  readonly value: unknown;
  readonly pending: unknown;
  readonly error: unknown;
  refetch?: unknown;
}

interface AwaitProps {
  value: unknown;
  pending?: unknown;
  catch?: (error: unknown) => unknown;
  children: (value: unknown) => unknown;
}

/** A promise in the form of a resource. */
const followed = (promise: PromiseLike<unknown>): Fetching => {
  const settled = new Cell();
  promise.then(
    (value) => (settled.value = { value }),
    (error: unknown) => (settled.value = { error }),
  );
  const state = (): Partial<Fetching> => (settled.value ?? {}) as Partial<Fetching>;
  return {
    get value() {
      return state().value;
    },
    get pending() {
      return !settled.value;
    },
    get error() {
      return state().error;
    },
  };
};

const isPromise = (value: unknown): value is PromiseLike<unknown> =>
  value instanceof Object && typeof (value as Partial<PromiseLike<unknown>>).then === "function";

/** Shows a value, or what stands for it while it is fetched. A resource keeps its value while the next one is fetched. */
export const Await = (props: AwaitProps): View =>
  V(() => {
    const source = new Cell();
    watch(
      () => (typeof props.value === "function" ? (props.value as () => unknown)() : props.value),
      (value) => {
        const isFetching = value instanceof Object && "refetch" in value;
        source.value = isFetching ? value : isPromise(value) ? followed(value) : { value, pending: false };
      },
    );
    /** What is shown, and what it was made from. It stays until that changes. */
    let made: [of: unknown, content: unknown] | undefined;
    const once = (of: unknown, make: () => unknown): unknown => {
      if (!made || made[0] !== of) made = [of, untrack(make)];
      return made[1];
    };
    return shown(() => {
      const { value, pending, error } = source.value as Fetching;
      if (value === undefined && pending) return once(Await, () => props.pending);
      if (value !== undefined || !error) return once(value, () => props.children(value));
      if (!props.catch) throw error;
      return once(error, () => props.catch!(error));
    });
  });
