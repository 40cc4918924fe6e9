/** The side panel of a run: input and output of the run or of the selected node, attempts, logs, and the forms to run it again. */
import type { GraphEvent, Json, NodeDetail, Snapshot } from "../../../graph.ts";
import { looksUnreadable } from "../../../internal.ts";
import { OPS_PATH } from "../../operator-access.ts";
import type { OpsContext } from "../../ops-context.ts";
import type { Attempt } from "../../views/runs/attempts.ts";
import { rerunText } from "../../views/bulk/bulk-preview.ts";
import { failedNodes } from "../../views/runs/failed-nodes.ts";
import { graphStyle, nodeStyle } from "../../views/status-style.ts";
import { hiddenCount, payloadView } from "../../views/runs/payload.ts";
import { NODE_TABS, RUN_TABS, runQueryEntries, runQueryText, type Tab } from "../../views/runs/run-query.ts";
import { READ_ONLY } from "../../views/runs/allowed-actions.ts";
import { clockText, countText, durationText } from "../../views/format.ts";
import { isPartHidden } from "../../views/runs/preview.ts";
import { Artifacts } from "./artifacts.tsx";
import { Events, hiddenIn } from "./events.tsx";
import { Mark, StepButton, StepForm, Time } from "../parts.tsx";
import { Payload, RawPayload } from "../payload.tsx";
import { entryHref, type EntriesOf } from "../entry.ts";
import { rawOf } from "./raw.ts";
import { Reveal } from "../reveal.tsx";
import type { RunData } from "../../run-data.ts";
import { Heads } from "../table-head.tsx";

interface InspectorProps {
  data: RunData;
  opsContext: OpsContext;
  attempts: readonly Attempt[];
}

/** Maximum length of an input that prefills a form. */
const MAX_PREFILL = 4000;
/** Maximum length of the placeholder for a longer one. */
const MAX_HINT = 400;

const LABELS: Readonly<Record<Tab, string>> = {
  input: "Input",
  output: "Output",
  error: "Error",
  attempts: "Attempts",
  logs: "Logs",
  events: "Events",
  artifacts: "Files",
  raw: "Raw",
};

export function Inspector({ data, opsContext, attempts }: InspectorProps) {
  const { run, node, query, events } = data;
  const base = `${OPS_PATH}/runs/${run.graph_id}`;
  const hidden = hiddenOn(data, opsContext);
  return (
    <>
      <FailedNodes data={data} />
      <div class="head">
        <h2>{node ? node.id : "Whole run"}</h2>
        <Mark looks={node ? nodeStyle(node, run.finished_ms !== null) : graphStyle(run, opsContext.nowMs)} />
      </div>
      {node ? (
        <p class="quiet">
          {`worker ${node.worker}, ${node.attempts} attempt${node.attempts === 1 ? "" : "s"} `}
          <a href={`${base}${runQueryText(query, { node: "", tab: "" })}`}>Show the whole run</a>
        </p>
      ) : null}
      <nav class="tabs" aria-label={`Details of ${node ? node.id : "the run"}`}>
        {(node ? NODE_TABS : RUN_TABS).map((tab) => (
          <a
            href={`${base}${runQueryText(query, { tab })}`}
            aria-current={query.tab === tab ? "page" : undefined}
            data-key={tab === "raw" ? "." : undefined}
            key={tab}
          >
            {LABELS[tab]}
          </a>
        ))}
      </nav>
      <Side data={data} opsContext={opsContext} attempts={attempts} />
      {events.endsText !== undefined && OF_EVENTS.has(query.tab) ? (
        <p class="quiet">{`Based on ${events.endsText}.`}</p>
      ) : null}
      {hidden === undefined ? null : <Reveal hidden={hidden} data={data} opsContext={opsContext} />}
      {node ? (
        <RerunFromNode node={node} run={run} opsContext={opsContext} />
      ) : (
        <StartAgain run={run} opsContext={opsContext} />
      )}
    </>
  );
}

/** Tabs that show events. */
const OF_EVENTS: ReadonlySet<Tab> = new Set<Tab>(["attempts", "logs", "events"]);

