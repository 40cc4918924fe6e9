/**
 * The picture of a graph: SVG with a link for each node. Where things stand follows from the definition alone, so that nothing moves while
 * the graph runs; nodes and edges are parts that are replaced one by one.
 */
import { layout } from "./layout/layout.ts";
import type { Layout, Placed, Point, RoutedEdge } from "./layout/types.ts";
import { hrefOf } from "./links.ts";
import { sinceOf, tookText, untilOf } from "./moment.tsx";
import { STATUS_LOOKS, type FlowStatus } from "./status.ts";
import { countText } from "../ops/views/text.ts";
import { cut } from "./text.ts";
import { nodeWord, type FlowEdge, type FlowNode, type FlowView } from "./view.ts";

const WIDTH = 196;
const HEIGHT = 58;
/** Around the picture, for rings of focus and the cards of stacks. */
const MARGIN = 14;
/** Letters of a name, and of the line below, that a box has room for. */
const NAME_LENGTH = 20;
const LINE_LENGTH = 26;
/** Fan-outs of more items are told by counts. */
const MOST_DOTS = 8;

/** Layouts of the last shapes: many graphs have one, and each is asked for with every piece of news. */
const known = new Map<string, Layout>();
const MOST_KNOWN = 32;

export function pictureLayout(view: FlowView): Layout {
  const shape = JSON.stringify([view.nodes.map(({ name }) => name), view.edges.map(({ from, to }) => [from, to])]);
  const made = known.get(shape) ?? newLayout(view);
  known.delete(shape);
  known.set(shape, made);
  for (const oldest of known.keys()) if (known.size > MOST_KNOWN) known.delete(oldest);
  return made;
}

function newLayout(view: FlowView): Layout {
  const nodes = view.nodes.map(({ name }) => ({ id: name, width: WIDTH, height: HEIGHT }));
  const edges = view.edges.map(({ from, to }) => [from, to] as const);
  return layout(nodes, edges, { rankGap: 52, nodeGap: 22 });
}

export interface NodeBoxProps {
  node: FlowNode;
  at: Placed;
  href: string;
  nowMs: number | undefined;
}

/** One node as a card that links to more about it. */
export function NodeBox({ node, at, href, nowMs }: NodeBoxProps) {
  const look = STATUS_LOOKS[node.status];
  const isStack = node.counts !== undefined;
  return (
    <g
      data-part={`n:${node.name}`}
      class="svc-node"
      data-status={node.status}
      data-tone={look.tone}
      transform={`translate(${at.x + MARGIN} ${at.y + MARGIN})`}
    >
      <a href={href} data-node={node.name}>
        <title>{nodeLabel(node)}</title>
        {isStack ? (
          <path
            class="svc-node-behind"
            d={`M8 0V-5H${WIDTH + 5}V${HEIGHT - 8}H${WIDTH}M14 -5V-9H${WIDTH + 9}V${HEIGHT - 14}H${WIDTH + 5}`}
          />
        ) : null}
        <rect class="svc-node-card" width={WIDTH} height={HEIGHT} rx="10" />
        <circle class="svc-node-disc" cx="26" cy="29" r="14" />
        <path class="svc-node-shape" d={look.shape} transform="translate(18 21)" />
        <text class="svc-node-name" x="50" y="25">
          {cut(node.name, NAME_LENGTH)}
        </text>
        <text class="svc-node-line" x="50" y="43">
          {nodeLine(node)}
          {isStack ? null : (
            <tspan class="svc-took" data-since={sinceOf(node)} data-until={untilOf(node)} dx="6">
              {tookText({ ...node, nowMs })}
            </tspan>
          )}
        </text>
        {isStack ? <StackBar counts={node.counts ?? new Map()} /> : null}
      </a>
    </g>
  );
}

/** What is read aloud: "shrink: running, 120 done, 5 running, 3 failed". */
export function nodeLabel(node: FlowNode): string {
  const counts = [...(node.counts ?? [])].map(([status, count]) => `${countText(count)} ${STATUS_LOOKS[status].word}`);
  return [`${node.name}: ${nodeWord(node)}`, ...counts].join(", ");
}

const SIGNS: Partial<Record<FlowStatus, string>> = {
  done: "✓",
  running: "◐",
  failed: "✕",
  retrying: "↻",
  queued: "○",
  waiting: "◇",
};

