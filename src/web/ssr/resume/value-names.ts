/**
 * Development only: names for the signals and stores of a page that outlive an edit of its source, so that what a browser
 * has made of them goes into the page anew instead of being lost (docs/guide/development.md).
 *
 * A value is named by where it was first captured, `<module> <component> <expression> <how manyth>`: for the third counter
 * of a page `pages/counter.tsx Counter count 2`.
 */
import { isComputed, isSignal } from "../../reactivity/signal.ts";
import { isStore } from "../../reactivity/server-store.ts";

/** What captures values: the compiler's constant of a scope template. */
interface Capturer {
  moduleId: string;
  /** Name of the component, then the source of each slot. */
  names: readonly string[];
}

export class ValueNames {
  readonly #kept: ReadonlyMap<string, unknown>;
  /** Name without its number -> number of each value met under it. */
  readonly #met = new Map<string, Map<unknown, number>>();
  readonly #names = new Map<unknown, string>();
  readonly #undo: (() => void)[] = [];

  /** @param kept name -> the value that a browser has; put in place where the name is met. */
  constructor(kept: ReadonlyMap<string, unknown> = new Map()) {
    this.#kept = kept;
  }

  /** A scope captures values. Called before any of its HTML is written, so what is put in place is what it shows. */
  meet({ moduleId, names: [component = "", ...sources] }: Capturer, slots: readonly unknown[]): void {
    slots.forEach((value, slot) => {
      if (isSignal(value) ? isComputed(value) : !isStore(value)) return;
      const alias = `${moduleId} ${component} ${sources[slot] ?? slot}`;
      const numbers = this.#met.get(alias) ?? new Map<unknown, number>();
      this.#met.set(alias, numbers);
      if (numbers.has(value)) return;
      const name = `${alias} ${numbers.size}`;
      numbers.set(value, numbers.size);
      if (this.#names.has(value)) return;
      this.#names.set(value, name);
      if (this.#kept.has(name)) this.#put(value, this.#kept.get(name));
    });
  }

  nameOf(value: unknown): string | undefined {
    return this.#names.get(value);
  }

  /** Stores may be objects of the module's, which other requests see too: they become again what they were. */
  restore(): void {
    for (const undo of this.#undo.splice(0)) undo();
  }

  #put(value: unknown, kept: unknown): void {
    if (isSignal(value)) value.value = kept;
    else if (isStore(value) && typeof kept === "object" && kept !== null) {
      const before = Array.isArray(value) ? [...(value as unknown[])] : { ...value };
      fill(value, kept);
      this.#undo.push(() => fill(value, before));
    }
  }
}

/** Makes one object hold what another holds. */
function fill(target: object, content: object): void {
  for (const key of Object.keys(target)) Reflect.deleteProperty(target, key);
  Object.assign(target, content);
  if (Array.isArray(target) && Array.isArray(content)) target.length = content.length;
}
