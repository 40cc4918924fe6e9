/**
 * Values and errors of a form's fields: the submitted values if the form was refused, else the initial ones. Owns the ids and names that
 * connect fields, hints and errors. Pure, except for the context that passes it to the fields.
 */
import { createContext, type Issue } from "../../index.ts";
import type { Submitted } from "../../internal.ts";
import { stepsOf } from "./form-tree.ts";

export class FormState {
  /** Id of the form element: ids of fields begin with it. */
  readonly id: string;
  readonly submit: string;
  /** The refused submission of this form; undefined if there is none. */
  readonly refusal: Submitted | undefined;
  readonly #values: unknown;
  /** Issues by path. */
  readonly #issues = new Map<string, Issue>();
  /** Ids of the fields in the form, by path. */
  readonly #placed = new Map<string, string>();
  readonly #errorTextOf = new Set<string>();
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

  /** Error of a field; for a list, also of one of its items. */
  errorOf(name: string): string | undefined {
    const path = pathOf(name);
    return this.#issues.get(path)?.message ?? this.#issues.get(withItem(path))?.message;
  }

  /** Text that a field shows. @param own the field's own initial value */
  textOf(name: string, own: unknown): string {
    if (this.refusal) return this.#sent(name).at(-1) ?? "";
    return text(this.#begins(name) ?? own);
  }

  /** Texts of a field that may occur several times. */
  textsOf(name: string): readonly string[] {
    if (this.refusal) return this.#sent(name);
    const value = this.#begins(name);
    return (Array.isArray(value) ? value : [value]).filter((item) => item !== undefined && item !== null).map(text);
  }

  /** Whether a box is checked. @param value the value that it submits */
  isTicked(name: string, value: string, own: boolean): boolean {
    if (this.refusal) return this.#sent(name).includes(value);
    const begins = this.#begins(name);
    if (typeof begins === "boolean") return begins;
    return begins === undefined ? own : this.textsOf(name).includes(value);
  }

  /** Registers a field. @returns whether it is the first one with an error, which gets the focus */
  place(name: string, id: string): boolean {
    const path = pathOf(name);
    if (!this.#placed.has(path)) this.#placed.set(path, id);
    if (this.errorOf(name) === undefined) return false;
    this.#focused ??= id;
    return this.#focused === id;
  }

  /** Shows the error of a group of fields once, at the first. @returns undefined for the others */
  reportOnce(name: string): string | undefined {
    const path = pathOf(name);
    if (this.#errorTextOf.has(path)) return undefined;
    this.#errorTextOf.add(path);
    return this.errorOf(name);
  }

  /** Whether a field has the focus. */
  get hasFocus(): boolean {
    return this.#focused !== undefined;
  }

  /** All errors in their order, each with the id of its field if that is in the form. */
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

/** Text of a value in a form field: a date as `<input type="date">` expects it. */
function text(value: unknown): string {
  if (value instanceof Date) return value.toISOString().slice(0, 10);
  return value === undefined || value === null || typeof value === "object" ? "" : String(value as string);
}

/** A comparable form: schemas name items by number or by text. */
function pathOf(name: string): string {
  try {
    return JSON.stringify(stepsOf(name).steps);
  } catch {
    // A submitted name may be anything; an invalid one belongs to no field.
    return JSON.stringify([name]);
  }
}

/** The path of the first item of a list: errors of one of several boxes are shown at the group. */
function withItem(path: string): string {
  return `${path.slice(0, -1)},0]`;
}
