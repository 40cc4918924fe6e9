/**
 * `svckit/i18n`: one message with what it is about, as text. For both sides: a handler that shows a message captures it, as data, and
 * the browser gets that one and this function. Plurals and formats are those of the platform (ECMA-402: `Intl`).
 */

/** `"Hello {name}"`, or one text of several: `plural("n", { one: "{n} book", other: "{n} books" })`. */
export type Template = string | Plural | Select;

/** A text by a number: the categories of the language (`one`, `few`, `other`, …), or a number itself: `"=0"`. */
export interface Plural<Name extends string = string, Of extends Branches = Branches> {
  readonly plural: Name;
  readonly of: Of;
}

/** A text by a text. */
export interface Select<Name extends string = string, Of extends Branches = Branches> {
  readonly select: Name;
  readonly of: Of;
}

export interface Branches {
  readonly other: Template;
  readonly [branch: string]: Template;
}

/** What stands in the place of `{name}`: numbers and dates as the language writes them. */
export type Value = string | number | Date;

/** Names in braces, and those that branches go by. */
export type NamesOf<Of> = Of extends string
  ? NamesIn<Of>
  : Of extends { plural: infer Name; of: infer Inner } | { select: infer Name; of: infer Inner }
    ? Name | NamesOf<InBranches<Inner>>
    : never;

/** What nobody knows more of ends here: any template holds any templates. */
type InBranches<Inner> = Branches extends Inner ? never : Inner[keyof Inner];

type NamesIn<Text extends string> = string extends Text
  ? string
  : Text extends `${string}{${infer Name}}${infer Rest}`
    ? Name | NamesIn<Rest>
    : never;

/** Names of numbers that plurals go by. */
export type CountsOf<Of> = Of extends { plural: infer Name; of: infer Inner }
  ? Name | CountsOf<InBranches<Inner>>
  : Of extends { select: unknown; of: infer Inner }
    ? CountsOf<InBranches<Inner>>
    : never;

/** What a template has to be given: `{ readonly n: number; readonly name: Value }`. */
export type ParamsOf<Of> = {
  readonly [Name in NamesOf<Of> & string]: Name extends CountsOf<Of> ? number : Value;
};

/** None where there are none. */
export type ParamArgs<Params> = [keyof Params] extends [never] ? [params?: Params] : [params: Params];

/** One message in one language: plain data, so that handlers may capture it. */
export interface Message<Params = Readonly<Record<string, Value>>> {
  readonly locale: string;
  readonly text: Template;
  /** For types alone. */
  readonly params?: Params;
}

/** The message as text. A number in a `{name}` is written as the language does, a date in its medium form; `{other}` names stay. */
export function format<Params>(message: Message<Params>, ...[params]: ParamArgs<Params>): string {
  return written(message.text, (params ?? {}) as Readonly<Record<string, Value>>, message.locale);
}

function written(template: Template, params: Readonly<Record<string, Value>>, locale: string): string {
  if (typeof template === "string")
    return template.replace(/\{(\w+)\}/g, (whole, name: string) =>
      Object.hasOwn(params, name) ? valueText(params[name] as Value, locale) : whole,
    );
  return written(branchOf(template, params, locale), params, locale);
}

function branchOf(template: Plural | Select, params: Readonly<Record<string, Value>>, locale: string): Template {
  const { of } = template;
  const own = (branch: string): Template | undefined => (Object.hasOwn(of, branch) ? of[branch] : undefined);
  if ("select" in template) return own(String(params[template.select])) ?? of.other;
  const count = Number(params[template.plural]);
  return own(`=${count}`) ?? own(new Intl.PluralRules(locale).select(count)) ?? of.other;
}

function valueText(value: Value, locale: string): string {
  if (typeof value === "number") return new Intl.NumberFormat(locale).format(value);
  return value instanceof Date ? new Intl.DateTimeFormat(locale, { dateStyle: "medium" }).format(value) : value;
}
