/** `<FlowGraph>`: a graph as picture, summary and list, updated live with script. */
import { Await } from "../../index.ts";
import { readFlowFor, type Flow, type FlowOptions } from "./load-widgets.ts";
import { useLive, type LiveAttributes } from "../live/live-access.ts";
import { graphOf, NothingToShow, type GraphOf } from "./graph-access.tsx";
import { hrefOf, rowId } from "./links.ts";
import { Took } from "./duration.tsx";
import { NodeRow } from "./node-list.tsx";
import {
  EdgePath,
  edgeParts,
  leadingOn,
  NodeBox,
  partName,
  Picture,
  PictureMap,
  pictureForms,
  pictureLayout,
  type PictureForm,
} from "./picture.tsx";
import { StatusMark } from "./status-mark.tsx";
import { summaryText, type FlowView as View } from "./graph-view.ts";

interface FlowGraphLook {
  /** Heading. Default: the name of the graph. */
  title?: string;
  /** Default: `both`. */
  show?: "both" | "picture" | "list";
}

/** Either what a loader has read with `readFlow(app, id)`, or the ID of a graph that the widget reads itself. */
export type FlowGraphProps = FlowGraphLook & ({ flow: Flow } | (GraphOf & FlowOptions));

/**
 * A graph: its nodes as a picture with links, a summary sentence, and a list with details.
 * @example
 * <FlowGraph id={graphId} token={token} title="Progress" />
 */
export function FlowGraph(props: FlowGraphProps) {
  const { title, show = "both" } = props;
  const live = useLive();
  if ("flow" in props) return <FlowView flow={props.flow} title={title} show={show} live={live} />;
  const graph = graphOf(props);
  if (!graph) return <NothingToShow title={title} />;
  const { app, id, bearer } = graph;
  const { nodeHref } = props;
  return (
    <Await value={readFlowFor(app, id, { ...(nodeHref !== undefined && { nodeHref }), ...bearer })}>
      {(flow) =>
        flow ? <FlowView flow={flow} title={title} show={show} live={live} /> : <NothingToShow title={title} />
      }
    </Await>
  );
}

interface FlowViewProps {
  flow: Flow;
  title: string | undefined;
  show: "both" | "picture" | "list";
  live: LiveAttributes;
}

/** The view of what was read, without access to the page. */
export function FlowView({ flow, title, show, live }: FlowViewProps) {
  const { view, nowMs } = flow;
  const name = `flow-${view.id}`;
  return (
    <svc-live class="svc-flow" {...live(flow.topic)} data-at={view.seq} data-widget="graph">
      <section aria-labelledby={`${name}-title`}>
        <FlowHead view={view} title={title ?? view.worker} titleId={`${name}-title`} nowMs={nowMs} />
        <FlowSummary view={view} />
        <p class="svc-ear" role="status" data-say="" />
        {show === "list" ? null : <PictureMap view={view} />}
        {(show === "list" ? [] : pictureForms(view)).map((form) => (
          <div
            class="svc-view"
            data-form={form}
            tabindex="0"
            role="region"
            aria-label={`Picture of ${title ?? view.worker}`}
          >
            <Picture view={view} nodeHref={flow.nodeHref} nowMs={nowMs} titleId={`${name}-title`} form={form} />
          </div>
        ))}
        {show === "picture" ? null : (
          <ul class="svc-rows">
            {view.nodes.map((node) => (
              <NodeRow
                node={node}
                rowId={rowId(view.id, node.name)}
                href={hrefOf(view.id, node.name, flow.nodeHref)}
                nowMs={nowMs}
              />
            ))}
          </ul>
        )}
      </section>
    </svc-live>
  );
}

interface FlowHeadProps {
  view: View;
  title: string;
  titleId: string;
  nowMs: number | undefined;
}

function FlowHead({ view, title, titleId, nowMs }: FlowHeadProps) {
  return (
    <header class="svc-head">
      <h2 id={titleId}>{title}</h2>
      <FlowState view={view} nowMs={nowMs} />
      <span class="svc-pill" data-pill="" hidden={true} />
    </header>
  );
}

/** Status, progress and duration. */
function FlowState({ view, nowMs }: { view: View; nowMs: number | undefined }) {
  return (
    <div class="svc-state" data-part="state">
      <StatusMark status={view.status} />
      {view.progress === null ? null : (
        <progress value={view.progress.share} max={1} aria-label="Progress">
          {Math.round(view.progress.share * 100)} %
        </progress>
      )}
      {view.progress?.note === undefined ? null : <span class="svc-note">{view.progress.note}</span>}
      <Took startedMs={view.startedMs} finishedMs={view.finishedMs} dueMs={null} nowMs={nowMs} />
    </div>
  );
}

function FlowSummary({ view }: { view: View }) {
  return (
    <p class="svc-summary" data-part="summary">
      {summaryText(view)}
      {view.message === undefined ? null : <span class="svc-message">{view.message}</span>}
    </p>
  );
}

/** HTML of all parts of the widget that may change, by part name. */
export function flowParts(view: View, nodeHref: string | undefined): Map<string, string> {
  const nowMs = undefined;
  const parts = new Map([
    ["state", String(<FlowState view={view} nowMs={nowMs} />)],
    ["summary", String(<FlowSummary view={view} />)],
  ]);
  for (const form of pictureForms(view))
    for (const [part, html] of pictureParts(view, nodeHref, form)) parts.set(partName(form, part), html);
  for (const node of view.nodes) {
    const href = hrefOf(view.id, node.name, nodeHref);
    const row = <NodeRow node={node} rowId={rowId(view.id, node.name)} href={href} nowMs={nowMs} />;
    parts.set(`l:${node.name}`, String(row));
  }
  return parts;
}

function* pictureParts(
  view: View,
  nodeHref: string | undefined,
  form: PictureForm,
): Generator<readonly [name: string, html: string]> {
  for (const { edge, routed, isLive } of edgeParts(view, form)) {
    const path = <EdgePath edge={edge} routed={routed} isLive={isLive} form={form} />;
    yield [`e:${edge.from}>${edge.to}`, String(path)];
  }
  const made = pictureLayout(view, form);
  const leading = leadingOn(view);
  for (const node of view.nodes) {
    const at = made.nodes.get(node.name);
    const href = hrefOf(view.id, node.name, nodeHref);
    if (!at) continue;
    const leadsOn = leading.has(node.name);
    const box = <NodeBox node={node} at={at} href={href} nowMs={undefined} form={form} leadsOn={leadsOn} />;
    yield [`n:${node.name}`, String(box)];
  }
}
