/** `createI18n`: the languages of an app with typed messages. A translator returns the texts for a request or for the page being rendered. */
import { createContext, useContext, type Context } from "../../index.ts";
import { BASE_PATH } from "../../internal.ts";
import { format, type Message, type ParamArgs, type ParamsOf } from "./format.ts";
import { localeOf, localPath, readLocales, type Locales } from "./locales.ts";
import type { Checked, Messages } from "./messages.ts";

export interface I18nOptions<All, Default extends keyof All> {
  /** Messages by language tag. Its keys are the languages of the app. */
  readonly messages: All & Checked<All, Default>;
  /** The language without a path prefix, also for visitors who speak none of the languages. All languages need its keys and parameters. */
  readonly defaultLocale: Default;
  /**
   * `"path"` (default): each language has its own URLs, `/about` and `/de/about`. `"accept-language"`: one URL for all languages; the
   * browser's `Accept-Language` header decides, so responses differ between visitors.
   */
  readonly strategy?: Locales["strategy"];
  /**
   * For `"path"`: whether `/` redirects visitors to their chosen language or that of their browser, unless they followed a link of this
   * site. Default true.
   */
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
  /** The path of a page in this language or in `locale`. */
  path(this: void, path: string, locale?: string): string;
  /** URL of a link that chooses a language: sets a cookie and redirects to the page. @param path default: the front page */
  choice(this: void, locale: string, path?: string): string;
}

export interface I18n<Of extends Messages = Messages> {
  readonly locales: Locales;
  readonly redirectHome: boolean;
  /** The translator of the page being rendered. Call it in the body of a component. */
  use(this: void): Translator<Of>;
  /** The translator of a request. Use it in `load`, `head`, actions, submits, endpoints and middleware. */
  of(this: void, ctx: Context): Translator<Of>;
}

/** The i18n of an app, independent of the types of its messages. */
export type AnyI18n = Pick<I18n, "locales" | "redirectHome"> & {
  of(this: void, ctx: Context): { readonly locale: string };
};

/** Endpoint below `/_svc/` that chooses a language. */
export const CHOICE_NAME = "locale";

/** Language data that links of the page being rendered need. */
export interface SiteLanguages {
  readonly locales: Locales;
  /** Language of the page. */
  readonly locale: string;
  /** Routes of pages, by file name. Other routes have no language in their URL. */
  readonly pages: ReadonlySet<string>;
}

export const SiteLocales = createContext<SiteLanguages | undefined>(undefined);

/**
 * @throws SvcError `SVC_DEFINITION` for an invalid language tag, or a default without messages
 * @example
 * const en = defineMessages({ title: "Library" });
 * const de = defineMessages({ title: "Bücherei" });
 * export const i18n = createI18n({ messages: { en, de }, defaultLocale: "en" });
 */
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
    // The types of the messages determine the keys and parameters for callers.
  }) as unknown as Translator<Of>;
}
