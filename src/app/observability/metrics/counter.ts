/** Counters with a few labels. Callers must keep the number of values small: names that the app defines, never input. */
import type { Family, Sample } from "./exposition.ts";

/** Counts by label values, found value by value: a combined key would be created each time. */
class Count {
  count = 0;
  isListed = false;
  readonly values: readonly string[];
  readonly #below = new Map<string, Count>();

  constructor(values: readonly string[]) {
    this.values = values;
  }

  below(value: string): Count | undefined {
    return this.#below.get(value);
  }

  add(value: string): Count {
    const added = new Count([...this.values, value]);
    this.#below.set(value, added);
    return added;
  }
}

export class Counter<Label extends string> {
  readonly #name: string;
  readonly #help: string;
  readonly #labels: readonly Label[];
  readonly #root = new Count([]);
  /** In the order of first use. */
  readonly #counts: Count[] = [];

  constructor(name: string, help: string, labels: readonly Label[]) {
    this.#name = name;
    this.#help = help;
    this.#labels = labels;
  }

  /** @param values in the order of the labels. */
  add(...values: readonly string[]): void {
    this.addMany(1, ...values);
  }

  addMany(count: number, ...values: readonly string[]): void {
    let at = this.#root;
    for (const value of values) at = at.below(value) ?? at.add(value);
    if (!at.isListed) this.#counts.push(at);
    at.isListed = true;
    at.count += count;
  }

  /** Sums by the values of one label. */
  by(label: Label): Record<string, number> {
    const at = this.#labels.indexOf(label);
    const sums: Record<string, number> = {};
    for (const { values, count } of this.#counts) {
      const value = values[at] ?? "";
      sums[value] = (sums[value] ?? 0) + count;
    }
    return sums;
  }

  family(): Family {
    const samples: Sample[] = this.#counts.map(({ values, count }) => ({
      labels: Object.fromEntries(this.#labels.map((label, at) => [label, values[at] ?? ""])),
      value: count,
    }));
    return { name: this.#name, type: "counter", help: this.#help, samples };
  }
}
