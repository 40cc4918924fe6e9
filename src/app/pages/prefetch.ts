/**
 * Prefetched pages, which a browser requests before a visitor follows a link (src/web/client/navigation/client-navigation.ts). A message of
 * `flash` is shown once, and would be lost with a page that nobody sees. So while such a message waits, a prefetch gets no page, and
 * following the link requests it again.
 */
import { RequestContext } from "../../platform/http/request/context.ts";
import { empty } from "../../platform/http/response/response.ts";
import type { Context, Handler } from "../../platform/http/types.ts";
import { AHEAD, COOKIES, HEADERS } from "../../platform/shared/wire.ts";

export function withoutFlash(handler: Handler): Handler {
  return (ctx) => (wouldTakeFlash(ctx) ? empty(204, ["cache-control", "no-store"]) : handler(ctx));
}

/** Does not count as reading the visitor's data, so the page may still be shared. */
function wouldTakeFlash(ctx: Context): boolean {
  const isSo = (): boolean => ctx.header(HEADERS.navigation) === AHEAD && COOKIES.flash in ctx.cookies;
  return ctx instanceof RequestContext ? ctx.unseen(isSo) : isSo();
}
