/** What a worker was given, or gave: a tree that opens and closes without script, and its text. */
import type { Json } from "../../../graph.ts";
import { payloadView, type PayloadNode } from "../views/payload.ts";
import { bytesText, countText } from "../views/text.ts";

export interface PayloadProps {
  json: Json;
  /** Of what it is, for those who hear it. */
  label: string;
  redact: readonly string[];
  isRevealed: boolean;
}

export function Payload({ json, label, redact, isRevealed }: PayloadProps) {
  const view = payloadView(json, { keys: redact, isRevealed });
  return (
    <div class="stack-tight">
      <p class="quiet">
        {bytesText(view.bytes)}
        {view.redacted === 0 ? "" : `, ${countText(view.redacted)} hidden`}
      </p>
      <div class="payload" tabindex={0} role="region" aria-label={label}>
        <Branch node={view.root} />
      </div>
    </div>
  );
}

/** The same as text, to be copied. */
export function RawPayload({ json, label, redact, isRevealed }: PayloadProps) {
  const view = payloadView(json, { keys: redact, isRevealed });
  return (
    <pre tabindex={0} role="region" aria-label={label} data-copy>
      <code>{view.raw}</code>
    </pre>
  );
}

function Branch({ node }: { node: PayloadNode }) {
  if (node.kind !== "object" && node.kind !== "array") return <Leaf node={node} />;
  if (node.children.length === 0 && node.left === 0)
    return (
      <p>
        <Key node={node} />
        {node.text}
      </p>
    );
  return (
    <details open={node.isOpen}>
      <summary>
        <Key node={node} />
        <span class="quiet">{`${node.text} ${node.size}`}</span>
      </summary>
      <ul>
        {node.children.map((child) => (
          <li key={child.key ?? ""}>
            <Branch node={child} />
          </li>
        ))}
        {node.left === 0 ? null : <li class="quiet">{`… and ${countText(node.left)} more: see Raw`}</li>}
      </ul>
    </details>
  );
}

function Leaf({ node }: { node: PayloadNode }) {
  return (
    <p>
      <Key node={node} />
      <span data-kind={node.kind}>{node.kind === "string" ? JSON.stringify(node.text) : node.text}</span>
      {node.size === "" ? null : <span class="quiet"> {node.size}</span>}
    </p>
  );
}

function Key({ node }: { node: PayloadNode }) {
  return node.key === undefined ? null : <span class="payload-key">{`${node.key}: `}</span>;
}
