/** The runs that a step of many is for, and what it would do to each: shown before, as the step would find them now. */
import { RUNS_PATH } from "../../operator-access.ts";
import type { OpsContext } from "../../ops-context.ts";
import type { BulkStep } from "../../views/bulk/bulk.ts";
import { bulkEffect } from "../../views/bulk/bulk-preview.ts";
import { graphStyle } from "../../views/status-style.ts";
import { countText, shortId } from "../../views/format.ts";
import type { Snapshot } from "../../../graph.ts";
import { Mark } from "../parts.tsx";
import { Heads } from "../table-head.tsx";

/** Runs that are listed; of more the number is told. */
export const LISTED = 50;

export function BulkPreview({ runs, count, step, opsContext }: BulkPreviewProps) {
  const effects = runs.map((run) => bulkEffect(run, step));
  const left = effects.filter(({ isTaken }) => !isTaken).length;
  return (
    <section aria-labelledby="those">
      <div class="head">
        <h2 id="those">What would happen</h2>
        <p class="quiet">
          {left === 0 ? "as they are now" : `${countText(left)} of ${countText(runs.length)} would stay as they are`}
        </p>
      </div>
      <div class="scroll">
        <table>
          <Heads columns={["Now", "Run", "Worker", "Then"]} />
          <tbody>
            {effects.map(({ run, isTaken, text }) => (
              <tr key={run.graph_id}>
                <td data-label="Now">
                  <Mark looks={graphStyle(run, opsContext.nowMs)} />
                </td>
                <td data-label="Run">
                  <a class="id" href={`${RUNS_PATH}/${run.graph_id}`} title={run.graph_id} data-row>
                    {shortId(run.graph_id)}
                  </a>
                </td>
                <td data-label="Worker">{run.worker}</td>
                <td data-label="Then" class={isTaken ? undefined : "quiet"}>
                  {text}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {runs.length < count ? (
        <p class="quiet">{`The newest ${countText(runs.length)} of ${countText(count)} are listed.`}</p>
      ) : null}
    </section>
  );
}

interface BulkPreviewProps {
  runs: readonly Snapshot[];
  /** All that it is for. */
  count: number;
  step: BulkStep;
  opsContext: OpsContext;
}
