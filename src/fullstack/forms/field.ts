/**
 * Fields of a `<Form>`: `<Field>` with label, hint and error, and `field(…)` and `<FieldError>` for your own markup. All read the
 * submitted values and errors from the form around them.
 */
import { SvcError, useContext } from "../../index.ts";
import { DOM, MAX_FILE_BYTES } from "../../internal.ts";
import { html, spread, t, type Child } from "../../jsx-runtime.ts";
import type { FieldName } from "./field-names.ts";
import { formScope, type FormState } from "./form-state.ts";
import type { Submit } from "./submit.ts";

/** Names of the fields of a submit, including files. */
export type FieldsOf<Of> = Of extends Submit<infer Input, infer FileField> ? FieldName<Input> | FileField : never;

type InputType =
  | "text"
  | "email"
  | "password"
  | "search"
  | "tel"
  | "url"
  | "number"
  | "range"
  | "color"
  | "date"
  | "time"
  | "datetime-local"
  | "month"
  | "week"
  | "checkbox"
  | "radio"
  | "file";

interface FieldOptions {
  /** Default "text". */
  type?: InputType;
  /** Value that a checkbox or radio button submits. Default "on". */
  value?: string;
  /** Initial value if the form has none; for a checkbox or radio button, whether it is checked. */
  initial?: string | number | boolean;
}

/** Attributes for your own `<input>`, `<textarea>` or `<select>`: `<input {...field(save, "email", { type: "email" })} />`. */
export interface FieldAttributes {
  id: string;
  name: string;
  type?: InputType;
  value?: string;
  checked?: boolean;
  autofocus?: boolean;
  "aria-invalid"?: "true";
  "aria-describedby"?: string;
}

/** Types whose value is never written into a page. */
const UNREPORTED = new Set<string | undefined>(["password", "file"]);
const TICKED = new Set<string | undefined>(["checkbox", "radio"]);

/**
 * Name, id, value and state of a field. For use inside its form.
 * @param of the form's submit, which knows the field names
 * @throws SvcError `SVC_DEFINITION` outside a form of that submit
 * @example
 * <label>
 *   Title <input {...field(rename, "title")} />
 * </label>
 */
export function field<Of extends Submit<never, never>>(
  of: Of,
  name: FieldsOf<Of> & string,
  { type, value = "on", initial }: FieldOptions = {},
): FieldAttributes {
  const form = useForm(of, `field("${name}")`);
  const isTicked = TICKED.has(type);
  const id = isTicked && value !== "on" ? form.idOf(`${name}-${value}`) : form.idOf(name);
  const isFocused = form.place(name, id);
  return {
    id,
    name,
    ...(type && { type }),
    ...(isTicked
      ? { value, ...(form.isTicked(name, value, initial === true) && { checked: true }) }
      : !UNREPORTED.has(type) && { value: form.textOf(name, initial) }),
    ...(form.errorOf(name) !== undefined && { "aria-invalid": "true", "aria-describedby": errorId(form, name) }),
    ...(isFocused && { autofocus: true }),
    ...(type === "file" && { [DOM.fileBytes]: maxBytesOf(of, name) }),
  };
}

function maxBytesOf({ definition: { files = {} } }: Submit<never, never>, name: string): number | undefined {
  return Object.hasOwn(files, name) ? (files[name]?.maxBytes ?? MAX_FILE_BYTES) : undefined;
}

/**
 * The error of a field; nothing if it has none.
 * @example
 * <Form submit={rename}>
 *   <input {...field(rename, "title")} />
 *   <FieldError of={rename} name="title" />
 * </Form>
 */
export function FieldError<Of extends Submit<never, never>>(props: {
  of: Of;
  name: FieldsOf<Of> & string;
  class?: string;
}): Child {
  const form = useForm(props.of, "<FieldError>");
  const message = form.reportOnce(props.name);
  if (message === undefined) return "";
  const attributes = { id: errorId(form, props.name), class: props.class ?? "svc-field-error" };
  return html(() => `<p${spread(attributes, [])}>${t(message)}</p>`);
}

