/** Where a popover stands beside its button. Pure; what the browser is asked and told is popover-position.ts. */

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

export type Size = Pick<Box, "width" | "height">;

/** Kept free at the edges of the window, in px. */
const MARGIN = 4;

/**
 * @param placement `side` or `side-align`: `bottom-start`.
 * @param isRtl start and end of horizontal edges are the other way round.
 * @returns the left upper corner: on the wanted side, on the other one where only that has room enough or more of it, moved along
 *   the edge so that it stays in the window.
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
    /** Last place at which it fits. */
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
