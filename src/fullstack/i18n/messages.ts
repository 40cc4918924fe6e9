/** The messages of an app, one module for each language, and what makes TypeScript hold them to each other. */
import type { Branches, CountsOf, NamesOf, Plural, Select, Template } from "./format.ts";

/** Messages of one language by their keys. */
export type Messages = Readonly<Record<string, Template>>;

/** Says what an object is, so that its texts keep their types: `export default defineMessages({ "home.title": "Library" })`. */
export function defineMessages<const Of extends Messages>(messages: Of): Of {
  return messages;
}

/** A text by a number: `plural("n", { one: "{n} book", other: "{n} books" })`; `"=0"` is for exactly that. */
export function plural<const Name extends string, const Of extends Branches>(name: Name, of: Of): Plural<Name, Of> {
  return { plural: name, of };
}

/** A text by a text: `select("role", { admin: "…", other: "…" })`. */
export function select<const Name extends string, const Of extends Branches>(name: Name, of: Of): Select<Name, Of> {
  return { select: name, of };
}

/** Each language has the keys and parameters of the default one; what it lacks stands in the error of TypeScript. */
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
      : { readonly "takes as a number what is none": Exclude<CountsOf<Own>, CountsOf<Base>> }
    : { readonly "has parameters that the default language has not": Exclude<NamesOf<Own>, NamesOf<Base>> }
  : { readonly "lacks parameters of the default language": Exclude<NamesOf<Base>, NamesOf<Own>> };
