/** What needs somebody: failures by what they have in common, and runs that wait for a word from outside. */
import type { Snapshot } from "../../../graph.ts";
import { OPS_PATH } from "../access.ts";
import type { Look } from "../look.ts";
import type { FailureGroup } from "../views/failures.ts";
import { queryText } from "../views/runs-query.ts";
import { countText } from "../views/text.ts";
import { Empty, Time } from "./parts.tsx";

interface AttentionProps {
  groups: readonly FailureGroup[];
  waiting: readonly Snapshot[];
  look: Look;
}

/** Whether it waits for a signal from outside. */
export function isSomebodysTurn({ status, kind }: Snapshot["nodes"][number]): boolean {
  return kind === "wait" && status === "waiting";
}

export function Attention({ groups, waiting, look }: AttentionProps) {
  if (groups.length === 0 && waiting.length === 0)
    return (
      <Empty title="Nothing">
        <p>No run has failed in the last hour, and none waits for somebody.</p>
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
              <Time ms={group.lastMs} look={look} />
              {group.count > 1 ? ", first " : ""}
              {group.count > 1 ? <Time ms={group.firstMs} look={look} /> : null}
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
            wait
          </span>
          <div>
            <a class="trouble-text" href={`${OPS_PATH}/runs/${run.graph_id}`} data-row>
              {`${run.worker} waits for a signal`}
            </a>
            <p class="quiet">
              {waitsAt(run)}, started <Time ms={run.created_ms} look={look} />
            </p>
          </div>
          <a class="button" href={`${OPS_PATH}/runs/${run.graph_id}#signal`}>
            Answer…
          </a>
        </li>
      ))}
    </ul>
  );
}

function groupFilter({ worker, text }: FailureGroup): Record<string, string> {
  return { status: "failed", worker, since: "1h", ...(text !== "" && { error: text }) };
}

function groupQuery(group: FailureGroup): string {
  return queryText(groupFilter(group));
}

function waitsAt({ nodes }: Snapshot): string {
  return nodes
    .filter(isSomebodysTurn)
    .map(({ id }) => id)
    .join(", ");
}
