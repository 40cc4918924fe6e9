/**
 * `POST …/theme`: chooses a visitor's theme without JavaScript (`createApp({ themes: true })`). No token is needed: another site could do
 * nothing with it, and pages stay free of tokens. Requests that declare another site as their origin are refused nevertheless.
 */
import { redirectTo } from "../../platform/http/response/response.ts";
import type { Context, Result } from "../../platform/http/types.ts";
import { SvcError } from "../../platform/shared/errors.ts";
import { themeOf, THEMES } from "../../platform/shared/themes.ts";
import { COOKIES, PATHS } from "../../platform/shared/wire.ts";
import { readForm, requireOwnOrigin } from "../pipeline/csrf-guard.ts";
import type { Endpoints, Services } from "../services.ts";

const MAX_FORM_BYTES = 1024;
/** Close to the longest that browsers keep a cookie. */
const KEPT_SECONDS = 31_536_000;

export function themeEndpoints({ router, services }: Endpoints): void {
  router.add("POST", PATHS.theme, (ctx) => choose(ctx, services));
}

async function choose(ctx: Context, services: Services): Promise<Result> {
  requireOwnOrigin(ctx, services);
  const { fields } = await readForm(ctx, MAX_FORM_BYTES);
  const theme = themeOf(fields["theme"]);
  if (!theme) throw new SvcError("SVC_INVALID", `The field "theme" must be one of ${THEMES.join(", ")}`);
  // Not HttpOnly: the script that changes the theme at once must write it, and it protects nothing.
  ctx.setCookie(COOKIES.theme, theme, { maxAgeSeconds: KEPT_SECONDS, httpOnly: false });
  return redirectTo(pathBefore(ctx));
}

/** Path of the page with the form, on this site. */
function pathBefore(ctx: Context): string {
  const referrer = ctx.header("referer") ?? "";
  const url = URL.canParse(referrer) ? new URL(referrer) : undefined;
  // Two slashes would begin another host.
  return url && url.host === ctx.url.host && !url.pathname.startsWith("//") ? url.pathname + url.search : "/";
}
