/**
 * `<Form>`: a form that works without JavaScript and shows the errors of a rejected submission. With JavaScript, the first interaction
 * fetches forms.js, which submits the form and updates the page in place. docs/guide/forms.md
 */
import { randomUUID } from "node:crypto";
import { CsrfField, SvcError, type Context } from "../../index.ts";
import { DOM, FORM_FIELDS, PATHS, submitted, type Submitted } from "../../internal.ts";
import { a, html, sendForms, spread, t, type Child } from "../../jsx-runtime.ts";
import { tableOf, withFileText, type FormMessages, type FormTable } from "./form-messages.ts";
import { FormState, formScope } from "./form-state.ts";
import { usePage, type PageScope } from "../page-scope.ts";
import type { AnySubmit, Submit } from "./submit.ts";

/** Initial values of a form: any part of its submit's input. */
export type Partly<Input> = unknown extends Input
  ? unknown
  : Input extends readonly (infer Item)[]
    ? readonly Partly<Item>[]
    : Input extends string | number | boolean | bigint | Date | null | undefined
      ? Input | null
      : { readonly [Key in keyof Input]?: Partly<Input[Key]> };

export interface FormProps<Input, FileField extends string> extends FormSettings {
  /** Target of the form. */
  submit: Submit<Input, FileField>;
  /** Initial values of the fields. After a rejected submission, the submitted values replace them. */
  values?: Partly<Input>;
}

interface FormSettings {
  /** Id of the form element. Default: the submit's name. Several forms for one submit on a page each need their own id. */
  id?: string;
  class?: string;
  /** Name for screen readers, if no heading names the form. */
  "aria-label"?: string;
  "aria-labelledby"?: string;
  autocomplete?: "on" | "off";
  /** Disables the validation of the browser, so that only the server validates the fields. Default false. */
  novalidate?: boolean;
  /** Whether to reset the fields after a successful submission that stays on the same page. Default true. */
  reset?: boolean;
  /** Heading of the list of errors. Default: their number. `false`: no list. */
  summary?: string | false;
  children?: Child;
}

/**
 * @throws SvcError `SVC_DEFINITION` for a submit that is not registered in the app
 * @example
 * <Form submit={rename}>
 *   <Field of={rename} name="title" label="Title" />
 *   <button>Save</button>
 * </Form>
 */
export function Form<Input, FileField extends string>(props: FormProps<Input, FileField>): Child {
  const page = usePage("Form");
  requireKnown(page, props.submit);
  return html(() => write(props, page));
}

function write(
  props: FormSettings & { submit: AnySubmit; values?: unknown },
  { ctx, formMessages }: PageScope,
): string {
  const { submit, values, id = submit.name, reset = true, summary, children, ...rest } = props;
  sendForms();
  const refusal = submitted(ctx);
  const isMine = refusal?.name === submit.name && (refusal.form ?? submit.name) === id;
  const table = tableOf(formMessages);
  const own = isMine ? inLanguage(refusal, submit, table) : undefined;
  const state = new FormState(id, submit.name, own, values);
  // Rendered before the list of errors, which links to the fields found here.
  const content = t(formScope.Provider({ value: state, children: html(() => t(children)) }));
  const attributes = {
    ...rest,
    id,
    method: "post",
    action: `${PATHS.submit}/${submit.name}`,
    enctype: submit.definition.files ? "multipart/form-data" : undefined,
    [DOM.form]: reset ? "reset" : "",
    [DOM.formTexts]: Object.keys(table).length > 0 ? JSON.stringify(table) : undefined,
  };
  return `<form${spread(attributes, [])}>${hiddenFields(ctx, id)}${summary === false ? "" : summaryOf(state, summary, formMessages)}<div ${DOM.formNews} role="alert" class="svc-form-news"></div>${content}</form>`;
}

/** The first fields of the form, so that an invalid CSRF token is detected before a file is read. */
function hiddenFields(ctx: Context, id: string): string {
  const hidden = (name: string, value: string): string => `<input type="hidden" name="${name}" value="${a(value)}">`;
  const { pathname, search } = ctx.url;
  return (
    t(CsrfField()) +
    hidden(FORM_FIELDS.key, randomUUID()) +
    hidden(FORM_FIELDS.page, pathname + search) +
    hidden(FORM_FIELDS.form, id)
  );
}

/** The refusal with the framework's messages in the page's language. */
function inLanguage(refusal: Submitted, { definition }: AnySubmit, table: FormTable): Submitted {
  const issues = refusal.issues.map((issue) => withFileText(issue, definition.files, table));
  return { ...refusal, message: table[refusal.message] ?? refusal.message, issues };
}

function summaryOf(state: FormState, heading: string | undefined, { errors = inEnglish }: FormMessages): string {
  const { refusal } = state;
  if (!refusal) return "";
  const problems = state.summary();
  const title = heading ?? (problems.length > 0 ? errors(problems.length) : refusal.message);
  const items = problems.map(({ message, id }) =>
    id === undefined ? `<li>${t(message)}</li>` : `<li><a href="#${a(id)}">${t(message)}</a></li>`,
  );
  const focus = state.hasFocus ? "" : " autofocus";
  return `<div class="svc-form-errors" role="alert" tabindex="-1" id="${a(state.id)}-errors"${focus}><p>${t(title)}</p>${items.length > 0 ? `<ul>${items.join("")}</ul>` : ""}</div>`;
}

function inEnglish(count: number): string {
  return count === 1 ? "Fix 1 error" : `Fix ${count} errors`;
}

function requireKnown({ submits }: PageScope, submit: AnySubmit | undefined): void {
  if (submit !== undefined && submits.get(submit.name) === submit) return;
  const what = submit === undefined ? "no submit" : `the submit "${submit.name}", which is not registered in the app`;
  throw new SvcError(
    "SVC_DEFINITION",
    `<Form> was given ${what}: export it from a page or layout, or from a _submits.ts below pages/, or name it in createFullStackApp({ submits: [ … ] })`,
  );
}