/** The second line: of a stack its counts, else what it does. */
function nodeLine(node: FlowNode): string {
  if (node.counts) {
    const total = [...node.counts.values()].reduce((sum, count) => sum + count, 0);
    const counts = [...node.counts]
      .slice(0, 3)
      .map(([status, count]) => `${countText(count)} ${SIGNS[status] ?? STATUS_LOOKS[status].word}`);
    return cut([`×${countText(total)}`, ...counts].join("  "), LINE_LENGTH);
  }
  return cut(nodeWord(node), LINE_LENGTH);
}

/** Which part of a stack is in which status: up to eight items as dots' worth each, more as shares. */
function StackBar({ counts }: { counts: ReadonlyMap<FlowStatus, number> }) {
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const gap = total <= MOST_DOTS ? 3 : 0;
  const unit = total === 0 ? 0 : (WIDTH - 62 - gap * (total - 1)) / total;
  const pieces =
    gap > 0
      ? [...counts].flatMap(([status, count]) => Array.from({ length: count }, () => [status, 1] as const))
      : [...counts];
  let x = 50;
  const bars = pieces.map(([status, count]) => {
    const bar = { status, x: round(x), width: round(Math.max(3, unit * count)) };
    x += unit * count + gap;
    return bar;
  });
  return (
    <g class="svc-node-bar">
      {bars.map(({ status, x: from, width }) => (
        <rect data-tone={STATUS_LOOKS[status].tone} x={from} y="49" width={width} height="3" rx="1.5" />
      ))}
    </g>
  );
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

export interface EdgePathProps {
  edge: FlowEdge;
  routed: RoutedEdge;
  /** Whether something runs at its end. */
  isLive: boolean;
}

export function EdgePath({ edge, routed, isLive }: EdgePathProps) {
  return (
    <path
      data-part={`e:${edge.from}>${edge.to}`}
      class="svc-edge"
      data-state={edge.state}
      data-live={isLive ? "" : undefined}
      data-from={edge.from}
      data-to={edge.to}
      d={curve(routed.points)}
    />
  );
}

/** Straight where it passes a rank, curved between ranks, with a tip at its end. */
function curve(points: readonly Point[]): string {
  const [first, ...rest] = points.map(([x, y]): Point => [x + MARGIN, y + MARGIN]);
  if (!first) return "";
  let out = `M${first[0]} ${first[1]}`;
  let [x, y] = first;
  for (const [toX, toY] of rest) {
    const middle = round((x + toX) / 2);
    out += toY === y ? `H${toX}` : `C${middle} ${y} ${middle} ${toY} ${toX} ${toY}`;
    [x, y] = [toX, toY];
  }
  return `${out}M${x - 6} ${y - 4}L${x - 1} ${y}L${x - 6} ${y + 4}`;
}

export interface PictureProps {
  view: FlowView;
  /** See `Flow`. */
  nodeHref: string | undefined;
  nowMs: number | undefined;
  titleId: string;
}

export function Picture({ view, nodeHref, nowMs, titleId }: PictureProps) {
  const made = pictureLayout(view);
  const width = made.width + 2 * MARGIN;
  const height = made.height + 2 * MARGIN;
  const edges = edgeParts(view, made);
  return (
    <svg
      class="svc-picture"
      role="group"
      aria-labelledby={titleId}
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
    >
      {edges.map((edge) => (
        <EdgePath edge={edge.edge} routed={edge.routed} isLive={edge.isLive} />
      ))}
      {view.nodes.map((node) => (
        <NodeBox
          node={node}
          at={made.nodes.get(node.name) ?? NOWHERE}
          href={hrefOf(view.id, node.name, nodeHref)}
          nowMs={nowMs}
        />
      ))}
    </svg>
  );
}

const NOWHERE: Placed = { x: 0, y: 0, width: WIDTH, height: HEIGHT, rank: 0 };

/** Edges with their ways; those of a circle have none, and are left out. */
export function edgeParts(view: FlowView, made: Layout): EdgePathProps[] {
  const routes = new Map(made.edges.map((routed) => [`${routed.from}>${routed.to}`, routed]));
  const status = new Map(view.nodes.map((node) => [node.name, node.status]));
  return view.edges.flatMap((edge) => {
    const routed = routes.get(`${edge.from}>${edge.to}`);
    return routed ? [{ edge, routed, isLive: edge.state === "taken" && status.get(edge.to) === "running" }] : [];
  });
}
