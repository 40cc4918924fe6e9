/**
 * `POST …/theme`: a visitor's theme, chosen without script (`createApp({ themes: true })`). No token is asked for: what another site could
 * do with it is nothing, and pages stay free of tokens; requests that say they come from one are refused all the same.
 */
import { redirectTo } from "../../platform/http/response/response.ts";
import type { Context, Result } from "../../platform/http/types.ts";
import { SvcError } from "../../platform/shared/errors.ts";
import { themeOf, THEMES } from "../../platform/shared/themes.ts";
import { COOKIES, PATHS } from "../../platform/shared/wire.ts";
import { readForm, requireOwnOrigin } from "../pipeline/csrf-guard.ts";
import type { Endpoints, Services } from "../services.ts";

const MAX_FORM_BYTES = 1024;
/** As long as browsers keep one at most, nearly: a choice of colours does not get old. */
const KEPT_SECONDS = 31_536_000;

export function themeEndpoints({ router, services }: Endpoints): void {
  router.add("POST", PATHS.theme, (ctx) => choose(ctx, services));
}

async function choose(ctx: Context, services: Services): Promise<Result> {
  requireOwnOrigin(ctx, services);
  const { fields } = await readForm(ctx, MAX_FORM_BYTES);
  const theme = themeOf(fields["theme"]);
  if (!theme) throw new SvcError("SVC_INVALID", `The field "theme" is none of ${THEMES.join(", ")}`);
  // Read by nobody but to paint: the script that changes it at once must be able to write it.
  ctx.setCookie(COOKIES.theme, theme, { maxAgeSeconds: KEPT_SECONDS, httpOnly: false });
  return redirectTo(pathBefore(ctx));
}

/** The page that the form stood in, on this site. */
function pathBefore(ctx: Context): string {
  const referrer = ctx.header("referer") ?? "";
  const url = URL.canParse(referrer) ? new URL(referrer) : undefined;
  // A path of two slashes would be read as another host.
  return url && url.host === ctx.url.host && !url.pathname.startsWith("//") ? url.pathname + url.search : "/";
}
