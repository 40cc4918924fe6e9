/** Runs as table rows, or a placeholder if there are none; for the list and the overview. */
import type { Snapshot } from "../../../graph.ts";
import { nodeTally } from "../../widgets/graph-view.ts";
import { OPS_PATH, RUNS_PATH } from "../../operator-access.ts";
import { DEMO_GRAPH } from "../../demo-graph.ts";
import type { OpsContext } from "../../ops-context.ts";
import { graphStyle } from "../../views/status-style.ts";
import { originWords, summaryText, triesOf } from "../../views/runs/run-summary.ts";
import { queryText } from "../../views/runs/runs-query.ts";
import { countText, durationText, shortId } from "../../views/format.ts";
import { comparedToTypical, type TypicalDuration } from "../../views/typical-durations.ts";
import { Empty, Mark, StepButton, StepForm, Time } from "../parts.tsx";
import { Attributes } from "./attributes.tsx";

export function NoRuns({ opsContext, isFiltered }: { opsContext: OpsContext; isFiltered: boolean }) {
  if (isFiltered)
    return (
      <Empty title="No runs match these filters">
        <p>
          Remove a filter above, or <a href={RUNS_PATH}>show all runs</a>.
        </p>
      </Empty>
    );
  return (
    <Empty title="No runs yet">
      <p>A worker is a named function. Starting it creates a run:</p>
      <pre tabindex={0}>
        <code>
          {`import { createFullStackApp } from "svckit/fullstack";
import { worker } from "svckit/graph";

const greet = worker("greet", async (name: string) => \`Hello \${name}\`);
export default createFullStackApp({ workers: [greet] });
// app.engine.start("greet", "Ada"), or: svc graph start greet --input '"Ada"'`}
        </code>
      </pre>
      <FirstRun opsContext={opsContext} />
    </Empty>
  );
}

/** A button for the first run: the demo graph during development, or the app's own workers. */
function FirstRun({ opsContext }: { opsContext: OpsContext }) {
  const names = [...opsContext.app.definitions.keys()];
  if (names.includes(DEMO_GRAPH))
    return (
      <StepForm opsContext={opsContext} action="/runs/start" fields={{ worker: DEMO_GRAPH }}>
        <StepButton opsContext={opsContext} label="Run the demo graph" tone="main" />
      </StepForm>
    );
  if (names.length === 0) return null;
  return (
    <a class="button" data-tone="main" href={`${OPS_PATH}/workers#start`}>
      Start a worker of this app
    </a>
  );
}

interface RunsTableProps {
  runs: readonly Snapshot[];
  opsContext: OpsContext;
  canChoose: boolean;
  /** Typical durations by worker. */
  usual: ReadonlyMap<string, TypicalDuration>;
}

