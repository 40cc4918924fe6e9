/** Middleware around a handler: who runs when, and what may not be done with `next`. */
import { SvcError } from "../../shared/errors.ts";
import type { Answer, Context, Handler, Middleware } from "../types.ts";

/**
 * One handler that runs `middleware`, outermost first, around `last`. What is thrown inside rejects the `next()` of those
 * around it, so each may catch it or let it pass.
 */
export function compose(middleware: readonly Middleware[], last: Handler): Handler {
  return middleware.reduceRight<Handler>((inner, current) => around(current, inner), last);
}

function around(current: Middleware, inner: Handler): Handler {
  return async (ctx: Context): Promise<Answer> => {
    let isPassed = false;
    const answer: Answer | undefined = await current(ctx, async () => {
      if (isPassed) throw misuse(current, "called next() twice; an answer is made once");
      isPassed = true;
      return inner(ctx);
    });
    // Types say that there is one; middleware in plain JavaScript forgets the return.
    if (!answer) throw misuse(current, "gave no answer; return next(), or an answer of its own");
    return answer;
  };
}

function misuse({ name }: Middleware, what: string): SvcError {
  return new SvcError("SVC_DEFINITION", `Middleware ${name === "" ? "without a name" : name} ${what}`);
}
