/** Chooses the language of a request, and maps paths between languages. Pure. BCP 47, RFC 9110 section 12.5.4, RFC 4647 section 3.4. */
import { SvcError, type Context } from "../../index.ts";

export interface Locales {
  /** Language tags, the default first. */
  readonly all: readonly string[];
  readonly fallback: string;
  /** `"path"`: `/about` and `/de/about`; `"accept-language"`: one URL, in the language that the browser asks for. */
  readonly strategy: "path" | "accept-language";
}

/** Stores the language that a visitor chose. */
export const CHOICE_COOKIE = "locale";

/** @throws SvcError `SVC_DEFINITION` for an invalid tag. */
export function readLocales(tags: readonly string[], fallback: string, strategy: Locales["strategy"]): Locales {
  for (const tag of tags) {
    if (isTag(tag)) continue;
    throw new SvcError(
      "SVC_DEFINITION",
      `createI18n was given the language "${tag}"; write a tag such as "de" or "pt-BR"`,
    );
  }
  if (!tags.includes(fallback))
    throw new SvcError(
      "SVC_DEFINITION",
      `createI18n has no messages for the default language "${fallback}"; it has ${tags.join(", ")}`,
    );
  return { all: [fallback, ...tags.filter((tag) => tag !== fallback)], fallback, strategy };
}

function isTag(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag)[0] === tag;
  } catch {
    return false;
  }
}

/** `/about` in German: `/de/about`. Replaces the language of a path that already has one. */
export function localPath({ all, fallback, strategy }: Locales, path: string, locale: string): string {
  if (strategy !== "path") return path;
  const bare = barePath({ all, fallback, strategy }, path);
  return locale === fallback || !all.includes(locale) ? bare : `/${locale}${bare === "/" ? "" : bare}`;
}

/** The path without its language. */
export function barePath(locales: Locales, path: string): string {
  const locale = inPath(locales, path);
  return locale === undefined ? path : path.slice(locale.length + 1) || "/";
}

/** The language that a path begins with. The default language has no prefix. */
function inPath({ all, fallback, strategy }: Locales, path: string): string | undefined {
  if (strategy !== "path") return undefined;
  const [, first] = /^\/([^/?#]+)/.exec(path) ?? [];
  return first !== undefined && first !== fallback && all.includes(first) ? first : undefined;
}

/** The language of a request. @param isPage whether its path belongs to a page. Others, such as actions, use the visitor's language. */
export function localeOf(locales: Locales, ctx: Context, isPage: boolean): string {
  const own = inPath(locales, ctx.path);
  if (own !== undefined) return own;
  return locales.strategy === "path" && isPage ? locales.fallback : wantedLocale(locales, ctx);
}

/** The language that the visitor chose, or that the browser asks for. */
export function wantedLocale(locales: Locales, ctx: Context): string {
  const chosen = ctx.cookie(CHOICE_COOKIE);
  if (chosen !== undefined && locales.all.includes(chosen)) return chosen;
  return negotiated(locales, ctx.header("accept-language"));
}

/** Most language ranges read from a header. */
const MAX_RANGES = 20;

/** The best match for `Accept-Language`. Each range is shortened from the right until it matches (RFC 4647, "lookup"). */
export function negotiated({ all, fallback }: Locales, header = ""): string {
  const ranges = header.split(",", MAX_RANGES).flatMap((part, at) => {
    const [range = "", weight] = part.split(";");
    const quality = weight === undefined ? 1 : Number(/^\s*q=([\d.]{1,5})\s*$/.exec(weight)?.[1] ?? 0);
    return quality > 0 ? [{ range: range.trim().toLowerCase(), quality, at }] : [];
  });
  ranges.sort((left, right) => right.quality - left.quality || left.at - right.at);
  for (const { range } of ranges) {
    if (range === "*") return fallback;
    for (let tag = range; tag !== ""; tag = tag.slice(0, Math.max(0, tag.lastIndexOf("-")))) {
      const found =
        all.find((one) => one.toLowerCase() === tag) ?? all.find((one) => one.toLowerCase().startsWith(`${tag}-`));
      if (found !== undefined) return found;
    }
  }
  return fallback;
}

const RIGHT_TO_LEFT = new Set(["ar", "ckb", "dv", "fa", "he", "ku", "nqo", "ps", "sd", "syr", "ug", "ur", "yi"]);

/** Text direction of a language. */
export function directionOf(locale: string): "ltr" | "rtl" {
  const { language, script } = new Intl.Locale(locale);
  if (script === "Latn" || script === "Cyrl") return "ltr";
  return RIGHT_TO_LEFT.has(language) || script === "Arab" || script === "Hebr" ? "rtl" : "ltr";
}

/** Paths of a page by language, with `x-default`. @returns undefined if all languages share one URL */
export function alternatesOf(locales: Locales, path: string): Record<string, string> | undefined {
  if (locales.strategy !== "path" || locales.all.length < 2) return undefined;
  const pairs = locales.all.map((locale) => [locale, localPath(locales, path, locale)]);
  return Object.fromEntries([...pairs, ["x-default", localPath(locales, path, locales.fallback)]]) as Record<
    string,
    string
  >;
}
