/** The activity ticker. Screen readers hear about new lines once in a while, and visitors can pause the list. */
import { RUNS_PATH } from "../operator-access.ts";
import type { OpsContext } from "../ops-context.ts";
import { shortId } from "../views/format.ts";
import type { Tick } from "../views/ticker.ts";
import { Mark, Time } from "./parts.tsx";

export function TickerSection({ ticks, opsContext }: { ticks: readonly Tick[]; opsContext: OpsContext }) {
  return (
    <section aria-labelledby="ticker">
      <div class="head">
        <h2 id="ticker">Live activity</h2>
        <button type="button" class="link" data-hold="ticker" aria-pressed="false" hidden>
          Pause
        </button>
      </div>
      <div data-live="ticker">
        {ticks.length === 0 ? (
          <p class="quiet">No activity yet.</p>
        ) : (
          <ol class="ticker panel">
            {ticks.map((tick) => (
              <li data-tick={tick.key} key={tick.key}>
                <Time ms={tick.atMs} opsContext={opsContext} />
                <Mark looks={{ status: tick.status, word: tick.word }} />
                <span class="ticker-what">
                  {tick.worker}{" "}
                  <a class="id" href={`${RUNS_PATH}/${tick.id}`} title={tick.id}>
                    {shortId(tick.id)}
                  </a>
                  {tick.note === "" ? null : <span class="quiet">{` ${tick.note}`}</span>}
                </span>
              </li>
            ))}
          </ol>
        )}
      </div>
      <p class="unseen" role="status" data-ear="ticker"></p>
    </section>
  );
}
