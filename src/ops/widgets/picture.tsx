/**
 * Draws a graph as SVG with a link per node. The layout depends on the definition only, so nothing moves while the graph runs; nodes and
 * edges are parts that are replaced one by one.
 */
import { layout } from "./layout/layout.ts";
import type { Layout, Placed, Point, RoutedEdge } from "./layout/types.ts";
import { hrefOf } from "./links.ts";
import { sinceOf, tookText, untilOf } from "./duration.tsx";
import { STATUS_LOOKS, type FlowStatus } from "./status.ts";
import { bytesText, countText } from "../views/format.ts";
import { cutToWidth } from "./truncate.ts";
import { nodeWord, type FlowEdge, type FlowNode, type FlowView } from "./graph-view.ts";

const WIDTHS = { wide: 196, tall: 146 };
const HEIGHT = 58;
/** Space around the picture, for focus rings and the cards behind fan-outs. */
const MARGIN = 14;
/** Start of a box's text, and the space after it. */
const TEXT_AT = 50;
const TEXT_END = 8;
/** Font sizes as in flow.css. The bold name is a tenth wider. */
const NAME_PX = 13 * 1.1;
const LINE_PX = 11.5;
/** Maximum length of the second line that leaves room for a duration. */
const TIME_AFTER = { wide: 19, tall: 9 };
/** Fan-outs with more items show counts only. */
const MOST_DOTS = 8;

/** `wide`: from left to right. `tall`: from top to bottom. */
export type PictureForm = "wide" | "tall";

const TELEPHONE_WIDTH = 640;
/** Still readable when scaled down to a phone. */
const TALL_WIDTH = 520;
const MOST_TWICE = 30;

/** Cache of recent layouts by shape: graphs of one definition share it, and each update needs it. */
const known = new Map<string, Layout>();
const MOST_KNOWN = 32;

export function pictureLayout(view: FlowView, form: PictureForm): Layout {
  const edges = view.edges.map(({ from, to }) => [from, to]);
  const shape = JSON.stringify([form, view.nodes.map(({ name }) => name), edges]);
  const made = known.get(shape) ?? newLayout(view, form);
  known.delete(shape);
  known.set(shape, made);
  for (const oldest of known.keys()) if (known.size > MOST_KNOWN) known.delete(oldest);
  return made;
}

function newLayout(view: FlowView, form: PictureForm): Layout {
  const nodes = view.nodes.map(({ name }) => ({ id: name, width: WIDTHS[form], height: HEIGHT }));
  const edges = view.edges.map(({ from, to }) => [from, to] as const);
  if (form === "tall") return layout(nodes, edges, { direction: "down", rankGap: 40, nodeGap: 12 });
  return layout(nodes, edges, { rankGap: 52, nodeGap: 22 });
}

/** The forms of a picture. One that is too wide for a phone also gets a vertical form, if that fits and is small enough to send. */
export function pictureForms(view: FlowView): PictureForm[] {
  const isTooWide = pictureLayout(view, "wide").width > TELEPHONE_WIDTH;
  const isSmall = isTooWide && view.nodes.length <= MOST_TWICE;
  return isSmall && pictureLayout(view, "tall").width <= TALL_WIDTH ? ["wide", "tall"] : ["wide"];
}

/** The part name of an element of a picture. */
export function partName(form: PictureForm, name: string): string {
  return form === "tall" ? `t${name}` : name;
}

export interface NodeBoxProps {
  node: FlowNode;
  at: Placed;
  href: string;
  nowMs: number | undefined;
  form: PictureForm;
  /** Whether an outgoing edge is taken or may still be. */
  leadsOn: boolean;
}

