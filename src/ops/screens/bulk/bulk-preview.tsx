/** Lists the runs of a bulk action and its effect on each, in their current state. */
import { RUNS_PATH } from "../../operator-access.ts";
import type { OpsContext } from "../../ops-context.ts";
import type { BulkStep } from "../../views/bulk/bulk.ts";
import { bulkEffect } from "../../views/bulk/bulk-preview.ts";
import { graphStyle } from "../../views/status-style.ts";
import { countText, shortId } from "../../views/format.ts";
import type { Snapshot } from "../../../graph.ts";
import { Mark } from "../parts.tsx";
import { Heads } from "../table-head.tsx";

/** Maximum number of runs in the list; the others are only counted. */
export const LISTED = 50;

export function BulkPreview({ runs, count, step, opsContext }: BulkPreviewProps) {
  const effects = runs.map((run) => bulkEffect(run, step));
  const left = effects.filter(({ isTaken }) => !isTaken).length;
  return (
    <section aria-labelledby="those">
      <div class="head">
        <h2 id="those">Preview</h2>
        <p class="quiet">
          {left === 0 ? "current state" : `${countText(left)} of ${countText(runs.length)} would stay unchanged`}
        </p>
      </div>
      <div class="scroll">
        <table>
          <Heads columns={["Status", "Run", "Worker", "Effect"]} />
          <tbody>
            {effects.map(({ run, isTaken, text }) => (
              <tr key={run.graph_id}>
                <td data-label="Status">
                  <Mark looks={graphStyle(run, opsContext.nowMs)} />
                </td>
                <td data-label="Run">
                  <a class="id" href={`${RUNS_PATH}/${run.graph_id}`} title={run.graph_id} data-row>
                    {shortId(run.graph_id)}
                  </a>
                </td>
                <td data-label="Worker">{run.worker}</td>
                <td data-label="Effect" class={isTaken ? undefined : "quiet"}>
                  {text}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {runs.length < count ? (
        <p class="quiet">{`Showing the newest ${countText(runs.length)} of ${countText(count)}.`}</p>
      ) : null}
    </section>
  );
}

interface BulkPreviewProps {
  runs: readonly Snapshot[];
  /** Number of all runs of the action. */
  count: number;
  step: BulkStep;
  opsContext: OpsContext;
}
