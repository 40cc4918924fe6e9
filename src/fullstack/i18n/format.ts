/**
 * `svckit/i18n`: formats one message with its parameters, on the server and in the browser. A handler captures a message as data, so the
 * browser receives only that message and this function. `Intl` (ECMA-402) provides plurals and formats.
 */

/** `"Hello {name}"`, or alternatives: `plural("n", { one: "{n} book", other: "{n} books" })`. */
export type Template = string | Plural | Select;

/** Chooses a text by a number: by the plural categories of the language (`one`, `few`, `other`, …) or an exact number (`"=0"`). */
export interface Plural<Name extends string = string, Of extends Branches = Branches> {
  readonly plural: Name;
  readonly of: Of;
}

/** Chooses a text by another text. */
export interface Select<Name extends string = string, Of extends Branches = Branches> {
  readonly select: Name;
  readonly of: Of;
}

export interface Branches {
  readonly other: Template;
  readonly [branch: string]: Template;
}

/** Replaces `{name}`. Numbers and dates are formatted for the language. */
export type Value = string | number | Date;

/** Names in braces, and names that choose a branch. */
export type NamesOf<Of> = Of extends string
  ? NamesIn<Of>
  : Of extends { plural: infer Name; of: infer Inner } | { select: infer Name; of: infer Inner }
    ? Name | NamesOf<InBranches<Inner>>
    : never;

/** Ends the recursion for the general type `Branches`, which contains itself. */
type InBranches<Inner> = Branches extends Inner ? never : Inner[keyof Inner];

type NamesIn<Text extends string> = string extends Text
  ? string
  : Text extends `${string}{${infer Name}}${infer Rest}`
    ? Name | NamesIn<Rest>
    : never;

/** Names of the numbers that choose a plural. */
export type CountsOf<Of> = Of extends { plural: infer Name; of: infer Inner }
  ? Name | CountsOf<InBranches<Inner>>
  : Of extends { select: unknown; of: infer Inner }
    ? CountsOf<InBranches<Inner>>
    : never;

/** Parameters of a template: `{ readonly n: number; readonly name: Value }`. */
export type ParamsOf<Of> = {
  readonly [Name in NamesOf<Of> & string]: Name extends CountsOf<Of> ? number : Value;
};

/** Arguments of `format`: optional if the message has no parameters. */
export type ParamArgs<Params> = [keyof Params] extends [never] ? [params?: Params] : [params: Params];

/** One message in one language: plain data, so that handlers may capture it. */
export interface Message<Params = Readonly<Record<string, Value>>> {
  readonly locale: string;
  readonly text: Template;
  /** Type of the parameters. Never set. */
  readonly params?: Params;
}

/**
 * The message as text. Numbers are formatted for the language, dates in its medium form. Unknown `{names}` stay.
 * @example
 * const en = defineMessages({ added: plural("n", { one: "{n} book", other: "{n} books" }) });
 * const i18n = createI18n({ messages: { en }, defaultLocale: "en" });
 *
 * function Cart(props: { count: Signal<number> }) {
 *   const added = i18n.use().message("added");
 *   return <p>{format(added, { n: props.count.value })}</p>; // "3 books"
 * }
 */
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
