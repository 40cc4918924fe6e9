/** Lists what needs attention: grouped failures, runs that wait for a signal or are stuck, disabled webhooks and rejected clients. */
import type { App } from "../../index.ts";
import type { RefusedCaller } from "../../ops.ts";
import type { Snapshot } from "../../graph.ts";
import { OPS_PATH } from "../operator-access.ts";
import type { OpsContext } from "../ops-context.ts";
import type { FailureGroup } from "../views/runs/failures.ts";
import { stateOf } from "../views/webhooks/receiver.ts";
import { queryText } from "../views/runs/runs-query.ts";
import { lastProgressMs } from "../views/stuck.ts";
import { countText } from "../views/format.ts";
import { Empty, Time } from "./parts.tsx";
import { RefusedItem } from "./requests.tsx";

export type Hook = Awaited<ReturnType<App["webhooks"]["get"]>>;

interface AttentionProps {
  groups: readonly FailureGroup[];
  waiting: readonly Snapshot[];
  /** Number of running runs. */
  running: number;
  /** Runs without progress. */
  stuck: readonly Snapshot[];
  /** Webhooks that were disabled after failures. */
  dead: readonly Hook[];
  /** Clients that a rate limit has rejected. */
  refused: readonly RefusedCaller[];
  opsContext: OpsContext;
}

/** Number of running runs that are searched for waiting ones. */
const LOOKED = 2000;

/** Whether the node waits for a signal from outside. */
function isWaitingForSignal({ status, kind }: Snapshot["nodes"][number]): boolean {
  return kind === "wait" && status === "waiting";
}

export function Attention({ groups, waiting, running, stuck, dead, refused, opsContext }: AttentionProps) {
  if ([groups, waiting, stuck, dead, refused].every((list) => list.length === 0))
    return (
      <Empty title="All clear">
        <p>{`No run has failed in the last hour, and none${running > LOOKED ? ` of the oldest ${countText(LOOKED)}` : ""} waits for a signal.`}</p>
      </Empty>
    );
  return (
    <ul class="trouble">
      {groups.map((group) => (
        <li key={`${group.worker} ${group.latest}`}>
          <span class="trouble-count">{countText(group.count)}</span>
          <div>
            <a class="trouble-text" href={`${OPS_PATH}/runs?${groupQuery(group)}`} title={group.message} data-row>
              {group.message}
            </a>
            <p class="quiet">
              {group.node === undefined || group.node === group.worker
                ? group.worker
                : `${group.worker} › ${group.node}`}
              {", last "}
              <Time ms={group.lastMs} opsContext={opsContext} />
              {group.count > 1 ? ", first " : ""}
              {group.count > 1 ? <Time ms={group.firstMs} opsContext={opsContext} /> : null}
            </p>
          </div>
          <form method="get" action={`${OPS_PATH}/runs/bulk`}>
            {Object.entries(groupFilter(group)).map(([name, text]) => (
              <input type="hidden" name={name} value={text} key={name} />
            ))}
            <input type="hidden" name="which" value="all" />
            <button type="submit" class="button" name="step" value="retry">
              Retry all…
            </button>
          </form>
        </li>
      ))}
      {waiting.map((run) => (
        <li key={run.graph_id}>
          <span class="trouble-count" data-tone="wait">
            waiting
          </span>
          <div>
            <a class="trouble-text" href={`${OPS_PATH}/runs/${run.graph_id}`} data-row>
              {`${run.worker} waits for a signal`}
            </a>
            <p class="quiet">
              {waitsAt(run)}, started <Time ms={run.created_ms} opsContext={opsContext} />
            </p>
          </div>
          <a class="button" href={`${OPS_PATH}/runs/${run.graph_id}#signal`}>
            Answer…
          </a>
        </li>
      ))}
      {stuck.map((run) => (
        <StuckRun run={run} opsContext={opsContext} key={run.graph_id} />
      ))}
      {dead.map((hook) => (
        <DeadHook hook={hook} opsContext={opsContext} key={hook.id} />
      ))}
      {refused.map((caller) => (
        <RefusedItem caller={caller} opsContext={opsContext} key={`${caller.limit} ${caller.client}`} />
      ))}
    </ul>
  );
}

function StuckRun({ run, opsContext }: { run: Snapshot; opsContext: OpsContext }) {
  const running = run.nodes.filter(({ status }) => status === "running").map(({ id }) => id);
  const more = running.length > 1 ? ` and ${countText(running.length - 1)} more` : "";
  return (
    <li>
      <span class="trouble-count" data-tone="warn">
        stuck
      </span>
      <div>
        <a class="trouble-text" href={`${OPS_PATH}/runs/${run.graph_id}`} data-row>
          {`${run.worker} has made no progress for a while`}
        </a>
        <p class="quiet">
          {running.length === 0 ? "no node is running" : `${running[0]}${more} running`}, last progress{" "}
          <Time ms={lastProgressMs(run)} opsContext={opsContext} />
        </p>
      </div>
      <a class="button" href={`${OPS_PATH}/runs/${run.graph_id}`}>
        View…
      </a>
    </li>
  );
}

function DeadHook({ hook, opsContext }: { hook: Hook; opsContext: OpsContext }) {
  const at = `${OPS_PATH}/webhooks/${hook.id}`;
  return (
    <li>
      <span class="trouble-count">off</span>
      <div>
        <a class="trouble-text" href={at} data-row>
          {`The webhook ${new URL(hook.url).host} is ${stateOf(hook).word}`}
        </a>
        <p class="quiet">
          {hook.description === "" ? "" : `${hook.description}, `}added{" "}
          <Time ms={hook.created_ms} opsContext={opsContext} />
        </p>
      </div>
      <a class="button" href={`${at}/recover`}>
        Resend failed deliveries…
      </a>
    </li>
  );
}

function groupFilter({ worker, text }: FailureGroup): Record<string, string> {
  return { status: "failed", worker, ended: "1h", ...(text !== "" && { error: text }) };
}

function groupQuery(group: FailureGroup): string {
  return queryText(groupFilter(group));
}

function waitsAt({ nodes }: Snapshot): string {
  return nodes
    .filter(isWaitingForSignal)
    .map(({ id }) => id)
    .join(", ");
}
