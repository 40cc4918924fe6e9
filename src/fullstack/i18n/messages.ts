/** The messages of an app, one module per language, with types that check each language against the default one. */
import type { Branches, CountsOf, NamesOf, Plural, Select, Template } from "./format.ts";

/** Messages of one language by their keys. */
export type Messages = Readonly<Record<string, Template>>;

/**
 * Keeps the literal types of the texts: `export default defineMessages({ "home.title": "Library" })`.
 * @example
 * export default defineMessages({
 *   title: "Library",
 *   added: plural("n", { one: "{n} book", other: "{n} books" }),
 * });
 */
export function defineMessages<const Of extends Messages>(messages: Of): Of {
  return messages;
}

/**
 * Chooses a text by a number: `plural("n", { one: "{n} book", other: "{n} books" })`; `"=0"` matches exactly zero.
 * @example
 * defineMessages({ added: plural("n", { "=0": "No books", one: "{n} book", other: "{n} books" }) });
 */
export function plural<const Name extends string, const Of extends Branches>(name: Name, of: Of): Plural<Name, Of> {
  return { plural: name, of };
}

/**
 * Chooses a text by another text: `select("role", { admin: "…", other: "…" })`.
 * @example
 * defineMessages({ role: select("role", { admin: "Administrator", other: "Member" }) });
 */
export function select<const Name extends string, const Of extends Branches>(name: Name, of: Of): Select<Name, Of> {
  return { select: name, of };
}

/** Requires the keys and parameters of the default language. The type error names a missing one. */
export type Checked<All, Default extends keyof All> = {
  readonly [Locale in keyof All]: {
    readonly [Key in keyof All[Default] | keyof All[Locale]]: Key extends keyof All[Default]
      ? Key extends keyof All[Locale]
        ? Fitting<All[Default][Key], All[Locale][Key]>
        : Template
      : never;
  };
};

type Fitting<Base, Own> = [Exclude<NamesOf<Base>, NamesOf<Own>>] extends [never]
  ? [Exclude<NamesOf<Own>, NamesOf<Base>>] extends [never]
    ? [Exclude<CountsOf<Own>, CountsOf<Base>>] extends [never]
      ? Own
      : { readonly "uses a text parameter as a plural number": Exclude<CountsOf<Own>, CountsOf<Base>> }
    : { readonly "has parameters that the default language lacks": Exclude<NamesOf<Own>, NamesOf<Base>> }
  : { readonly "lacks parameters of the default language": Exclude<NamesOf<Base>, NamesOf<Own>> };
