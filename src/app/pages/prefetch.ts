/**
 * Pages that a browser fetches before anybody follows a link to them (src/web/client/navigation/client-navigation.ts). Whatever is shown once, what `flash` has left
 * for the next page, would be lost with one that is never looked at: while that waits there is no such page, and who follows the link asks again.
 */
import { RequestContext } from "../../platform/http/request/context.ts";
import { empty } from "../../platform/http/response/response.ts";
import type { Context, Handler } from "../../platform/http/types.ts";
import { AHEAD, COOKIES, HEADERS } from "../../platform/shared/wire.ts";

export function withoutFlash(handler: Handler): Handler {
  return (ctx) => (wouldTakeFlash(ctx) ? empty(204, ["cache-control", "no-store"]) : handler(ctx));
}

/** Nothing of the visitor has been looked at by that, where a page is shared. */
function wouldTakeFlash(ctx: Context): boolean {
  const isSo = (): boolean => ctx.header(HEADERS.navigation) === AHEAD && COOKIES.flash in ctx.cookies;
  return ctx instanceof RequestContext ? ctx.unseen(isSo) : isSo();
}
