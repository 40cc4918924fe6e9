/** Routes and middleware for languages: stores the choice of a visitor, redirects the front page, and sets `Vary` for caches. */
import {
  notFound,
  redirect,
  route,
  withHeaders,
  type Answer,
  type Middleware,
  type RouteDefinition,
} from "../../index.ts";
import { CHOICE_COOKIE, localPath, wantedLocale, type Locales } from "./locales.ts";

const YEAR_SECONDS = 365 * 24 * 60 * 60;

/** `/_svc/locale/de?to=/about`: stores the choice and redirects to the page in that language. */
export function choiceRoutes(locales: Locales): RouteDefinition[] {
  return [
    route("GET", "/:locale", (ctx) => {
      const { locale } = ctx.params;
      if (!locales.all.includes(locale))
        return notFound(`The language ${locale} does not exist; this site has ${locales.all.join(", ")}`);
      ctx.setCookie(CHOICE_COOKIE, locale, { maxAgeSeconds: YEAR_SECONDS });
      return redirect(localPath(locales, ownPath(ctx.query.get("to")), locale));
    }),
  ];
}

/** A path of this site only: `//` and a backslash would lead to another site. */
function ownPath(to: string | null): string {
  return to !== null && /^\/(?![/\\])[^\\\p{Cc}]*$/u.test(to) ? to : "/";
}

/** Middleware of the front page in the default language: redirects visitors who did not follow a link of this site to their language. */
export function homeRedirect(locales: Locales): Middleware {
  return async (ctx, next) => {
    const site = ctx.header("sec-fetch-site");
    // A link within this site already chooses the language.
    const wanted = site === "same-origin" ? locales.fallback : wantedLocale(locales, ctx);
    if (wanted === locales.fallback) return varying(await next());
    const headers = ["location", localPath(locales, "/", wanted), "cache-control", "private, no-cache"];
    return varying({ status: 302, headers, body: null });
  };
}

/** Middleware of pages whose language depends on the request. */
export const byLanguage: Middleware = async (_, next) => varying(await next());

function varying(answer: Answer): Answer {
  const { headers } = answer;
  // Avoids `instanceof Response`: the global Response loads all of Node's fetch.
  const had = "getSetCookie" in headers ? headers.get("vary") : varyOf(headers);
  return withHeaders(answer, { vary: had ? `${had}, accept-language` : "accept-language" });
}

function varyOf(headers: readonly string[]): string | undefined {
  const values = headers.filter(
    (_, at) => at % 2 === 1 && headers[at - 1] === "vary" && headers[at] !== "accept-language",
  );
  return values.length === 0 ? undefined : values.join(", ");
}
