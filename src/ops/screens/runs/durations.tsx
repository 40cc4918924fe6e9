/**
 * A histogram above the runs list: the columns are links that filter by duration. With script, a range is selected by dragging or with the
 * arrow keys (ops/client/screens/brush.ts).
 */
import { RUNS_PATH } from "../../operator-access.ts";
import type { Column, Histogram } from "../../views/histogram.ts";
import { lengthText, queryText, type ListView } from "../../views/runs/runs-query.ts";
import { countText, durationText, shareText } from "../../views/format.ts";
import { Heads } from "../table-head.tsx";

/** Size of a column, in the units of the drawing. */
const WIDTH = 10;
const HEIGHT = 40;
/** Minimum height, so that a single run is visible beside thousands. */
const LEAST_HEIGHT = 1.5;
const GAP = 0.8;

interface DurationsPanelProps {
  histogram: Histogram;
  filter: ListView;
}

export function DurationsPanel({ histogram, filter }: DurationsPanelProps) {
  const { columns, count, isAll, medianMs, p95Ms } = histogram;
  const { longer, shorter, ...others } = filter;
  const hasRange = longer !== undefined || shorter !== undefined;
  const all = queryText(others);
  return (
    <section class="panel durations" aria-labelledby="durations">
      <div class="head">
        <h2 id="durations">Durations</h2>
        <p class="quiet">
          {`median ${durationText(medianMs)}, p95 ${durationText(p95Ms)}; `}
          {isAll ? `of ${countText(count)} runs` : `of the newest ${countText(count)} only`}
        </p>
        {hasRange ? (
          <a href={all === "" ? RUNS_PATH : `${RUNS_PATH}?${all}`} data-brush-reset>
            All durations
          </a>
        ) : null}
      </div>
      <Columns columns={columns} others={others} hasRange={hasRange} />
      <details>
        <summary>As a table</summary>
        <Table histogram={histogram} others={others} />
      </details>
    </section>
  );
}

interface ColumnsProps {
  columns: readonly Column[];
  others: ListView;
  hasRange: boolean;
}

function Columns({ columns, others, hasRange }: ColumnsProps) {
  const edges = [...columns.map(({ fromMs }) => fromMs), columns.at(-1)?.toMs];
  const percent = (at: number): number => Number(((at / columns.length) * 100).toFixed(3));
  const scale = edges.map((ms, at) => [percent(at), ms === undefined || ms === 0 ? "" : lengthText(ms)]);
  // Only as many labels as fit.
  const every = Math.ceil(columns.length / MOST_LABELS);
  return (
    <div class="durations-plot" data-brush={JSON.stringify(scale)} data-brush-names="longer shorter" data-brush-snaps>
      <svg
        viewBox={`0 0 ${columns.length * WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="group"
        aria-label="Runs by how long they took"
      >
        {columns.map((column, at) => (
          <Bar column={column} at={at} others={others} hasRange={hasRange} />
        ))}
      </svg>
      <p class="durations-axis" aria-hidden="true">
        {edges.flatMap((ms, at) =>
          ms === undefined || at % every !== 0
            ? []
            : [
                <span style={`left:${percent(at)}%`} data-end={at === columns.length ? "" : undefined} key={at}>
                  {ms === 0 ? "0" : edgeText(ms)}
                </span>,
              ],
        )}
      </p>
    </div>
  );
}

const MOST_LABELS = 12;

function Bar({ column, at, others, hasRange }: { column: Column; at: number; others: ListView; hasRange: boolean }) {
  const { count, share, isChosen } = column;
  const height = count === 0 ? 0 : Math.max(LEAST_HEIGHT, share * HEIGHT);
  const label = `${rangeText(column)}: ${countText(count)} run${count === 1 ? "" : "s"}`;
  return (
    <a
      href={columnHref(column, others)}
      aria-label={label}
      data-chosen={hasRange && isChosen ? "" : undefined}
      data-void={hasRange && !isChosen ? "" : undefined}
    >
      <title>{label}</title>
      <rect class="durations-hit" x={at * WIDTH} y={0} width={WIDTH} height={HEIGHT} />
      <rect
        class="durations-bar"
        x={at * WIDTH + GAP / 2}
        y={Number((HEIGHT - height).toFixed(2))}
        width={WIDTH - GAP}
        height={Number(height.toFixed(2))}
      />
    </a>
  );
}

function Table({ histogram: { columns, count }, others }: { histogram: Histogram; others: ListView }) {
  return (
    <div class="scroll">
      <table>
        <Heads columns={["Duration", ["Runs", "number"], ["Share", "number"]]} />
        <tbody>
          {columns
            .filter((column) => column.count > 0)
            .map((column) => (
              <tr key={column.fromMs}>
                <th scope="row" data-label="Duration">
                  <a href={columnHref(column, others)}>{rangeText(column)}</a>
                </th>
                <td data-label="Runs" class="number">
                  {countText(column.count)}
                </td>
                <td data-label="Share" class="number">
                  {shareText(column.count, count)}
                </td>
              </tr>
            ))}
        </tbody>
      </table>
    </div>
  );
}

function columnHref({ fromMs, toMs }: Column, others: ListView): string {
  const range = {
    ...(fromMs > 0 && { longer: lengthText(fromMs) }),
    ...(toMs !== undefined && { shorter: lengthText(toMs) }),
  };
  return `${RUNS_PATH}?${queryText({ ...others, ...range })}`;
}

function rangeText({ fromMs, toMs }: Column): string {
  if (toMs === undefined) return `${edgeText(fromMs)} and more`;
  return fromMs === 0 ? `less than ${edgeText(toMs)}` : `${edgeText(fromMs)} to ${edgeText(toMs)}`;
}

/** `30 s`. */
function edgeText(ms: number): string {
  return lengthText(ms).replace(/(?=[a-z])/, " ");
}
