/** Input and output of the layout. Lengths are CSS pixels; the origin is the upper left corner. */

export interface LayoutNode {
  id: string;
  width: number;
  height: number;
}

/** IDs of the connected nodes. */
export type LayoutEdge = readonly [from: string, to: string];

export interface LayoutOptions {
  /** Direction of the edges: `right` (default) or `down`. */
  direction?: "right" | "down";
  /** Gap between ranks. Default 56. */
  rankGap?: number;
  /** Gap between nodes of a rank. Default 20. */
  nodeGap?: number;
  /** `ranks` of an earlier layout of the same graph with fewer nodes: nodes of a rank keep this order. */
  previous?: readonly (readonly string[])[];
}

/** The upper left corner, and the given size. */
export interface Placed {
  x: number;
  y: number;
  width: number;
  height: number;
  /** 0 for nodes without predecessors. */
  rank: number;
}

export type Point = readonly [x: number, y: number];

export interface RoutedEdge {
  from: string;
  to: string;
  /** The start, the points where it enters and leaves intermediate ranks, and the end. */
  points: readonly Point[];
}

export interface Layout {
  width: number;
  height: number;
  nodes: ReadonlyMap<string, Placed>;
  edges: readonly RoutedEdge[];
  /** IDs by rank, in order; input of `previous`. */
  ranks: readonly (readonly string[])[];
}