/** A node as a card that links to its details. */
export function NodeBox({ node, at, href, nowMs, form, leadsOn }: NodeBoxProps) {
  const look = STATUS_LOOKS[node.status];
  const isStack = node.counts !== undefined;
  const width = WIDTHS[form];
  const line = nodeLine(node, form);
  const hasTime = !isStack && line.length <= TIME_AFTER[form] - (node.dueMs === null ? 0 : 4);
  return (
    <g
      data-part={partName(form, `n:${node.name}`)}
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
            d={`M8 0V-5H${width + 5}V${HEIGHT - 8}H${width}M14 -5V-9H${width + 9}V${HEIGHT - 14}H${width + 5}`}
          />
        ) : null}
        <rect class="svc-node-card" width={width} height={HEIGHT} rx="10" />
        <circle class="svc-node-disc" cx="26" cy="29" r="14" />
        <path class="svc-node-shape" d={look.shape} transform="translate(18 21)" />
        <text class="svc-node-name" x={TEXT_AT} y="25">
          {cutToWidth(node.name, width - TEXT_AT - TEXT_END, NAME_PX)}
        </text>
        <text class="svc-node-line" x={TEXT_AT} y="43">
          {line}
          {!hasTime ? null : (
            <tspan class="svc-took" data-since={sinceOf(node)} data-until={untilOf(node)} dx="6">
              {tookText({ ...node, nowMs })}
            </tspan>
          )}
        </text>
        {isStack ? <StackBar counts={node.counts ?? new Map()} width={width} /> : null}
      </a>
      {leadsOn && node.resultBytes !== undefined ? (
        <text class="svc-edge-size" aria-hidden="true" {...sizePlace(form, isStack)}>
          {bytesText(node.resultBytes)}
        </text>
      ) : null}
    </g>
  );
}

/**
 * Position of the result's size: where the edges leave, because all of them carry the same result. The cards of a fan-out stick out a
 * little.
 */
function sizePlace(form: PictureForm, isStack: boolean): { x: number; y: number } {
  if (form === "tall") return { x: WIDTHS.tall / 2 + 6, y: HEIGHT + 14 };
  return { x: WIDTHS.wide + (isStack ? 12 : 5), y: HEIGHT / 2 - 6 };
}

/** Accessible name: "shrink: running, 120 done, 5 running, 3 failed", "list: done, result 1.2 KB". */
export function nodeLabel(node: FlowNode): string {
  const counts = [...(node.counts ?? [])].map(([status, count]) => `${countText(count)} ${STATUS_LOOKS[status].word}`);
  const size = node.resultBytes === undefined ? [] : [`result ${bytesText(node.resultBytes)}`];
  return [`${node.name}: ${nodeWord(node)}`, ...counts, ...size].join(", ");
}

const SIGNS: Partial<Record<FlowStatus, string>> = {
  done: "✓",
  running: "◐",
  failed: "✕",
  retrying: "↻",
  queued: "○",
  waiting: "◇",
  cancelled: "⊘",
  skipped: "–",
};

function roomOf(form: PictureForm): number {
  return WIDTHS[form] - TEXT_AT - TEXT_END;
}

/** The second line: the counts of a fan-out, otherwise the node's state. */
function nodeLine(node: FlowNode, form: PictureForm): string {
  if (node.counts) {
    const total = [...node.counts.values()].reduce((sum, count) => sum + count, 0);
    const counts = [...node.counts]
      .slice(0, 3)
      .map(([status, count]) => `${countText(count)} ${SIGNS[status] ?? STATUS_LOOKS[status].word}`);
    return cutToWidth([`×${countText(total)}`, ...counts].join("  "), roomOf(form), LINE_PX);
  }
  return cutToWidth(nodeWord(node), roomOf(form), LINE_PX);
}

/** The share of each status in a fan-out: up to eight items as separate bars, more as proportions. */
function StackBar({ counts, width: whole }: { counts: ReadonlyMap<FlowStatus, number>; width: number }) {
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const gap = total <= MOST_DOTS ? 3 : 0;
  const unit = total === 0 ? 0 : (whole - 62 - gap * (total - 1)) / total;
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
  /** Whether the node at its end is running. */
  isLive: boolean;
  form: PictureForm;
}

export function EdgePath({ edge, routed, isLive, form }: EdgePathProps) {
  return (
    <path
      data-part={partName(form, `e:${edge.from}>${edge.to}`)}
      class="svc-edge"
      data-state={edge.state}
      data-live={isLive ? "" : undefined}
      data-on={edge.isError ? "failed" : undefined}
      data-from={edge.from}
      data-to={edge.to}
      d={curve(routed.points, form)}
    />
  );
}