/** Links to the previous and the next failed node, with shortcuts. */
function FailedNodes({ data: { run, node, query } }: { data: RunData }) {
  const { count, place, before, after } = failedNodes(run, node?.id);
  if (before === undefined || after === undefined) return null;
  const hrefOf = (id: string): string =>
    `${OPS_PATH}/runs/${run.graph_id}${runQueryText(query, { node: id, tab: "error" })}#node`;
  return (
    <nav class="failed-nodes" aria-label="Failed nodes">
      <a class="button" href={hrefOf(before)} data-key="[" aria-label={`Previous failed node: ${before}`}>
        ‹
      </a>
      <span class="quiet">
        {place === undefined ? `${countText(count)} failed` : `${countText(place)} of ${countText(count)} failed`}
      </span>
      <a class="button" href={hrefOf(after)} data-key="]" aria-label={`Next failed node: ${after}`}>
        ›
      </a>
    </nav>
  );
}

function Side({ data, opsContext, attempts }: InspectorProps) {
  const { run, node, query, events, isRevealed } = data;
  const about = node?.id ?? "the run";
  const finding = {
    find: query.find,
    action: `${OPS_PATH}/runs/${run.graph_id}`,
    fields: runQueryEntries(query, { find: "" }),
  };
  const payload = (json: Json, label: string, of: EntriesOf) => (
    <Payload
      json={json}
      entryHref={entryHref(run.graph_id, query, of)}
      label={`${label} of ${about}`}
      redact={opsContext.redact}
      isRevealed={isRevealed}
      finding={finding}
    />
  );
  const own = eventsOf(events.ends, node);
  switch (query.tab) {
    case "input":
      return node && node.started_ms === null ? (
        <p class="quiet">Not started: a node's input is computed when it starts.</p>
      ) : (
        payload(node ? node.input : run.input, "Input", "input")
      );
    case "output":
      return (node ? node.status === "done" : run.status === "done") ? (
        payload(node ? node.result : run.result, "Output", "result")
      ) : (
        <p class="quiet">{`No output: the status is ${node ? node.status : run.phase}.`}</p>
      );
    case "error":
      return <ErrorSide error={node ? node.error : run.error} origin={data.origin} />;
    case "attempts":
      return <Attempts attempts={attempts} opsContext={opsContext} />;
    case "logs":
      return <Logs events={own.filter(({ type }) => type === "log")} opsContext={opsContext} />;
    case "events":
      return <Events events={own} opsContext={opsContext} isRevealed={isRevealed} startMs={run.created_ms} />;
    case "artifacts":
      return <Artifacts shown={data.artifacts} graphId={run.graph_id} opsContext={opsContext} />;
    case "raw":
      return (
        <RawPayload
          json={rawOf(node ?? run)}
          label={`Raw view of ${about}`}
          redact={opsContext.redact}
          isRevealed={isRevealed}
          wholeHref={`${OPS_PATH}/runs/${run.graph_id}/raw${runQueryText(query, { tab: "", view: "", find: "" })}`}
        />
      );
  }
}

function ErrorSide({ error, origin }: { error: Snapshot["error"]; origin: NodeDetail["origin"] }) {
  if (!error) return <p class="quiet">No error.</p>;
  const causes = origin?.causes ?? [];
  return (
    <>
      <p class="quiet">{`${error.reason}${error.node === undefined ? "" : ` in ${error.node}`}`}</p>
      <pre tabindex={0} role="region" aria-label="Error" data-copy>
        <code>{error.message}</code>
      </pre>
      {origin?.place === undefined ? null : (
        <p>
          Thrown at <code data-copy-id="the location">{origin.place}</code>
        </p>
      )}
      {causes.length === 0 ? null : (
        <>
          <h3>Caused by</h3>
          <ol class="causes">
            {causes.map((cause, at) => (
              <li key={at}>
                <code>{cause}</code>
              </li>
            ))}
          </ol>
        </>
      )}
    </>
  );
}

