/**
 * What a form shows in its fields: what was sent and refused, else what it begins with. Owns ids and names by which fields, hints and
 * errors find each other. Pure but for the context that hands it down to the fields of a form.
 */
import { createContext, type Issue } from "../../index.ts";
import type { Submitted } from "../../internal.ts";
import { stepsOf } from "./form-tree.ts";

export class FormState {
  /** Of the form element: what its fields' ids begin with. */
  readonly id: string;
  readonly submit: string;
  /** Of the form that was sent; undefined where it was not. */
  readonly refusal: Submitted | undefined;
  readonly #values: unknown;
  /** Issues by the path they are about. */
  readonly #issues = new Map<string, Issue>();
  /** Ids of the fields that stand in the form, by path. */
  readonly #placed = new Map<string, string>();
  readonly #told = new Set<string>();
  #focused: string | undefined;

  constructor(id: string, submit: string, refusal: Submitted | undefined, values: unknown) {
    this.id = id;
    this.submit = submit;
    this.refusal = refusal;
    this.#values = values;
    for (const issue of refusal?.issues ?? []) {
      const path = JSON.stringify(issue.path);
      if (!this.#issues.has(path)) this.#issues.set(path, issue);
    }
  }

  /** `items[0].name` in the form `order` -> `order-items-0-name`. */
  idOf(name: string): string {
    return `${this.id}-${name
      .replace(/\[\]$/, "")
      .replace(/[^\w]+/g, "-")
      .replace(/-$/, "")}`;
  }

  /** What is wrong with a field; of a list also with one of its items. */
  errorOf(name: string): string | undefined {
    const path = pathOf(name);
    return this.#issues.get(path)?.message ?? this.#issues.get(withItem(path))?.message;
  }

  /** What a field shows, as text. @param own what it shows where nothing was sent and the form says nothing */
  textOf(name: string, own: unknown): string {
    if (this.refusal) return this.#sent(name).at(-1) ?? "";
    return text(this.#begins(name) ?? own);
  }

  /** Texts of a field that may come several times. */
  textsOf(name: string): readonly string[] {
    if (this.refusal) return this.#sent(name);
    const value = this.#begins(name);
    return (Array.isArray(value) ? value : [value]).filter((item) => item !== undefined && item !== null).map(text);
  }

  /** Whether a box is ticked. @param value that it is sent with */
  isTicked(name: string, value: string, own: boolean): boolean {
    if (this.refusal) return this.#sent(name).includes(value);
    const begins = this.#begins(name);
    if (typeof begins === "boolean") return begins;
    return begins === undefined ? own : this.textsOf(name).includes(value);
  }

  /** Notes that a field stands here. @returns whether it is the first with an error, which gets the focus */
  place(name: string, id: string): boolean {
    const path = pathOf(name);
    if (!this.#placed.has(path)) this.#placed.set(path, id);
    if (this.errorOf(name) === undefined) return false;
    this.#focused ??= id;
    return this.#focused === id;
  }

  /** Of the fields of one name, such as boxes, the first tells what is wrong. @returns undefined for the others too */
  tellOnce(name: string): string | undefined {
    const path = pathOf(name);
    if (this.#told.has(path)) return undefined;
    this.#told.add(path);
    return this.errorOf(name);
  }

  /** Whether a field has got the focus. */
  get hasFocus(): boolean {
    return this.#focused !== undefined;
  }

  /** What is wrong, in the order it was found, each with the id of its field where that stands in the form. */
  summary(): { message: string; id: string | undefined }[] {
    return [...this.#issues].map(([path, { message }]) => ({
      message,
      id: this.#placed.get(path) ?? [...this.#placed].find(([placed]) => withItem(placed) === path)?.[1],
    }));
  }

  #sent(name: string): readonly string[] {
    const path = pathOf(name);
    return (this.refusal?.fields ?? []).flatMap(([field, value]) => (pathOf(field) === path ? [value] : []));
  }

  #begins(name: string): unknown {
    return stepsOf(name).steps.reduce<unknown>((value, step) => {
      const isHolder = typeof value === "object" && value !== null && Object.hasOwn(value, step);
      return isHolder ? (value as Record<string | number, unknown>)[step] : undefined;
    }, this.#values);
  }
}

export const formScope = createContext<FormState | undefined>(undefined);

/** As a field of a form shows it: dates as `<input type="date">` has them. */
function text(value: unknown): string {
  if (value instanceof Date) return value.toISOString().slice(0, 10);
  return value === undefined || value === null || typeof value === "object" ? "" : String(value as string);
}

/** Comparable: schemas tell of items by number or by text. */
function pathOf(name: string): string {
  try {
    return JSON.stringify(stepsOf(name).steps);
  } catch {
    // What was sent may have any name; it is that of no field.
    return JSON.stringify([name]);
  }
}

/** The first item of a list: what is wrong with one of several boxes is told at their group. */
function withItem(path: string): string {
  return `${path.slice(0, -1)},0]`;
}
