/**
 * Which range of a run the timeline shows, and links to others: closer, wider, to either side. Where script runs, a range is chosen by
 * dragging along the timeline too (ops/client/screens/brush.ts), and each link has a key.
 */
import type { TimeRange, TimeScale } from "../../views/runs/time-scale.ts";
import { durationText } from "../../views/format.ts";
import { offsetText } from "../../views/runs/time-scale.ts";
import { zoomSteps } from "../../views/runs/zoom.ts";

interface TimelineZoomProps {
  scale: TimeScale;
  /** Undefined: all of the run. */
  hrefOf: (range: TimeRange | undefined) => string;
}

export function TimelineZoom({ scale: { range, totalMs, ticks }, hrefOf }: TimelineZoomProps) {
  if (ticks.length === 0) return null;
  const { closer, wider, earlier, later } = zoomSteps(range, totalMs);
  const stepMs = (range.toMs - range.fromMs) / 10;
  return (
    <div class="zoom" role="group" aria-label="Range of the timeline">
      <ZoomLink label="+" name="Closer" shortcut="+" href={closer && hrefOf(closer)} />
      <ZoomLink label="−" name="Wider" shortcut="-" href={wider && hrefOf(wider === "all" ? undefined : wider)} />
      <ZoomLink label="‹" name="Earlier" shortcut="<" href={earlier && hrefOf(earlier)} />
      <ZoomLink label="›" name="Later" shortcut=">" href={later && hrefOf(later)} />
      {wider === undefined ? null : (
        <>
          <a class="button" href={hrefOf(undefined)} data-key="Escape">
            All of it
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
  /** Undefined: it goes no further. */
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
