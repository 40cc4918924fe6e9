/** What languages do to requests: where a choice is remembered, where the front page leads, and what caches are told. */
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

/** `/_svc/locale/de?to=/about`: remembers the choice, and leads to the page in that language. */
export function choiceRoutes(locales: Locales): RouteDefinition[] {
  return [
    route("GET", "/:locale", (ctx) => {
      const { locale } = ctx.params;
      if (!locales.all.includes(locale))
        return notFound(`There is no language ${locale}; there are ${locales.all.join(", ")}`);
      ctx.setCookie(CHOICE_COOKIE, locale, { maxAgeSeconds: YEAR_SECONDS });
      return redirect(localPath(locales, ownPath(ctx.query.get("to")), locale));
    }),
  ];
}

/** Never another site's: `//` and a backslash begin one. */
function ownPath(to: string | null): string {
  return to !== null && /^\/(?![/\\])[^\\\p{Cc}]*$/u.test(to) ? to : "/";
}

/** Around the front page in the default language: who comes from elsewhere is led to the one that is wanted. */
export function homeRedirect(locales: Locales): Middleware {
  return async (ctx, next) => {
    const site = ctx.header("sec-fetch-site");
    // Who follows a link of this site has said where to go.
    const wanted = site === "same-origin" ? locales.fallback : wantedLocale(locales, ctx);
    if (wanted === locales.fallback) return varying(await next());
    const headers = ["location", localPath(locales, "/", wanted), "cache-control", "private, no-cache"];
    return varying({ status: 302, headers, body: null });
  };
}

/** Around pages whose language is that of the request. */
export const byLanguage: Middleware = async (_, next) => varying(await next());

function varying(answer: Answer): Answer {
  const { headers } = answer;
  // Not by the global Response: to ask for it loads all of node's fetch.
  const had = "getSetCookie" in headers ? headers.get("vary") : varyOf(headers);
  return withHeaders(answer, { vary: had ? `${had}, accept-language` : "accept-language" });
}

function varyOf(headers: readonly string[]): string | undefined {
  const values = headers.filter(
    (_, at) => at % 2 === 1 && headers[at - 1] === "vary" && headers[at] !== "accept-language",
  );
  return values.length === 0 ? undefined : values.join(", ");
}
