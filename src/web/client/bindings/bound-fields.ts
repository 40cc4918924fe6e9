/**
 * `form.js`: fields and what they are bound to, both ways (`bind:value`, `bind:checked`, `bind:group`, `bind:files`). For pages
 * that have any. What was typed, chosen or restored before the code was there wins over what the server wrote.
 */
import { batch, bind, isResuming } from "../runtime/core.ts";

/** Where a field's value is kept. */
interface Kept {
  get: () => unknown;
  set: (value: unknown) => void;
}

type Property = "value" | "checked" | "group" | "files";
type Field = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

const isSelect = (field: Field): field is HTMLSelectElement => "options" in field;

/** What a field holds, as it is kept. @param before what is kept now. */
const read = (field: Field, property: Property, before: unknown): unknown => {
  if (isSelect(field)) {
    return field.multiple ? [...field.selectedOptions].map((option) => option.value) : field.value;
  }
  if (!("files" in field)) return field.value;
  if (property === "checked") return field.checked;
  // A list of its own: the field's changes in place.
  if (property === "files") return [...(field.files ?? [])];
  // Half-typed numbers are no number: nothing rather than NaN, which JSON can't carry.
  if (property === "value") {
    return /^(number|range)$/.test(field.type) ? (field.value === "" ? null : field.valueAsNumber) : field.value;
  }
  if (field.type === "radio") return field.checked ? field.value : before;
  const others = (before as string[]).filter((value) => value !== field.value);
  return field.checked ? [...others, field.value] : others;
};

const show = (field: Field, property: Property, value: unknown): void => {
  const holds = (own: string): boolean => (Array.isArray(value) ? value.includes(own) : value == own);
  if (isSelect(field)) for (const option of field.options) option.selected = holds(option.value);
  else if (property === "value") {
    // "1." is 1 already: writing it would take the point away from whoever is typing.
    if (!Object.is(read(field, property, value), value)) field.value = String(value ?? "");
  } else if (property !== "files" && "checked" in field) {
    field.checked = property === "group" ? holds(field.value) : !!value;
  }
};

/** Whether a field no longer is as the server wrote it: somebody typed, or the browser restored the form. */
const isTouched = (field: Field): boolean =>
  isSelect(field)
    ? [...field.options].some((option) => option.selected !== option.defaultSelected)
    : field.value !== field.defaultValue || ("checked" in field && field.checked !== field.defaultChecked);

/** Field -> keeps what it holds. */
const keepers = new WeakMap<Element, () => void>();
/** Fields of the scope that is waking. */
let touched: Field[] = [];

/** Called by the handler of a field's events. */
export const keep = (field: Element): void => keepers.get(field)?.();

/** Ties a field to what is kept. */
export const F = (field: Field, property: Property, get: Kept["get"], set: Kept["set"]): void => {
  keepers.set(field, () => set(read(field, property, get())));
  if (isResuming() && isTouched(field)) touched.push(field);
  bind(get, (value) => show(field, property, value));
};

/** Last in the binds of a scope with fields: all that shows what they are bound to has been bound by then. */
export const keepTouched = (): void => touched.splice(0).forEach(keep);

// A form resets its fields after the event. All are kept before any is written: the members of a group share a list, and the
// first must not take the others back.
addEventListener(
  "reset",
  ({ target }) => setTimeout(() => batch(() => [...(target as HTMLFormElement).elements].forEach(keep))),
  true,
);
