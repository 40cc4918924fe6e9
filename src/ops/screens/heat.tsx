/** Activity of graphs over the last hour or day: a strip per graph, and the same as an accessible table. */
import { RUNS_PATH, OPS_PATH } from "../operator-access.ts";
import type { OpsContext } from "../ops-context.ts";
import { buildMarks, heatOf, heatText, type BuildMark, type Heat, type HeatCell, type HeatRow } from "../views/heat.ts";
import { queryText } from "../views/runs/runs-query.ts";
import { clockText, countText } from "../views/format.ts";
import type { Activity, ActivityRange, ProcessView } from "../../ops.ts";
import { Time } from "./parts.tsx";
import { Heads } from "./table-head.tsx";

/** Size of a cell, in the units of the drawing. */
const WIDTH = 10;
const HEIGHT = 20;
/** Minimum height of the failed part, so that one failure among thousands is visible. */
const LEAST_FAILED = 5;

interface HeatSectionProps {
  activity: Activity;
  range: ActivityRange;
  /** The processes whose builds are marked. */
  processes: readonly ProcessView[];
  opsContext: OpsContext;
}

export function HeatSection({ activity, range, processes, opsContext }: HeatSectionProps) {
  return (
    <section aria-labelledby="activity">
      <div class="head">
        <h2 id="activity">Activity</h2>
        <p class="links" aria-label="How far back">
          <a href={OPS_PATH} aria-current={range === "hour" ? "true" : undefined}>
            Last hour
          </a>
          <a href={`${OPS_PATH}?range=day`} aria-current={range === "day" ? "true" : undefined}>
            Last 24 hours
          </a>
        </p>
      </div>
      <div data-live="activity">
        <Strips
          heat={heatOf(activity)}
          activity={activity}
          range={range}
          processes={processes}
          opsContext={opsContext}
        />
      </div>
    </section>
  );
}

function Strips({ heat, activity, range, processes, opsContext }: HeatSectionProps & { heat: Heat }) {
  const since = range === "hour" ? "1h" : "24h";
  const marks = buildMarks(processes, activity, heat);
  if (heat.rows.length === 0)
    return (
      <p class="quiet">{`No graph has started or ended in the last ${range === "hour" ? "hour" : "24 hours"}.`}</p>
    );
  return (
    <div class="panel heat">
      <div class="heat-rows" aria-hidden="true">
        {heat.rows.map((row) => (
          <Strip row={row} heat={heat} marks={marks} opsContext={opsContext} />
        ))}
        <p class="heat-axis">
          {[0, 1, 2, 3].map((quarter) => (
            <span>
              {clockText(activity.since_ms + (quarter * heat.steps * heat.stepMs) / 4, opsContext.zone).slice(0, 5)}
            </span>
          ))}
          <span>now</span>
        </p>
      </div>
      <p class="legend" aria-hidden="true">
        <span>
          <i class="heat-key" data-level="1"></i>
          <i class="heat-key" data-level="4"></i> low and high
        </span>
        <span>
          <i class="heat-key" data-tone="bad"></i> failed share
        </span>
        <span>{range === "hour" ? "1 cell = 1 minute" : "1 cell = 15 minutes"}</span>
      </p>
      <Marks marks={marks} opsContext={opsContext} />
      <details data-keep="">
        <summary>As a table</summary>
        <HeatTable heat={heat} since={since} />
      </details>
    </div>
  );
}

/** The build marks as text. */
function Marks({ marks, opsContext }: { marks: readonly BuildMark[]; opsContext: OpsContext }) {
  if (marks.length === 0) return null;
  return (
    <p class="legend">
      {marks.map(({ build, atMs }) => (
        <span>
          <i class="heat-mark-key" aria-hidden="true"></i> build <code>{build}</code>
          {" started "}
          <Time ms={atMs} opsContext={opsContext} />
        </span>
      ))}
    </p>
  );
}

interface StripProps {
  row: HeatRow;
  heat: Heat;
  marks: readonly BuildMark[];
  opsContext: OpsContext;
}

function Strip({ row, heat, marks, opsContext }: StripProps) {
  return (
    <>
      <span class="heat-name" title={row.worker}>
        {row.worker}
      </span>
      <svg viewBox={`0 0 ${heat.steps * WIDTH} ${HEIGHT}`} preserveAspectRatio="none">
        <rect class="heat-none" width={heat.steps * WIDTH} height={HEIGHT} />
        {row.cells.map((cell) => (
          <Cell worker={row.worker} cell={cell} opsContext={opsContext} />
        ))}
        {marks.map(({ build, share }) => (
          <path class="heat-mark" d={`M${(share * heat.steps * WIDTH).toFixed(1)} 0V${HEIGHT}`}>
            <title>{`build ${build}`}</title>
          </path>
        ))}
      </svg>
      <span class="heat-sum">{row.failed === 0 ? countText(row.started) : `${countText(row.failed)} failed`}</span>
    </>
  );
}

function Cell({ worker, cell, opsContext }: { worker: string; cell: HeatCell; opsContext: OpsContext }) {
  const x = cell.step * WIDTH + 0.5;
  const failedHeight = cell.failed === 0 ? 0 : Math.max(LEAST_FAILED, cell.failedShare * HEIGHT);
  const [from, until] = [new Date(cell.atMs).toISOString(), new Date(cell.untilMs).toISOString()];
  const ended = { worker, ended_from: from, ended_until: until };
  const query =
    cell.failed > 0 ? { status: "failed" as const, ...ended } : cell.started > 0 ? { worker, from, until } : ended;
  return (
    <a href={`${RUNS_PATH}?${queryText(query)}`} tabindex="-1">
      <title>{`${worker}, ${clockText(cell.atMs, opsContext.zone).slice(0, 5)}: ${heatText(cell)}`}</title>
      <rect class="heat-cell" data-level={cell.level} x={x} width={WIDTH - 1} height={HEIGHT} />
      {failedHeight === 0 ? null : (
        <rect class="heat-failed" x={x} y={HEIGHT - failedHeight} width={WIDTH - 1} height={failedHeight} />
      )}
    </a>
  );
}

function HeatTable({ heat: { rows, left }, since }: { heat: Heat; since: string }) {
  return (
    <div class="scroll">
      <table>
        <Heads columns={["Graph or worker", ["Started", "number"], ["Done", "number"], ["Failed", "number"]]} />
        <tbody>
          {rows.map(({ worker, started, done, failed }) => (
            <tr key={worker}>
              <th scope="row" data-label="Name">
                <a href={`${RUNS_PATH}?${queryText({ worker, since })}`}>{worker}</a>
              </th>
              <td data-label="Started" class="number">
                {countText(started)}
              </td>
              <td data-label="Done" class="number">
                <a href={`${RUNS_PATH}?${queryText({ status: "done", worker, ended: since })}`}>{countText(done)}</a>
              </td>
              <td data-label="Failed" class="number">
                <a href={`${RUNS_PATH}?${queryText({ status: "failed", worker, ended: since })}`}>
                  {countText(failed)}
                </a>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {left === 0 ? null : <p class="quiet">{`and ${countText(left)} more`}</p>}
    </div>
  );
}
