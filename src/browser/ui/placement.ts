/** Where a popover stands beside its button. Pure; what the browser is asked and told is place.ts. */

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

export type Size = Pick<Box, "width" | "height">;

/** Kept free at the edges of the window, in px. */
const MARGIN = 4;

/** Moves `at` so that `size` fits into `room`; what fits nowhere begins at its beginning. */
const shifted = (at: number, size: number, room: number): number =>
  Math.max(MARGIN, Math.min(at, room - size - MARGIN));

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
  const [side = "bottom", align] = placement.split("-");
  const isAcross = side === "left" || side === "right";
  const [start, extent, own, whole] = isAcross
    ? [anchor.x, anchor.width, size.width, room.width]
    : [anchor.y, anchor.height, size.height, room.height];
  const before = start - own;
  const roomBefore = start - MARGIN;
  const roomBehind = whole - start - extent - MARGIN;
  const isBefore =
    side === "left" || side === "top" ? fits(own, roomBefore, roomBehind) : !fits(own, roomBehind, roomBefore);
  const main = isBefore ? before : start + extent;
  const [edge, edgeExtent, width, wholeEdge] = isAcross
    ? [anchor.y, anchor.height, size.height, room.height]
    : [anchor.x, anchor.width, size.width, room.width];
  const isAtEnd = align !== undefined && (align === "end") !== (isRtl && !isAcross);
  const cross = align === undefined ? edge + (edgeExtent - width) / 2 : isAtEnd ? edge + edgeExtent - width : edge;
  const along = shifted(cross, width, wholeEdge);
  const away = shifted(main, own, whole);
  return isAcross ? { x: away, y: along } : { x: along, y: away };
}

/** Whether the wanted side is taken. */
const fits = (size: number, wanted: number, other: number): boolean => size <= wanted || wanted >= other;
