/**
 * Development only: names signals and stores of a page, so that their values in the browser survive an edit of the source
 * (docs/guide/development.md).
 *
 * A name is the place of the first capture and an occurrence index: `<module> <component> <expression> <index>`. The third
 * counter of a page is `pages/counter.tsx Counter count 2`.
 */
import { isComputed, isSignal } from "../../reactivity/signal.ts";
import { isStore } from "../../reactivity/server-store.ts";

/** The part of a scope template's `TemplateInfo` that identifies captured values. */
interface Capturer {
  moduleId: string;
  /** Name of the component, then the source of each slot. */
  names: readonly string[];
}

export class ValueNames {
  readonly #kept: ReadonlyMap<string, unknown>;
  /** Name without its index -> index of each value with this name. */
  readonly #met = new Map<string, Map<unknown, number>>();
  readonly #names = new Map<unknown, string>();
  readonly #undo: (() => void)[] = [];

  /** @param kept name -> value in the browser; assigned when a value with this name is captured. */
  constructor(kept: ReadonlyMap<string, unknown> = new Map()) {
    this.#kept = kept;
  }

  /** Names the values that a scope captures, and restores kept ones. Called before the scope's HTML is written, so that it shows them. */
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

  /** Reverts restored stores. A store may be a module-level object, which other requests use too. */
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

/** Replaces the content of `target` with that of `content`. */
function fill(target: object, content: object): void {
  for (const key of Object.keys(target)) Reflect.deleteProperty(target, key);
  Object.assign(target, content);
  if (Array.isArray(target) && Array.isArray(content)) target.length = content.length;
}
