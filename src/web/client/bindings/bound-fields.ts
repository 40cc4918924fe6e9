/**
 * `form.js`: two-way bindings of form fields (`bind:value`, `bind:checked`, `bind:group`, `bind:files`), for pages that have any. Input
 * that the user typed or the browser restored before this code loaded overrides the server's value.
 */
import { batch, bind, Cell, isResuming } from "../runtime/core.ts";

/** The signal or store field that a form field is bound to. */
interface Kept {
  get: () => unknown;
  set: (value: unknown) => void;
}

type Property = "value" | "checked" | "group" | "files";
type Field = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

const isSelect = (field: Field): field is HTMLSelectElement => "options" in field;

/** The field's current value, in the form it is stored. @param before the stored value. */
const read = (field: Field, property: Property, before: unknown): unknown => {
  if (isSelect(field)) {
    return field.multiple ? [...field.selectedOptions].map((option) => option.value) : field.value;
  }
  if (!("files" in field)) return field.value;
  if (property === "checked") return field.checked;
  // A copy, since the field changes its list in place.
  if (property === "files") return [...(field.files ?? [])];
  // A half-typed number is null rather than NaN, which JSON can't represent.
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
    // "1." equals 1 already. Writing it would remove the point while the user is typing.
    if (!Object.is(read(field, property, value), value)) field.value = String(value ?? "");
  } else if (property !== "files" && "checked" in field) {
    field.checked = property === "group" ? holds(field.value) : !!value;
  }
};

/** Whether a field differs from what the server wrote: the user changed it, or the browser restored the form. */
const isTouched = (field: Field): boolean =>
  isSelect(field)
    ? [...field.options].some((option) => option.selected !== option.defaultSelected)
    : field.value !== field.defaultValue || ("checked" in field && field.checked !== field.defaultChecked);

/** Field -> stores its current value. */
const keepers = new WeakMap<Element, () => void>();
/** Changed fields of the scope that is waking. */
let touched: Field[] = [];

/** Stores a field's value. The handler of its events calls this. */
export const keep = (field: Element): void => keepers.get(field)?.();

/** Binds a field to the value behind `get` and `set`. If that value is a signal, then the field is bound to the signal. */
export const F = (field: Field, property: Property, get: Kept["get"], set: Kept["set"]): void => {
  const current = (): unknown => {
    const value = get();
    return value instanceof Cell ? value.value : value;
  };
  keepers.set(field, () => {
    const target = get();
    const value = read(field, property, current());
    if (target instanceof Cell) target.value = value;
    else set(value);
  });
  if (isResuming() && isTouched(field)) touched.push(field);
  // A copy of a list, so that `push` is noticed.
  const copy = (): unknown => {
    const value = current();
    return Array.isArray(value) ? [...(value as unknown[])] : value;
  };
  bind(copy, (value) => show(field, property, value));
};

/** Stores the changed fields of a waking scope. Called last in its bind function, when everything that shows those values is bound. */
export const keepTouched = (): void => touched.splice(0).forEach(keep);

// A form resets its fields after the event.
addEventListener(
  "reset",
  ({ target }) => {
    const fields = [...(target as HTMLFormElement).elements];
    const outputs = fields.filter((field) => field.localName === "output");
    const texts = outputs.map((output) => [...output.childNodes]);
    setTimeout(() => {
      // WebKit resets an output by new nodes, as the standard says. The bindings write to the ones from before.
      outputs.forEach((output, at) => {
        if (output.firstChild !== texts[at]![0]) output.replaceChildren(...texts[at]!);
      });
      // All values are read before any is written, since the members of a group share a list and the first write would otherwise restore
      // the others.
      batch(() => fields.forEach(keep));
    });
  },
  true,
);