function Attempts({ attempts, opsContext }: { attempts: readonly Attempt[]; opsContext: OpsContext }) {
  if (attempts.length === 0) return <p class="quiet">No attempts yet.</p>;
  return (
    <table class="plain">
      <Heads columns={["No.", "Started", ["Duration", "number"], "Outcome"]} />
      <tbody>
        {attempts.map(({ number, startedMs, endedMs, outcome, message, againMs }) => (
          <tr key={startedMs}>
            <td>{number}</td>
            <td>
              <Time ms={startedMs} opsContext={opsContext} />
            </td>
            <td class="number">{durationText((endedMs ?? opsContext.nowMs) - startedMs)}</td>
            <td>
              {outcome}
              {message === undefined ? "" : `: ${message}`}
              {againMs === undefined || endedMs === undefined
                ? ""
                : `, retried after ${durationText(againMs - endedMs)}`}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Logs({ events, opsContext }: { events: readonly GraphEvent[]; opsContext: OpsContext }) {
  if (events.length === 0) return <p class="quiet">No log entries. A worker writes them with ctx.log("info", …).</p>;
  return (
    <pre tabindex={0} role="region" aria-label="Logs" data-copy>
      <code>
        {events
          .map(({ timestampMs, data }) => `${clockText(timestampMs, opsContext.zone)} ${lineOf(data ?? null)}`)
          .join("\n")}
      </code>
    </pre>
  );
}

function lineOf(data: Json): string {
  if (data === null || typeof data !== "object" || Array.isArray(data)) return JSON.stringify(data);
  return `${String(data["level"]).padEnd(5)} ${String(data["message"])}`;
}

/** Tabs that may hide values. */
const WITH_PAYLOAD: ReadonlySet<Tab> = new Set<Tab>(["input", "output", "events", "artifacts", "raw"]);

/** Number of hidden values in the open tab; undefined if the tab shows no payload. */
function hiddenOn(
  { run, node, events, artifacts, query: { tab } }: RunData,
  { redact }: OpsContext,
): number | undefined {
  if (!WITH_PAYLOAD.has(tab)) return undefined;
  if (tab === "artifacts") return artifacts.filter(({ preview }) => isPartHidden(preview)).length;
  if (tab === "events") return hiddenIn(eventsOf(events.ends, node), redact);
  if (tab === "raw") return hiddenCount(rawOf(node ?? run), redact);
  if (tab === "output") return hiddenCount(node ? node.result : run.result, redact);
  return hiddenCount(node ? node.input : run.input, redact);
}

function eventsOf(events: readonly GraphEvent[], node: NodeDetail | undefined): readonly GraphEvent[] {
  return events.filter((event) => event.node === node?.id);
}

function RerunFromNode({ node, run, opsContext }: { node: NodeDetail; run: Snapshot; opsContext: OpsContext }) {
  const isOwn = node.kind === "node";
  const hasEnded = run.phase === "done" || run.phase === "failed";
  const why = opsContext.visitor.role === "operator" ? undefined : READ_ONLY;
  const refusal = hasEnded ? why : (why ?? `It is ${run.phase}: only a run that has ended can begin again at a node`);
  if (!isOwn) return null;
  return (
    <details class="again">
      <summary data-key="r">Rerun from here…</summary>
      <StepForm
        opsContext={opsContext}
        action={`/runs/${run.graph_id}/fork`}
        class="stack"
        fields={{ from: node.id }}
        isByButton
      >
        <p class="quiet">
          Nodes before this one keep their results. Within this run, this node and all nodes after it run again. As a
          new run, this run stays unchanged, and you can change the input. {`This ${rerunText(run, node.id)}.`}
        </p>
        <InputField
          label="Input of the node in the new run, as JSON; empty: unchanged"
          input={node.input}
          opsContext={opsContext}
        />
        <label>
          Reason
          <input name="note" maxlength={500} autocomplete="off" />
        </label>
        <span class="buttons">
          <StepButton opsContext={opsContext} label="As a new run" tone="main" refusal={why} />
          <StepButton
            opsContext={opsContext}
            label="Within this run"
            refusal={refusal}
            action={`/runs/${run.graph_id}/retry`}
          />
        </span>
      </StepForm>
    </details>
  );
}

/** Prefilled if the input can be read, has no hidden values and is short enough to review; otherwise empty, which means unchanged. */
function InputField({ label, input, opsContext }: { label: string; input: Json; opsContext: OpsContext }) {
  const { raw, redacted } = payloadView(input, { keys: opsContext.redact, isRevealed: false });
  const isWhole = redacted === 0 && raw.length <= MAX_PREFILL && !looksUnreadable(input);
  return (
    <label>
      {label}
      <textarea name="input" rows={6} spellcheck={false} placeholder={raw.slice(0, MAX_HINT)}>
        {isWhole ? raw : ""}
      </textarea>
    </label>
  );
}

function StartAgain({ run, opsContext }: { run: Snapshot; opsContext: OpsContext }) {
  return (
    <details class="again">
      <summary data-key="r">Start again with this input…</summary>
      <StepForm
        opsContext={opsContext}
        action="/runs/start"
        class="stack"
        fields={{ worker: run.worker, like: run.graph_id }}
      >
        <InputField label="Input, as JSON; empty: unchanged" input={run.input} opsContext={opsContext} />
        <label>
          Reason
          <input name="note" maxlength={500} autocomplete="off" />
        </label>
        <StepButton opsContext={opsContext} label="Start" tone="main" />
      </StepForm>
    </details>
  );
}
