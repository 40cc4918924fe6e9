/** Composes middleware around a handler, and checks the use of `next`. */
import { SvcError } from "../../shared/errors.ts";
import type { Answer, Context, Handler, Middleware } from "../types.ts";

/**
 * One handler that runs `middleware`, outermost first, around `last`. An inner error rejects the `next()` of outer middleware, which may
 * catch it or let it pass.
 */
export function compose(middleware: readonly Middleware[], last: Handler): Handler {
  return middleware.reduceRight<Handler>((inner, current) => around(current, inner), last);
}

function around(current: Middleware, inner: Handler): Handler {
  return async (ctx: Context): Promise<Answer> => {
    let isPassed = false;
    const answer: Answer | undefined = await current(ctx, async () => {
      if (isPassed) throw misuse(current, "called next() twice. Call it at most once");
      isPassed = true;
      return inner(ctx);
    });
    // The types require a response, but middleware in plain JavaScript may forget the return.
    if (!answer) throw misuse(current, "returned no response. Return next() or a response");
    return answer;
  };
}

function misuse({ name }: Middleware, what: string): SvcError {
  return new SvcError("SVC_DEFINITION", `Middleware ${name === "" ? "without a name" : name} ${what}`);
}