export interface FieldProps<Of extends Submit<never, never>> extends FieldOptions {
  /** The form's submit, which knows the field names. */
  of: Of;
  name: FieldsOf<Of> & string;
  label: Child;
  /** Text below the label, read out with the field. */
  hint?: string;
  /** Element other than an input: longer text, or a selection. */
  as?: "input" | "textarea" | "select";
  /** Options of a `select`: values, or values with labels. */
  options?: readonly (string | readonly [value: string, label: string])[];
  required?: boolean;
  autocomplete?: string;
  placeholder?: string;
  inputmode?: "none" | "text" | "decimal" | "numeric" | "tel" | "search" | "email" | "url";
  min?: number | string;
  max?: number | string;
  step?: number | "any";
  minlength?: number;
  maxlength?: number;
  pattern?: string;
  rows?: number;
  /** For text that is not prose, such as code: false. */
  spellcheck?: boolean;
  /** Allows several files or options. */
  multiple?: boolean;
  /** File types: `image/png,image/*`. */
  accept?: string;
  disabled?: boolean;
  class?: string;
}

/**
 * A field with label, hint and error, connected for screen readers. Style it by `svc-field` and its parts.
 * @example
 * <Form submit={rename}>
 *   <Field of={rename} name="title" label="Title" hint="At most 80 characters" />
 *   <button>Save</button>
 * </Form>
 */
export function Field<Of extends Submit<never, never>>(props: FieldProps<Of>): Child {
  const form = useForm(props.of, "<Field>");
  return html(() => writeField(props as FieldProps<Submit<never, never>>, form));
}

function writeField(props: FieldProps<Submit<never, never>>, form: FormState): string {
  const { of, label, hint, as = "input", options = [], class: ownClass = "svc-field", ...rest } = props;
  const { name, type, value, initial, ...own } = rest as typeof rest & { name: never };
  const known: Partial<FieldAttributes> = field(of, name, {
    ...(type && { type }),
    ...(value !== undefined && { value }),
    ...(initial !== undefined && { initial }),
  });
  const hintId = `${known.id}-hint`;
  const described = [hint === undefined ? "" : hintId, known["aria-describedby"] ?? ""].filter(Boolean).join(" ");
  const attributes = { ...own, ...known, ...(described !== "" && { "aria-describedby": described }) };
  const isTicked = TICKED.has(type);
  const labelled = `<label for="${known.id}">${t(label)}</label>`;
  const control = controlOf(as, attributes, options, form, name);
  const hinted = hint === undefined ? "" : `<p id="${hintId}" class="svc-field-hint">${t(hint)}</p>`;
  const order = isTicked ? [control, labelled, hinted] : [labelled, hinted, control];
  const classes = [ownClass, isTicked ? "svc-field-box" : "", known["aria-invalid"] ? "svc-field-invalid" : ""];
  const text = classes.filter(Boolean).join(" ");
  return `<div${spread({ class: text }, [])}>${order.join("")}${t(FieldError({ of, name }))}</div>`;
}

function controlOf(
  as: "input" | "textarea" | "select",
  { value, ...attributes }: Partial<FieldAttributes>,
  options: NonNullable<FieldProps<Submit<never, never>>["options"]>,
  form: FormState,
  name: string,
): string {
  if (as === "input") return `<input${spread({ ...attributes, value }, [])}>`;
  const { type: _, ...own } = attributes;
  // HTML ignores a line break at the start of a textarea.
  if (as === "textarea") return `<textarea${spread(own, [])}>\n${t(value)}</textarea>`;
  const chosen = new Set(form.refusal || value === "" ? form.textsOf(name) : [value]);
  const items = options.map((option) => {
    const [own, label] = typeof option === "string" ? [option, option] : option;
    return `<option${spread({ value: own, selected: chosen.has(own) }, [])}>${t(label)}</option>`;
  });
  return `<select${spread(own, [])}>${items.join("")}</select>`;
}

/**
 * `<progress>` of the upload of the form around it, while it is sent. Hidden without JavaScript.
 * @example
 * <Form submit={rename}>
 *   <UploadProgress label="Sending the picture" />
 * </Form>
 */
export function UploadProgress(props: { label?: string; class?: string }): Child {
  const attributes = {
    class: props.class ?? "svc-upload",
    "aria-label": props.label ?? "Sending files",
    max: 1,
    value: 0,
  };
  return html(() => `<progress hidden ${DOM.formProgress}${spread(attributes, [])}></progress>`);
}

function errorId(form: FormState, name: string): string {
  return `${form.idOf(name)}-error`;
}

function useForm(of: Submit<never, never>, what: string): FormState {
  const form = useContext(formScope);
  if (form?.submit === of.name) return form;
  throw new SvcError(
    "SVC_DEFINITION",
    `${what} is in ${form ? `the form of the submit "${form.submit}"` : "no <Form>"}; it is a field of "${of.name}"`,
  );
}
