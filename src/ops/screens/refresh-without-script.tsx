/**
 * Refreshes a screen where no script runs: while something is active, the browser reloads the page until the visitor stops it. The stop is
 * in the URL (`still=1`), like every other setting of a screen.
 */
import type { OpsContext } from "../ops-context.ts";

const EVERY_SECONDS = 15;
const STILL = "still";

export function isStill({ ctx }: Pick<OpsContext, "ctx">): boolean {
  return ctx.query.get(STILL) === "1";
}

/** For the page's head. With script, `ops.js` refreshes the changed parts instead. */
export function RenewalMeta() {
  return (
    <noscript>
      <meta http-equiv="refresh" content={String(EVERY_SECONDS)} />
    </noscript>
  );
}

/** Says that the page reloads itself, with the link to stop or restart it. */
export function RenewalNote({ opsContext }: { opsContext: OpsContext }) {
  const isStopped = isStill(opsContext);
  const query = new URLSearchParams(opsContext.ctx.query);
  if (isStopped) query.delete(STILL);
  else query.set(STILL, "1");
  const href = opsContext.ctx.path + (query.size === 0 ? "" : `?${query.toString()}`);
  return (
    <noscript>
      <p class="quiet">
        {isStopped ? "Auto-refresh is off. " : `This page reloads every ${EVERY_SECONDS} seconds. `}
        <a href={href}>{isStopped ? "Turn it on" : "Turn it off"}</a>
      </p>
    </noscript>
  );
}
