/**
 * How a screen stays fresh where no script runs: while something is under way, the browser loads it anew by itself, until one says
 * that it is to stand still. The stop is in the address (`still=1`), like everything else that a screen is asked for.
 */
import type { OpsContext } from "../ops-context.ts";

const EVERY_SECONDS = 15;
const STILL = "still";

export function isStill({ ctx }: Pick<OpsContext, "ctx">): boolean {
  return ctx.query.get(STILL) === "1";
}

/** For the head. Where script runs, `ops.js` renews the parts that have changed, and this is text that nobody reads. */
export function RenewalMeta() {
  return (
    <noscript>
      <meta http-equiv="refresh" content={String(EVERY_SECONDS)} />
    </noscript>
  );
}

/** What it does, with the way to stop it or to begin again. */
export function RenewalNote({ opsContext }: { opsContext: OpsContext }) {
  const isStopped = isStill(opsContext);
  const query = new URLSearchParams(opsContext.ctx.query);
  if (isStopped) query.delete(STILL);
  else query.set(STILL, "1");
  const href = opsContext.ctx.path + (query.size === 0 ? "" : `?${query.toString()}`);
  return (
    <noscript>
      <p class="quiet">
        {isStopped ? "This screen stands still. " : `Loaded anew every ${EVERY_SECONDS} seconds. `}
        <a href={href}>{isStopped ? "Keep it fresh" : "Let it stand still"}</a>
      </p>
    </noscript>
  );
}
