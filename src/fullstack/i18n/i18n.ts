/** `createI18n`: the languages of an app with their messages, typed. What is asked for texts is a translator: of a request, or of the page being rendered. */
import { createContext, useContext, type Context } from "../../index.ts";
import { BASE_PATH } from "../../internal.ts";
import { format, type Message, type ParamArgs, type ParamsOf } from "./format.ts";
import { localeOf, localPath, readLocales, type Locales } from "./locales.ts";
import type { Checked, Messages } from "./messages.ts";

export interface I18nOptions<All, Default extends keyof All> {
  /** Messages by language tag; these are the languages that there are. */
  readonly messages: All & Checked<All, Default>;
  /** The language without a prefix, and for who speaks none of the others. Its keys and parameters are those that all must have. */
  readonly defaultLocale: Default;
  /**
   * `"path"` (default): each language has addresses of its own, `/about` and `/de/about`. `"accept-language"`: one address, in
   * the language that the browser asks for; its answers differ from visitor to visitor.
   */
  readonly strategy?: Locales["strategy"];
  /** Of `"path"`: whether `/` leads visitors who come from elsewhere to the language they have chosen or their browser asks for. Default true. */
  readonly redirectHome?: boolean;
}

/** Texts, numbers and paths in one language. */
export interface Translator<Of extends Messages> {
  /** `t("cart.added", { n: 2 })` */
  <Key extends keyof Of & string>(key: Key, ...params: ParamArgs<ParamsOf<Of[Key]>>): string;
  readonly locale: string;
  /** A message for a handler, which captures it: `format(added, { n: count.value })` with `format` of "svckit/i18n". */
  message<Key extends keyof Of & string>(this: void, key: Key): Message<ParamsOf<Of[Key]>>;
  number(this: void, value: number, options?: Intl.NumberFormatOptions): string;
  date(this: void, value: Date | number, options?: Intl.DateTimeFormatOptions): string;
  /** A path of a page in this language, or another one. */
  path(this: void, path: string, locale?: string): string;
  /** Where a link leads that chooses a language: to the page in it, by way of a cookie. @param path default: the front page */
  choice(this: void, locale: string, path?: string): string;
}

export interface I18n<Of extends Messages = Messages> {
  readonly locales: Locales;
  readonly redirectHome: boolean;
  /** Of the page that is being rendered: in the body of a component. */
  use(this: void): Translator<Of>;
  /** Of a request: in `load`, `head`, actions, submits, endpoints and middleware. */
  of(this: void, ctx: Context): Translator<Of>;
}

/** Of an app, whatever its messages are. */
export type AnyI18n = Pick<I18n, "locales" | "redirectHome"> & {
  of(this: void, ctx: Context): { readonly locale: string };
};

/** Below `/_svc/`, where a language is chosen. */
export const CHOICE_NAME = "locale";

/** What links of the page that is being rendered need to know. */
export interface SiteLanguages {
  readonly locales: Locales;
  /** Of the page. */
  readonly locale: string;
  /** Routes of pages, as their files are called; others have no language in their address. */
  readonly pages: ReadonlySet<string>;
}

export const SiteLocales = createContext<SiteLanguages | undefined>(undefined);

/** @throws SvcError `SVC_DEFINITION` for a language that is none, or a default without messages */
export function createI18n<
  const All extends Readonly<Record<string, Messages>>,
  const Default extends keyof All & string,
>(options: I18nOptions<All, Default>): I18n<All[Default]> {
  const { messages, defaultLocale, strategy = "path", redirectHome = true } = options;
  const locales = readLocales(Object.keys(messages), defaultLocale, strategy);
  const translators = new Map<string, Translator<All[Default]>>();
  const translator = (locale: string): Translator<All[Default]> => {
    const known =
      translators.get(locale) ??
      translatorOf<All[Default]>(locales, locale, messages as Readonly<Record<string, Messages>>);
    translators.set(locale, known);
    return known;
  };
  return {
    locales,
    redirectHome,
    use: () => translator(useContext(SiteLocales)?.locale ?? defaultLocale),
    of: (ctx) => translator(localeOf(locales, ctx, !ctx.path.startsWith(`${BASE_PATH}/`))),
  };
}

function translatorOf<Of extends Messages>(
  locales: Locales,
  locale: string,
  messages: Readonly<Record<string, Messages>>,
): Translator<Of> {
  const own = messages[locale] ?? {};
  const rest = messages[locales.fallback] ?? {};
  const message = (key: string): Message => ({ locale, text: own[key] ?? rest[key] ?? key });
  const translate = (key: string, params: Readonly<Record<string, string>> = {}): string =>
    format(message(key), params);
  return Object.assign(translate, {
    locale,
    message,
    number: (value: number, options?: Intl.NumberFormatOptions) => new Intl.NumberFormat(locale, options).format(value),
    date: (value: Date | number, options: Intl.DateTimeFormatOptions = { dateStyle: "medium" }) =>
      new Intl.DateTimeFormat(locale, options).format(value),
    path: (path: string, other = locale) => localPath(locales, path, other),
    choice: (other: string, path = "/") =>
      `${BASE_PATH}/${CHOICE_NAME}/${encodeURIComponent(other)}?to=${encodeURIComponent(path)}`,
    // What it is to its callers, keys and parameters, is told by the types of the messages.
  }) as unknown as Translator<Of>;
}
