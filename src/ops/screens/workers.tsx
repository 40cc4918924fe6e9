/** The graphs and workers of the app with their limits, and a form to start one. */
import type { Entry } from "../../index.ts";
import { PATHS } from "../../internal.ts";
import type { ClusterQueue, ProcessView } from "../../ops.ts";
import { ProcessesTable } from "./processes.tsx";
import { OPS_PATH } from "../operator-access.ts";
import type { OpsContext, Screens } from "../ops-context.ts";
import { screen } from "../screen.tsx";
import { commandsOf } from "../views/cli-commands.ts";
import { queryText } from "../views/runs/runs-query.ts";
import { workerViews, type WorkerView } from "../views/workers.ts";
import { CommandsPanel, Empty, StepButton, StepForm } from "./parts.tsx";
import { Heads } from "./table-head.tsx";

interface WorkersData {
  workers: WorkerView[];
  graphs: { name: string; nodes: number; versions: string[]; isWorker: boolean }[];
  queues: ReadonlyMap<string, ClusterQueue>;
  processes: ProcessView[];
}

export function workerScreens(screens: Screens): Entry[] {
  return [
    screen<WorkersData>(screens, "/workers", {
      title: "Workers",
      section: "Workers",
      follows: () => ["graphs", "controls", "processes"],
      load: async ({ app }) => {
        const { definitions } = app;
        const [queues, processes] = await Promise.all([app.operations.queues(), app.operations.processes()]);
        return {
          workers: workerViews(definitions),
          graphs: [...definitions].map(([name, versions]) => ({
            name,
            nodes: versions.at(-1)?.nodes.length ?? 0,
            versions: versions.flatMap(({ options }) => options.version ?? []),
            isWorker: versions.at(-1)?.nodes.every(({ worker }) => worker.name === name) ?? false,
          })),
          queues: new Map(queues.map((queue) => [queue.worker, queue])),
          processes,
        };
      },
      view: (data, opsContext) => <Workers data={data} opsContext={opsContext} />,
    }),
  ];
}

function Workers({ data, opsContext }: { data: WorkersData; opsContext: OpsContext }) {
  const { workers, graphs, queues, processes } = data;
  return (
    <>
      <div class="title">
        <h1>Workers</h1>
        <p class="quiet">and graphs that this app's code defines</p>
      </div>
      {workers.length === 0 ? (
        <Empty title="This app has no workers">
          <p>
            Define them in <code>{"createFullStackApp({ workers, graphs })"}</code>.
          </p>
        </Empty>
      ) : (
        <WorkersTable workers={workers} queues={queues} />
      )}
      <section aria-labelledby="processes">
        <div class="head">
          <h2 id="processes">Processes</h2>
          <p class="quiet">that share the database</p>
        </div>
        <div data-live="processes">
          <ProcessesTable processes={processes} opsContext={opsContext} />
        </div>
      </section>
      {graphs.length === 0 ? null : (
        <div class="columns">
          <section aria-labelledby="startable">
            <h2 id="startable">Graphs and workers</h2>
            <Startable graphs={graphs} />
          </section>
          <section aria-labelledby="start">
            <h2 id="start">Start a run</h2>
            <StepForm opsContext={opsContext} action="/runs/start" class="stack panel">
              <label>
                Graph or worker
                <select name="worker">
                  {graphs.map(({ name }) => (
                    <option value={name} key={name}>
                      {name}
                    </option>
                  ))}
                </select>
              </label>
              <label>
                Input, as JSON; empty means null
                <textarea name="input" rows={5} spellcheck={false}></textarea>
              </label>
              <label>
                Reason (recorded in the audit trail)
                <input name="note" maxlength={500} autocomplete="off" />
              </label>
              <span class="buttons">
                <StepButton opsContext={opsContext} label="Start" tone="main" />
              </span>
            </StepForm>
          </section>
        </div>
      )}
      <CommandsPanel
        label="Start as command"
        commands={commandsOf(
          opsContext.origin,
          "POST",
          PATHS.graphs,
          `svc graph start ${graphs[0]?.name ?? "<name>"} --input '…'`,
          { worker: graphs[0]?.name ?? "<name>", input: null },
        )}
      />
    </>
  );
}

function WorkersTable({ workers, queues }: { workers: readonly WorkerView[]; queues: WorkersData["queues"] }) {
  return (
    <div class="scroll" data-live="workers">
      <table>
        <Heads
          columns={[
            "Worker",
            ["Running", "number"],
            ["Waiting", "number"],
            "Concurrency",
            "Rate",
            ["Max attempts", "number"],
            "Timeout",
            "Runs in",
            "Used by",
          ]}
        />
        <tbody>
          {workers.map((worker) => (
            <tr id={worker.name} key={worker.name}>
              <th scope="row" data-label="Worker">
                {worker.name}
              </th>
              <td data-label="Running" class="number">
                {queues.get(worker.name)?.running ?? 0}
              </td>
              <td data-label="Waiting" class="number">
                {queues.get(worker.name)?.waiting ?? 0}
              </td>
              <td data-label="Concurrency">{`${worker.concurrency}${worker.isKeyed ? ", limited per key" : ""}`}</td>
              <td data-label="Rate">{worker.rate ?? "–"}</td>
              <td data-label="Max attempts" class="number">
                {worker.tries}
              </td>
              <td data-label="Timeout">{worker.timeout ?? "–"}</td>
              <td data-label="Runs in">{worker.isIsolated ? "a thread" : "the process"}</td>
              <td data-label="Used by">
                {worker.graphs.map((name) => (
                  <a class="tag" href={`${OPS_PATH}/runs?${queryText({ worker: name })}`} key={name}>
                    {name}
                  </a>
                ))}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Startable({ graphs }: { graphs: WorkersData["graphs"] }) {
  return (
    <div class="scroll">
      <table>
        <Heads columns={["Name", "Kind", ["Nodes", "number"], "Versions"]} />
        <tbody>
          {graphs.map(({ name, nodes, versions, isWorker }) => (
            <tr key={name}>
              <th scope="row" data-label="Name">
                <a href={`${OPS_PATH}/runs?${queryText({ worker: name })}`} data-row>
                  {name}
                </a>
              </th>
              <td data-label="Kind">{isWorker ? "worker" : "graph"}</td>
              <td data-label="Nodes" class="number">
                {nodes}
              </td>
              <td data-label="Versions">{versions.join(", ") || "–"}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
