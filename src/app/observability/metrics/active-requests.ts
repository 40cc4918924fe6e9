/**
 * Running requests, longest first. Every request passes here: the contexts themselves are links of a list, so nothing is allocated or
 * kept for one (a `Set` would: platform/shared/collections/churning-map.ts).
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

  /** Does nothing for a request that was never added because it could not be read. */
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
