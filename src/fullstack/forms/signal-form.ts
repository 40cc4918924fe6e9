/** `<SignalForm>`: a form that sends a signal to a run, with the fields of the signal's schema. Works without JavaScript. */
import { SvcError } from "../../index.ts";
import type { SignalField } from "../../internal.ts";
import { a, html, t, type Child } from "../../jsx-runtime.ts";
import { Field } from "./field.ts";
import { Form, type FormProps } from "./form.ts";
import { SIGNAL_VALUE, type SignalFormInput, type SignalSubmit } from "./signal-submit.ts";
import type { Submit } from "./submit.ts";

export interface SignalFormProps<Value> extends Omit<FormProps<SignalFormInput<Value>, never>, "submit"> {
  submit: SignalSubmit<Value>;
  /** Id of the run. */
  run: string;
  /** Text of the button. Default "Send". */
  label?: string;
  /** Fields and button of your own; the fields have names such as `value.isApproved`. Default: a field for each property of the schema. */
  children?: Child;
}

/**
 * @throws SvcError `SVC_DEFINITION` for a signal whose schema shows no fields, if there are no children; as `<Form>`
 * @example
 * const approval = defineSignal<{ note: string }>("approval");
 * const decide = signalSubmit("decide", approval, { engine: () => app.engine, authorize: () => true });
 * <SignalForm submit={decide} run={graphId} label="Approve">
 *   <Field of={decide} name="value.note" label="Note" />
 *   <button>Approve</button>
 * </SignalForm>;
 */
export function SignalForm<Value>(props: SignalFormProps<Value>): Child {
  const { submit, run, label = "Send", children, ...own } = props;
  const content = children ?? fieldsOf(submit, label);
  return Form<SignalFormInput<Value>, never>({
    // Forms for several runs may be on one page.
    id: `${submit.name}-${run}`,
    ...own,
    submit,
    children: html(() => `<input type="hidden" name="run" value="${a(run)}">${t(content)}`),
  });
}

function fieldsOf<Value>(submit: SignalSubmit<Value>, label: string): Child {
  const { signalFields } = submit;
  if (!signalFields)
    throw new SvcError(
      "SVC_DEFINITION",
      `<SignalForm> can't read the fields of "${submit.name}" from the schema of its signal: use a flat object of texts, numbers, booleans and choices, or pass fields as children`,
    );
  return html(() => `${signalFields.map((field) => t(fieldOf(submit, field))).join("")}<button>${t(label)}</button>`);
}

function fieldOf(submit: Submit<never, never>, { name, kind, label, isRequired, options }: SignalField): Child {
  const of = submit as Submit<Record<string, string>, never>;
  const common = { of, name: `${SIGNAL_VALUE}${name}`, label, ...(isRequired && { required: true }) };
  if (kind === "boolean") return Field({ ...common, type: "checkbox" });
  if (kind === "number") return Field({ ...common, type: "number", step: "any" });
  if (kind === "choice") return Field({ ...common, as: "select", options: ["", ...(options ?? [])] });
  return Field(common);
}
