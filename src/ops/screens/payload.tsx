/** An input or output: a tree that opens and closes without script, and its raw text. */
import type { Json } from "../../graph.ts";
import type { Binary } from "../views/runs/binary.ts";
import { payloadView, type PayloadNode, type PayloadView } from "../views/runs/payload.ts";
import { bytesText, countText } from "../views/format.ts";

export interface PayloadProps {
  json: Json;
  /** Accessible name. */
  label: string;
  redact: readonly string[];
  isRevealed: boolean;
}

/** A search in a payload. */
export interface Finding {
  find: string;
  action: string;
  /** Other parameters of the URL. */
  fields: readonly (readonly [name: string, value: string])[];
}

interface TreeProps extends PayloadProps {
  finding: Finding;
  /** URL of the entries. Append `&at=` and a JSON Pointer. */
  entryHref: string;
}

export function Payload({ json, label, redact, isRevealed, finding, entryHref }: TreeProps) {
  const view = payloadView(json, { keys: redact, isRevealed }, finding.find);
  return (
    <div class="stack-tight">
      <p class="quiet">
        {bytesText(view.bytes)}
        {view.redacted === 0 ? "" : `, ${countText(view.redacted)} hidden`}
      </p>
      {view.root.children.length === 0 ? null : <Find view={view} label={label} finding={finding} />}
      <div class="payload" tabindex={0} role="region" aria-label={label} data-entries={entryHref}>
        <Branch node={view.root} entryHref={entryHref} />
      </div>
    </div>
  );
}

/** The search form. The server searches everything; a script marks matches in the page while the visitor types. */
function Find({
  view,
  label,
  finding: { find, action, fields },
}: {
  view: PayloadView;
  label: string;
  finding: Finding;
}) {
  const shown = foundIn(view.root);
  return (
    <form method="get" action={action} class="steps" role="search" aria-label={`Search ${label}`} data-find>
      {fields.map(([name, value]) => (
        <input type="hidden" name={name} value={value} key={name} />
      ))}
      <label>
        Find
        <input type="search" name="find" value={find} maxlength={200} autocomplete="off" spellcheck={false} />
      </label>
      <button type="submit" class="button">
        Find
      </button>
      <output class="quiet">{find === "" ? "" : foundText(view.found, shown)}</output>
    </form>
  );
}

function foundIn(node: PayloadNode): number {
  return node.children.reduce((sum, child) => sum + foundIn(child), node.isFound ? 1 : 0);
}

function foundText(found: number, shown: number): string {
  if (found === 0) return "No matches";
  return `${countText(found)} found${shown < found ? `, ${countText(found - shown)} not shown in the tree: see Raw` : ""}`;
}

/** Limit of the text on a screen, which is sent again with each change of the run. */
const MAX_RAW_LENGTH = 256 * 1024;

/** The payload as text for copying. @param wholeHref URL of the complete text */
export function RawPayload({ json, label, redact, isRevealed, wholeHref }: PayloadProps & { wholeHref: string }) {
  const { raw } = payloadView(json, { keys: redact, isRevealed });
  return (
    <>
      <pre tabindex={0} role="region" aria-label={label} data-copy>
        <code>{raw.slice(0, MAX_RAW_LENGTH)}</code>
      </pre>
      {raw.length > MAX_RAW_LENGTH ? (
        <p class="quiet">
          {`Truncated, ${bytesText(Buffer.byteLength(raw))} in total. `}
          <a href={wholeHref} download="raw.json">
            Download everything
          </a>
        </p>
      ) : null}
    </>
  );
}

function Branch({ node, entryHref }: { node: PayloadNode; entryHref: string }) {
  if (node.kind !== "object" && node.kind !== "array") return <Leaf node={node} entryHref={entryHref} />;
  if (node.children.length === 0 && node.left === 0)
    return (
      <p data-found={node.isFound ? "" : undefined}>
        <Key node={node} />
        {node.text}
      </p>
    );
  return (
    <details open={node.isOpen}>
      <summary data-found={node.isFound ? "" : undefined}>
        <Key node={node} />
        <span class="quiet">{`${node.text} ${node.size}`}</span>
      </summary>
      <ul>
        {node.children.map((child) => (
          <li key={child.key ?? ""}>
            <Branch node={child} entryHref={entryHref} />
          </li>
        ))}
        {node.left === 0 ? null : <li class="quiet">{`… and ${countText(node.left)} more: see Raw`}</li>}
      </ul>
    </details>
  );
}

function Leaf({ node, entryHref }: { node: PayloadNode; entryHref: string }) {
  return (
    <>
      <p data-found={node.isFound ? "" : undefined}>
        <Key node={node} />
        <span data-kind={node.kind}>{node.kind === "string" ? JSON.stringify(node.text) : node.text}</span>
        {node.size === "" ? null : <span class="quiet"> {node.size}</span>}
      </p>
      {node.binary === undefined ? null : <Bytes node={node} binary={node.binary} entryHref={entryHref} />}
    </>
  );
}

/** An image, or the first bytes of other binary data. */
function Bytes({ node, binary, entryHref }: { node: PayloadNode; binary: Binary; entryHref: string }) {
  const { hex } = binary;
  const name = node.key ?? "the value";
  if (!hex) {
    const src = `${entryHref.replace("/entry?", "/entry/image?")}&at=${encodeURIComponent(node.pointer)}`;
    return <img class="artifact" src={src} alt={`Image ${name}`} loading="lazy" />;
  }
  return (
    <details class="bytes">
      <summary>{hex.isCut ? "First bytes" : "Bytes"}</summary>
      <pre tabindex={0} role="region" aria-label={`Bytes of ${name}`}>
        <code>{hex.text}</code>
      </pre>
    </details>
  );
}

function Key({ node }: { node: PayloadNode }) {
  return node.key === undefined ? null : (
    <span class="payload-key" data-place={node.isPlace ? "" : undefined}>{`${node.key}: `}</span>
  );
}