/** Straight along ranks, curved between them, with an arrowhead. */
function curve(points: readonly Point[], form: PictureForm): string {
  const [first, ...rest] = points.map(([x, y]): Point => [x + MARGIN, y + MARGIN]);
  if (!first) return "";
  let out = `M${first[0]} ${first[1]}`;
  let [x, y] = first;
  for (const [toX, toY] of rest) {
    out += form === "wide" ? bend(x, y, toX, toY) : fall(x, y, toX, toY);
    [x, y] = [toX, toY];
  }
  if (form === "wide") return `${out}M${x - 6} ${y - 4}L${x - 1} ${y}L${x - 6} ${y + 4}`;
  return `${out}M${x - 4} ${y - 6}L${x} ${y - 1}L${x + 4} ${y - 6}`;
}

function bend(x: number, y: number, toX: number, toY: number): string {
  const middle = round((x + toX) / 2);
  return toY === y ? `H${toX}` : `C${middle} ${y} ${middle} ${toY} ${toX} ${toY}`;
}

function fall(x: number, y: number, toX: number, toY: number): string {
  const middle = round((y + toY) / 2);
  return toX === x ? `V${toY}` : `C${x} ${middle} ${toX} ${middle} ${toX} ${toY}`;
}

export interface PictureProps {
  view: FlowView;
  /** See `Flow`. */
  nodeHref: string | undefined;
  nowMs: number | undefined;
  titleId: string;
  form: PictureForm;
}

export function Picture({ view, nodeHref, nowMs, titleId, form }: PictureProps) {
  const made = pictureLayout(view, form);
  const width = made.width + 2 * MARGIN;
  const height = made.height + 2 * MARGIN;
  const edges = edgeParts(view, form);
  const leading = leadingOn(view);
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
        <EdgePath edge={edge.edge} routed={edge.routed} isLive={edge.isLive} form={form} />
      ))}
      {view.nodes.map((node) => (
        <NodeBox
          node={node}
          at={made.nodes.get(node.name) ?? NOWHERE}
          href={hrefOf(view.id, node.name, nodeHref)}
          nowMs={nowMs}
          form={form}
          leadsOn={leading.has(node.name)}
        />
      ))}
    </svg>
  );
}

/** Nodes with an outgoing edge that is taken or open. */
export function leadingOn({ edges }: FlowView): ReadonlySet<string> {
  return new Set(edges.flatMap(({ from, state }) => (state === "untaken" ? [] : [from])));
}

/** Number of nodes from which on a picture gets a map. */
const MAPPED = 60;
/** Maximum size of the map. */
const MAP_WIDTH = 240;
const MAP_HEIGHT = 80;

/**
 * A small map of a large picture in its status colors. With script, it also pans the picture. It is hidden from screen readers, which use
 * the links.
 */
export function PictureMap({ view }: { view: FlowView }) {
  if (view.nodes.length <= MAPPED) return null;
  const made = pictureLayout(view, "wide");
  const width = made.width + 2 * MARGIN;
  const height = made.height + 2 * MARGIN;
  const scale = Math.min(MAP_WIDTH / width, MAP_HEIGHT / height);
  return (
    <svg
      class="svc-map"
      aria-hidden="true"
      width={round(width * scale)}
      height={round(height * scale)}
      viewBox={`0 0 ${width} ${height}`}
    >
      {view.nodes.map((node) => {
        const { x, y } = made.nodes.get(node.name) ?? NOWHERE;
        const { tone } = STATUS_LOOKS[node.status];
        return <rect x={x + MARGIN} y={y + MARGIN} width={WIDTHS.wide} height={HEIGHT} data-tone={tone} />;
      })}
    </svg>
  );
}

const NOWHERE: Placed = { x: 0, y: 0, width: 0, height: HEIGHT, rank: 0 };

/** Edges with their routes. Edges that close a cycle have none and are left out. */
export function edgeParts(view: FlowView, form: PictureForm): EdgePathProps[] {
  const routes = new Map(pictureLayout(view, form).edges.map((routed) => [`${routed.from}>${routed.to}`, routed]));
  const status = new Map(view.nodes.map((node) => [node.name, node.status]));
  return view.edges.flatMap((edge) => {
    const routed = routes.get(`${edge.from}>${edge.to}`);
    return routed ? [{ edge, routed, form, isLive: edge.state === "taken" && status.get(edge.to) === "running" }] : [];
  });
}
