/** The header of a run: its place in the hierarchy, its status, and facts that all tabs share. */
import type { Snapshot } from "../../../graph.ts";
import { RUNS_PATH } from "../../operator-access.ts";
import type { OpsContext } from "../../ops-context.ts";
import { graphStyle } from "../../views/status-style.ts";
import { compareHref } from "../../views/navigation-targets.ts";
import { queryText } from "../../views/runs/runs-query.ts";
import { countText, durationText, ordinalText } from "../../views/format.ts";
import { Mark, Time } from "../parts.tsx";
import { Attributes } from "./attributes.tsx";
import { Attempts, StartedBy, Summary } from "./runs-table.tsx";

interface RunHeadProps {
  run: Snapshot;
  /** Summary of the node states, as in the picture. */
  nodes: string;
  /** Language model usage as text; undefined if no usage was reported. */
  usage: string | undefined;
  opsContext: OpsContext;
}

export function RunHead({ run, nodes, usage, opsContext }: RunHeadProps) {
  const { graph_id: id, worker, parent, children, forked_from: forkedFrom, started_ms: startedMs } = run;
  const endMs = run.finished_ms ?? opsContext.nowMs;
  return (
    <div class="stack-tight">
      <nav class="crumbs" aria-label="Breadcrumbs">
        <a href={RUNS_PATH}>Runs</a> <span aria-hidden="true">›</span>{" "}
        <a href={`${RUNS_PATH}?${queryText({ worker })}`}>{worker}</a>
        {parent === null ? null : (
          <span>
            {" "}
            part of <a href={`${RUNS_PATH}/${parent.graph_id}`}>{parent.node ?? parent.graph_id}</a>
          </span>
        )}
        {forkedFrom === null ? null : (
          <span>
            {" "}
            forked from <a href={`${RUNS_PATH}/${forkedFrom}`}>{forkedFrom}</a>
          </span>
        )}
      </nav>
      <div class="title">
        <h1>{worker}</h1>
        <Mark looks={graphStyle(run, opsContext.nowMs)} />
        <code class="quiet" data-copy-id="the ID">
          {id}
        </code>
        <p class="links">
          <a href={compareHref(id, forkedFrom ?? undefined)}>
            {forkedFrom === null ? "Compare with another run" : "Compare with the run it was forked from"}
          </a>
        </p>
      </div>
      <Summary run={run} opsContext={opsContext} />
      <dl class="facts">
        <div>
          <dt>Accepted</dt>
          <dd>
            <Time ms={run.created_ms} opsContext={opsContext} />
          </dd>
        </div>
        <div>
          <dt>{startedMs === null ? "Starts" : "Duration"}</dt>
          <dd>
            {startedMs === null ? <Time ms={run.due_ms} opsContext={opsContext} /> : durationText(endMs - startedMs)}
          </dd>
        </div>
        {run.concurrency_key === null ? null : (
          <div>
            <dt>{run.is_queued ? "Waits for the key" : "Key"}</dt>
            <dd>{run.concurrency_key === "" ? "all runs of this graph" : run.concurrency_key}</dd>
          </div>
        )}
        {run.origin === null ? null : (
          <div>
            <dt>Started by</dt>
            <dd>
              <StartedBy run={run} />
            </dd>
          </div>
        )}
        <div>
          <dt>Nodes</dt>
          <dd>{nodes}</dd>
        </div>
        <div>
          <dt>Attempts</dt>
          <dd>
            <Attempts run={run} />
          </dd>
        </div>
        {run.epoch === 1 ? null : (
          <div>
            <dt>Run</dt>
            <dd>{`${ordinalText(run.epoch)} execution`}</dd>
          </div>
        )}
        {run.version === null ? null : (
          <div>
            <dt>Version</dt>
            <dd>{run.version}</dd>
          </div>
        )}
        {run.progress === null ? null : (
          <div>
            <dt>Progress</dt>
            <dd>{progressText(run.progress)}</dd>
          </div>
        )}
        {usage === undefined ? null : (
          <div>
            <dt>Models</dt>
            <dd>{usage}</dd>
          </div>
        )}
        {run.tags.length === 0 ? null : (
          <div>
            <dt>Tags</dt>
            <dd>
              {run.tags.map((tag) => (
                <a class="tag" href={`${RUNS_PATH}?${queryText({ tag })}`} key={tag}>
                  {tag}
                </a>
              ))}
            </dd>
          </div>
        )}
        {Object.keys(run.attributes).length === 0 ? null : (
          <div>
            <dt>Attributes</dt>
            <dd>
              <Attributes run={run} opsContext={opsContext} />
            </dd>
          </div>
        )}
        {children.length === 0 ? null : (
          <div>
            <dt>Child runs</dt>
            <dd>
              <a
                href={`${RUNS_PATH}?${queryText({ parent: id })}`}
              >{`${countText(children.length)} run${children.length === 1 ? "" : "s"}`}</a>
            </dd>
          </div>
        )}
      </dl>
    </div>
  );
}

function progressText(progress: NonNullable<Snapshot["progress"]>): string {
  const { value: share, note } = progress;
  return `${Math.round(share * 100)} %${note === undefined ? "" : `, ${note}`}`;
}