/** Runs as table rows, newest first. */
export function RunsTable({ runs, opsContext, canChoose, usual }: RunsTableProps) {
  return (
    <div class="scroll">
      <table class="runs">
        <thead>
          <tr>
            {canChoose ? <th scope="col" class="pick" aria-label="Select"></th> : null}
            <th scope="col">Status</th>
            <th scope="col">Run</th>
            <th scope="col">Worker</th>
            <th scope="col">Started</th>
            <th scope="col">Started by</th>
            <th scope="col">Duration</th>
            <th scope="col" class="number">
              Nodes
            </th>
            <th scope="col" class="number">
              Attempts
            </th>
          </tr>
        </thead>
        <tbody>
          {runs.map((run) => (
            <tr key={run.graph_id}>
              {canChoose ? (
                <td class="pick">
                  <input type="checkbox" name="run" value={run.graph_id} aria-label={`Select ${run.graph_id}`} />
                </td>
              ) : null}
              <td data-label="Status">
                <Mark looks={graphStyle(run, opsContext.nowMs)} />
              </td>
              <td data-label="Run" class="run">
                <a class="id" href={`${RUNS_PATH}/${run.graph_id}`} title={run.graph_id} data-row>
                  {shortId(run.graph_id)}
                </a>
                <Summary run={run} opsContext={opsContext} />
                <RunNote run={run} />
                <Tags run={run} />
                <Attributes run={run} opsContext={opsContext} />
              </td>
              <td data-label="Worker" class="name">
                <a href={`${RUNS_PATH}?${queryText({ worker: run.worker })}`}>{run.worker}</a>
              </td>
              <td data-label="Started">
                <Time ms={run.created_ms} opsContext={opsContext} />
              </td>
              <td data-label="Started by" class="origin">
                <StartedBy run={run} />
              </td>
              <td data-label="Duration" class="length">
                <span class="length-text">
                  {run.started_ms === null ? "–" : durationText(tookMs(run, opsContext.nowMs))}
                </span>
                <LengthBar run={run} opsContext={opsContext} usual={usual.get(run.worker)} />
              </td>
              <td data-label="Nodes" class="number">
                <Nodes run={run} />
              </td>
              <td data-label="Attempts" class="number">
                <Attempts run={run} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** A bar for the run's duration, with marks for the median and the 99th percentile of its worker. */
function LengthBar({
  run,
  opsContext,
  usual,
}: {
  run: Snapshot;
  opsContext: OpsContext;
  usual: TypicalDuration | undefined;
}) {
  if (run.started_ms === null || !usual) return null;
  const { share, medianAt, p99At, word } = comparedToTypical(tookMs(run, opsContext.nowMs), usual);
  const { medianMs, p99Ms } = usual;
  return (
    <span
      class="length-bar"
      role="img"
      aria-label={word}
      title={`${run.worker}: median ${durationText(medianMs)}, p99 ${durationText(p99Ms)}; this run took ${word}`}
      data-over={share > p99At ? "" : undefined}
      style={`--share:${share}%;--median:${medianAt}%;--p99:${p99At}%`}
    ></span>
  );
}

/** The summary line that the worker set. */
export function Summary({ run, opsContext }: { run: Snapshot; opsContext: OpsContext }) {
  const text = summaryText(run, opsContext.redact);
  return text === "" ? null : <p class="summary">{text}</p>;
}

/** The origin of the run. */
export function StartedBy({ run }: { run: Snapshot }) {
  const words = originWords(run);
  if (!words) return "–";
  const { kind, name, href } = words;
  if (name === "") return kind;
  return (
    <span>
      <span class="quiet">{kind}</span> {href === undefined ? name : <a href={href}>{name}</a>}
    </span>
  );
}

/** The total number of attempts, and how many of them were retries. */
export function Attempts({ run }: { run: Snapshot }) {
  const { all, again } = triesOf(run);
  if (again === 0) return countText(all);
  return (
    <span>
      {countText(all)}{" "}
      <span
        class="quiet"
        role="img"
        aria-label={`${countText(again)} ${again === 1 ? "retry" : "retries"}`}
        title={`${countText(again)} ${again === 1 ? "retry" : "retries"}`}
      >
        {`↻${countText(again)}`}
      </span>
    </span>
  );
}

function Tags({ run: { tags } }: { run: Snapshot }) {
  if (tags.length === 0) return null;
  return (
    <p class="tags">
      {tags.map((tag) => (
        <a class="tag" href={`${RUNS_PATH}?${queryText({ tag })}`} key={tag}>
          {tag}
        </a>
      ))}
    </p>
  );
}

/** The error or the progress of the run. */
function RunNote({ run }: { run: Snapshot }) {
  const text = noteOf(run);
  return text === "" ? null : <p class="note">{text}</p>;
}

function noteOf({ error, progress, status, epoch }: Snapshot): string {
  const parts = epoch > 1 ? [`run ${epoch}`] : [];
  if (error) parts.push(error.message.slice(0, 120));
  else if (progress && status === "running") parts.push(`${Math.round(progress.value * 100)} % ${progress.note ?? ""}`);
  return parts.join(" · ");
}

function tookMs({ started_ms: startedMs, finished_ms: finishedMs }: Snapshot, nowMs: number): number {
  return startedMs === null ? 0 : Math.max(0, (finishedMs ?? nowMs) - startedMs);
}

/** Node counts, as on the run's own page, and the finished items of its fan-outs. */
function Nodes({ run }: { run: Snapshot }) {
  const { done, nodes, itemsDone, items } = nodeTally(run);
  return (
    <>
      {`${countText(done)}/${countText(nodes)}`}
      {items === 0 ? null : (
        <>
          {" "}
          <span class="items">{`${countText(itemsDone)}/${countText(items)} items`}</span>
        </>
      )}
    </>
  );
}
