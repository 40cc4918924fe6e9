/** The nodes of a graph as an accessible list, with the steps and items inside each node. */
import { Took } from "./duration.tsx";
import { StatusMark } from "./status-mark.tsx";
import { STATUS_LOOKS } from "./status.ts";
import { bytesText, countText } from "../views/format.ts";
import { nodeWord, type FlowNode, type FlowPart } from "./graph-view.ts";

/** Maximum number of listed items, the most urgent first. */
const MOST_ITEMS = 40;

export interface NodeRowProps {
  node: FlowNode;
  /** ID of the row's element, the link target of the picture's nodes. */
  rowId: string;
  href: string;
  nowMs: number | undefined;
}

export function NodeRow({ node, rowId, href, nowMs }: NodeRowProps) {
  const parts = [...mostInformative(node.items), ...node.inner];
  const left = node.items.length + node.inner.length - parts.length;
  return (
    <li class="svc-row" id={rowId} data-part={`l:${node.name}`} data-status={node.status} tabindex="-1">
      <div class="svc-row-head">
        <StatusMark status={node.status} word={nodeWord(node)} />
        <span class="svc-row-title">
          <a class="svc-row-name" href={href}>
            {node.name}
          </a>
          {node.worker === node.name ? null : <span class="svc-row-worker">{node.worker}</span>}
          <span class="svc-row-counts">{countsText(node)}</span>
          {node.resultBytes === undefined ? null : (
            <span class="svc-row-size">{`result ${bytesText(node.resultBytes)}`}</span>
          )}
        </span>
        <Took startedMs={node.startedMs} finishedMs={node.finishedMs} dueMs={node.dueMs} nowMs={nowMs} />
      </div>
      {node.message === undefined || node.status === "done" ? null : <p class="svc-row-message">{node.message}</p>}
      {parts.length === 0 ? null : (
        <details>
          <summary>{partsText(node)}</summary>
          <ul>
            {parts.map((part) => (
              <PartRow part={part} nowMs={nowMs} />
            ))}
            {left > 0 ? <li class="svc-row-more">and {countText(left)} more</li> : null}
          </ul>
        </details>
      )}
    </li>
  );
}

function PartRow({ part, nowMs }: { part: FlowPart; nowMs: number | undefined }) {
  return (
    <li class="svc-row-part" data-status={part.status}>
      <StatusMark status={part.status} />
      <span class="svc-row-label">{part.label}</span>
      <Took startedMs={part.startedMs} finishedMs={part.finishedMs} dueMs={null} nowMs={nowMs} />
      {part.message === undefined || part.status === "done" ? null : (
        <span class="svc-row-message">{part.message}</span>
      )}
    </li>
  );
}

function countsText({ counts }: FlowNode): string {
  if (!counts) return "";
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const each = [...counts].map(([status, count]) => `${countText(count)} ${STATUS_LOOKS[status].word}`);
  return total === 0 ? "no items" : `${countText(total)} items: ${each.join(", ")}`;
}

function partsText({ items, inner }: FlowNode): string {
  const counts = [
    ...(items.length > 0 ? [`${countText(items.length)} ${items.length === 1 ? "item" : "items"}`] : []),
    ...(inner.length > 0 ? [`${countText(inner.length)} ${inner.length === 1 ? "step" : "steps"} inside`] : []),
  ];
  return counts.join(", ");
}

const FIRST = ["failed", "uncompensated", "retrying", "running", "waiting"];

function mostInformative(items: readonly FlowPart[]): FlowPart[] {
  if (items.length <= MOST_ITEMS) return [...items];
  const rank = ({ status }: FlowPart): number => {
    const at = FIRST.indexOf(status);
    return at < 0 ? FIRST.length : at;
  };
  return items.toSorted((a, b) => rank(a) - rank(b)).slice(0, MOST_ITEMS);
}
