/** The queues of the workers: sizes, rates and pauses. */
import type { Entry } from "../../index.ts";
import { PATHS } from "../../internal.ts";
import type { ClusterQueue } from "../../ops.ts";
import { OPS_PATH } from "../operator-access.ts";
import { operatorRoute } from "../operator-route.ts";
import type { OpsContext, Screens } from "../ops-context.ts";
import { screen } from "../screen.tsx";
import { commandsOf } from "../views/cli-commands.ts";
import { emptyText, ratesText, rateText } from "../views/queue-drain.ts";
import { countText, durationText } from "../views/format.ts";
import { concurrencyByWorker } from "../views/workers.ts";
import { CommandsPanel, Empty, StepButton, StepForm, Time } from "./parts.tsx";
import { Heads } from "./table-head.tsx";

export function queueScreens(screens: Screens): Entry[] {
  return [
    screen<ClusterQueue[]>(screens, "/queues", {
      title: "Queues",
      section: "Queues",
      follows: () => ["graphs", "controls"],
      load: ({ app }) => app.operations.queues(),
      isActive: (queues) => queues.some(({ waiting, running }) => waiting + running > 0),
      view: (queues, opsContext) => <Queues queues={queues} opsContext={opsContext} />,
    }),
    ...(["pause", "resume"] as const).map((step) =>
      operatorRoute(screens, `/queues/:worker/${step}`, async ({ app, params, auditContext }) => {
        const { worker, waiting } = await app.engine.queues[step](params["worker"] ?? "", auditContext);
        const flash = step === "pause" ? "is paused: running nodes finish, no new ones start" : "is resumed";
        return { tone: "good", text: `The queue ${worker} ${flash}. ${countText(waiting)} waiting.` };
      }),
    ),
  ];
}

function Queues({ queues, opsContext }: { queues: ClusterQueue[]; opsContext: OpsContext }) {
  return (
    <>
      <div class="title">
        <h1>Queues</h1>
        <p class="quiet">across all processes on this database</p>
      </div>
      <div data-live="queues">
        <QueuesTable
          queues={queues}
          opsContext={opsContext}
          concurrency={concurrencyByWorker(opsContext.app.definitions)}
        />
      </div>
      <CommandsPanel commands={commandsOf(opsContext.origin, "GET", PATHS.queues, "svc graph queues")} />
    </>
  );
}

interface QueuesTableProps {
  queues: readonly ClusterQueue[];
  opsContext: OpsContext;
  concurrency: ReadonlyMap<string, number>;
  /** The short form beside other content: without rates and state. */
  isShort?: boolean;
}

export function QueuesTable({ queues, opsContext, concurrency, isShort = false }: QueuesTableProps) {
  if (queues.length === 0)
    return (
      <Empty title="No workers">
        <p>A queue holds the nodes that wait for a worker. This app has no workers yet.</p>
      </Empty>
    );
  return (
    <div class="scroll">
      <table>
        <Heads
          columns={[
            "Worker",
            ["Waiting", "number"],
            ["Oldest", "number"],
            ["Running", "number"],
            ...(isShort ? [] : [["Incoming", "number"] as const, ["Finished", "number"] as const]),
            "Drained",
            ...(isShort ? [] : ["State"]),
            ["Actions", "steps"],
          ]}
        />
        <tbody>
          {queues.map((queue) => (
            <tr key={queue.worker}>
              <th scope="row" data-label="Worker">
                <a href={`${OPS_PATH}/workers#${queue.worker}`} data-row>
                  {queue.worker}
                </a>
              </th>
              <td data-label="Waiting" class="number">
                {countText(queue.waiting)}
              </td>
              <td data-label="Oldest" class="number">
                {queue.oldest_ms === null ? "–" : durationText(queue.oldest_ms)}
              </td>
              <td data-label="Running" class="number">
                {`${countText(queue.running)} / ${concurrency.get(queue.worker) ?? "–"}`}
              </td>
              {isShort ? null : (
                <td
                  data-label="Incoming"
                  class="number"
                  title="Nodes that became ready in the last two minutes, including retries"
                >
                  {rateText(queue.ready_per_minute)}
                </td>
              )}
              {isShort ? null : (
                <td data-label="Finished" class="number" title="Attempts that ended in the last five minutes">
                  {rateText(queue.ended_per_minute)}
                </td>
              )}
              <td data-label="Drained" title={ratesText(queue)}>
                {emptyText(queue) ?? <span class="quiet">–</span>}
              </td>
              {isShort ? null : (
                <td data-label="State">
                  <State queue={queue} opsContext={opsContext} />
                </td>
              )}
              <td data-label="">
                <StepForm
                  opsContext={opsContext}
                  action={`/queues/${encodeURIComponent(queue.worker)}/${queue.paused ? "resume" : "pause"}`}
                  class="actions"
                >
                  <StepButton
                    opsContext={opsContext}
                    label={queue.paused ? "Resume" : "Pause"}
                    name={`${queue.paused ? "Resume" : "Pause"} ${queue.worker}`}
                  />
                </StepForm>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function State({ queue, opsContext }: { queue: ClusterQueue; opsContext: OpsContext }) {
  if (!queue.paused) return <span class="quiet">open</span>;
  return (
    <span data-tone="held">
      paused {queue.paused_ms === null ? null : <Time ms={queue.paused_ms} opsContext={opsContext} />}
      {queue.paused_by === null ? "" : ` by ${queue.paused_by}`}
      {queue.note === null ? "" : `: ${queue.note}`}
    </span>
  );
}
