/**
 * The time range that the timeline shows, with links to zoom and pan. With script, a range can also be selected by dragging along the
 * timeline (ops/client/screens/brush.ts), and each link has a shortcut.
 */
import type { TimeRange, TimeScale } from "../../views/runs/time-scale.ts";
import { durationText } from "../../views/format.ts";
import { offsetText } from "../../views/runs/time-scale.ts";
import { zoomSteps } from "../../views/runs/zoom.ts";

interface TimelineZoomProps {
  scale: TimeScale;
  /** Undefined: the whole run. */
  hrefOf: (range: TimeRange | undefined) => string;
}

export function TimelineZoom({ scale: { range, totalMs, ticks }, hrefOf }: TimelineZoomProps) {
  if (ticks.length === 0) return null;
  const { closer, wider, earlier, later } = zoomSteps(range, totalMs);
  const stepMs = (range.toMs - range.fromMs) / 10;
  return (
    <div class="zoom" role="group" aria-label="Range of the timeline">
      <ZoomLink label="+" name="Zoom in" shortcut="+" href={closer && hrefOf(closer)} />
      <ZoomLink label="−" name="Zoom out" shortcut="-" href={wider && hrefOf(wider === "all" ? undefined : wider)} />
      <ZoomLink label="‹" name="Earlier" shortcut="<" href={earlier && hrefOf(earlier)} />
      <ZoomLink label="›" name="Later" shortcut=">" href={later && hrefOf(later)} />
      {wider === undefined ? null : (
        <>
          <a class="button" href={hrefOf(undefined)} data-key="Escape">
            Reset zoom
          </a>
          <p class="quiet">
            {`${offsetText(range.fromMs, stepMs)} to ${offsetText(range.toMs, stepMs)} of ${durationText(totalMs)}`}
          </p>
        </>
      )}
    </div>
  );
}

interface ZoomLinkProps {
  label: string;
  name: string;
  shortcut: string;
  /** Undefined: not possible. */
  href: string | undefined;
}

function ZoomLink({ label, name, shortcut, href }: ZoomLinkProps) {
  if (href === undefined)
    return (
      <span class="button" role="link" aria-disabled="true" aria-label={name}>
        {label}
      </span>
    );
  return (
    <a class="button" href={href} aria-label={name} title={`${name} (${shortcut})`} data-key={shortcut}>
      {label}
    </a>
  );
}
