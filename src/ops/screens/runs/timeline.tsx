/** The timeline of a run: rows of segments, each a link to its node. */
import type { Timeline, TimelineRow } from "../../views/runs/timeline.ts";
import { pathText } from "../../views/runs/critical-path.ts";
import { countText, durationText } from "../../views/format.ts";

export interface TimelineProps {
  timeline: Timeline;
  /** The selected node. */
  chosen: string | undefined;
  hrefOf: (node: string) => string;
}

const KINDS = [
  ["queue", "queued"],
  ["run", "running, or an attempt that was retried"],
  ["run-done", "run, done"],
  ["run-failed", "run, failed"],
  ["run-void", "run, cancelled"],
  ["wait", "sleeping or waiting for a signal"],
  ["retry", "retrying"],
  ["undo", "compensating"],
] as const;

export function TimelineChart({ timeline, chosen, hrefOf }: TimelineProps) {
  const { rows, scale, path } = timeline;
  const { ticks, breaks } = scale;
  if (rows.length === 0)
    return (
      <p class="quiet">Nothing to show: no node has started, or all nodes in this range are finished and hidden.</p>
    );
  const kinds = new Set(rows.flatMap(keysOf));
  return (
    <>
      <div class="timeline" data-brush={JSON.stringify(scale.marks)} data-brush-names="from to">
        {rows.map((row) => (
          <Row row={row} isChosen={row.id === chosen} href={hrefOf(row.id)} />
        ))}
        <div class="timeline-row axis" aria-hidden="true">
          <span></span>
          <span class="timeline-track" data-brush-track>
            {ticks.map(({ left, label }) => (
              <span key={left}>{label}</span>
            ))}
            {breaks.map(({ left, label }) => (
              <span class="break" style={`left:${left}%`} title={label} key={left}></span>
            ))}
          </span>
          <span></span>
        </div>
      </div>
      <p class="legend">
        {KINDS.filter(([kind]) => kinds.has(kind)).map(([kind, label]) => (
          <span key={kind}>
            <i class="segment" data-kind={kind}></i>
            {label}
          </span>
        ))}
        {path.length === 0 ? null : (
          <span>
            <i class="critical-key"></i>
            critical path
          </span>
        )}
        {breaks.length === 0 ? null : <span>{`omitted: ${breaks.map(({ label }) => label).join(", ")}`}</span>}
      </p>
      {path.length === 0 ? null : (
        <p class="quiet">{`Critical path: ${pathText(path)}. Each node waited for the previous one.`}</p>
      )}
    </>
  );
}

/** The legend entries of a row. The last run segment has the color of the node's outcome (timeline.css). */
function keysOf({ status, segments }: TimelineRow): string[] {
  const last = segments.length - 1;
  return segments.map(({ kind }, at) => {
    if (kind !== "run") return kind;
    if (status === "cancelled" || status === "skipped") return "run-void";
    return at === last && (status === "done" || status === "failed") ? `run-${status}` : kind;
  });
}

function Row({ row, isChosen, href }: { row: TimelineRow; isChosen: boolean; href: string }) {
  const { id, status, segments, durationMs, folded, isCritical } = row;
  const more = folded === 0 ? "" : ` and ${countText(folded)} more`;
  const labels = segments.map(({ label }) => label).join(", ");
  return (
    <a
      class="timeline-row"
      href={href}
      data-status={status}
      data-critical={isCritical ? "" : undefined}
      data-row
      aria-current={isChosen ? "true" : undefined}
    >
      <span class="timeline-name">
        {id}
        <span class="quiet">{more}</span>
      </span>
      <span class="timeline-track">
        {segments.map(({ kind, left, width, label }) => (
          <i
            class="segment"
            data-kind={kind}
            style={`left:${left.toFixed(2)}%;width:${width.toFixed(2)}%`}
            title={label}
            key={left}
          ></i>
        ))}
      </span>
      <span class="number quiet">{durationText(durationMs)}</span>
      <span class="unseen">{`, ${status}: ${labels}${isCritical ? ", on the critical path" : ""}`}</span>
    </a>
  );
}
