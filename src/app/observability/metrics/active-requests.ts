/**
 * The requests that are being answered, the longest first. On the way of every request: their contexts themselves are the links of a
 * chain, so nothing is made for one, and nothing of one is kept when it has gone (a `Set` would: platform/shared/churning-map.ts).
 */
import type { RequestContext } from "../../../platform/http/request/context.ts";

export class ActiveRequests {
  #first: RequestContext | undefined;
  #last: RequestContext | undefined;

  add(ctx: RequestContext): void {
    ctx.before = this.#last;
    if (this.#last) this.#last.behind = ctx;
    else this.#first = ctx;
    this.#last = ctx;
  }

  /** Nothing, where it was never added: of what could not be read as a request. */
  remove(ctx: RequestContext): void {
    const { before, behind } = ctx;
    if (!before && ctx !== this.#first) return;
    if (before) before.behind = behind;
    else this.#first = behind;
    if (behind) behind.before = before;
    else this.#last = before;
    ctx.before = undefined;
    ctx.behind = undefined;
  }

  *[Symbol.iterator](): Generator<RequestContext> {
    for (let ctx = this.#first; ctx; ctx = ctx.behind) yield ctx;
  }
}
