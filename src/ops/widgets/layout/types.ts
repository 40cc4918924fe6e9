/** What a layout is made of, and what it comes to. Lengths are CSS pixels; the origin is the upper left corner. */

export interface LayoutNode {
  id: string;
  width: number;
  height: number;
}

/** From one node to another, by their ids. */
export type LayoutEdge = readonly [from: string, to: string];

export interface LayoutOptions {
  /** Where edges lead: `right` (default) or `down`. */
  direction?: "right" | "down";
  /** Between one rank and the next. Default 56. */
  rankGap?: number;
  /** Between nodes of one rank. Default 20. */
  nodeGap?: number;
  /** `ranks` of a layout of the same graph when it had fewer nodes: those of a rank stay in this order. */
  previous?: readonly (readonly string[])[];
}

/** The upper left corner, and the size as it was given. */
export interface Placed {
  x: number;
  y: number;
  width: number;
  height: number;
  /** 0 for what nothing leads to. */
  rank: number;
}

export type Point = readonly [x: number, y: number];

export interface RoutedEdge {
  from: string;
  to: string;
  /** Where it leaves, where it passes ranks in between (in and out), where it arrives. */
  points: readonly Point[];
}

export interface Layout {
  width: number;
  height: number;
  nodes: ReadonlyMap<string, Placed>;
  edges: readonly RoutedEdge[];
  /** Ids by rank, in their order: what `previous` takes. */
  ranks: readonly (readonly string[])[];
}
