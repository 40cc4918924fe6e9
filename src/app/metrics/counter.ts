/** Plain numbers that only grow, by a few labels. Who adds sees to it that labels have few values: names the app defines, never input. */
import type { Family, Sample } from "./exposition.ts";

export class Counter<Label extends string> {
  readonly #name: string;
  readonly #help: string;
  readonly #labels: readonly Label[];
  readonly #counts = new Map<string, { values: readonly string[]; count: number }>();

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
    const key = values.join("\0");
    const entry = this.#counts.get(key);
    if (entry) entry.count += count;
    else this.#counts.set(key, { values, count });
  }

  /** Sums by the values of one label. */
  by(label: Label): Record<string, number> {
    const at = this.#labels.indexOf(label);
    const sums: Record<string, number> = {};
    for (const { values, count } of this.#counts.values()) {
      const value = values[at] ?? "";
      sums[value] = (sums[value] ?? 0) + count;
    }
    return sums;
  }

  family(): Family {
    const samples: Sample[] = [...this.#counts.values()].map(({ values, count }) => ({
      labels: Object.fromEntries(this.#labels.map((label, at) => [label, values[at] ?? ""])),
      value: count,
    }));
    return { name: this.#name, type: "counter", help: this.#help, samples };
  }
}
