/** Computes the position of a popover beside its button. Pure; popover-position.ts measures and applies it. */

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

export type Size = Pick<Box, "width" | "height">;

/** Minimum distance to the edges of the window, in px. */
const MARGIN = 4;

/**
 * @param placement `side` or `side-align`, such as `bottom-start`.
 * @param isRtl swaps start and end of horizontal edges.
 * @returns the top left corner. The popover is on the wanted side, or on the other one if only that fits it or has more room, and is
 *   shifted along the edge to stay in the window.
 */
export function placeBeside(
  anchor: Box,
  size: Size,
  room: Size,
  placement: string,
  isRtl = false,
): Pick<Box, "x" | "y"> {
  const [side, align] = placement.split("-");
  const isAcross = /^[lr]/.test(side!);
  const isWantedBefore = /^[lt]/.test(side!);
  const along = (axis: "x" | "y", extent: "width" | "height"): number => {
    const start = anchor[axis];
    const end = start + anchor[extent];
    const own = size[extent];
    const whole = room[extent];
    /** The last position at which it fits. */
    const last = whole - own - MARGIN;
    let at = (start + end - own) / 2;
    if (isAcross === (axis === "x")) {
      const isRoomier = start + end >= whole;
      at = (isWantedBefore ? start - own >= MARGIN || isRoomier : end > last && isRoomier) ? start - own : end;
    } else if (align) at = (align === "end") !== (isRtl && !isAcross) ? end - own : start;
    return Math.max(MARGIN, Math.min(at, last));
  };
  return { x: along("x", "width"), y: along("y", "height") };
}
