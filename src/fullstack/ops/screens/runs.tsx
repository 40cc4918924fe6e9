/** The list of runs: filters as a form, chips, pages by cursor, the same step for many, and the list as a file. */
import { redirect, route, type Context, type Entry } from "../../../index.ts";
import type { Snapshot } from "../../../graph.ts";
import { OPS_PATH } from "../access.ts";
import { operatorRoute } from "../operator-route.ts";
import type { Look, Screens } from "../look.ts";
import { screen } from "../screen.tsx";
import { BULK_STEPS, readBulk, type BulkChoice } from "../views/bulk.ts";
import { listCommands } from "../views/commands.ts";
import { exportBody, EXPORTS } from "../views/export.ts";
import { graphLooks } from "../views/looks.ts";
import {
  chipsOf,
  graphQueryOf,
  PAGE_SIZE,
  queryText,
  readRunsQuery,
  SINCE,
  STATUSES,
  type RunsFilter,
  type RunsQuery,
} from "../views/runs-query.ts";
import { countText, durationText, shortId } from "../views/text.ts";
import { CommandsPanel, Empty, Mark, Pager, StepButton, StepForm, Time } from "./parts.tsx";

const RUNS = `${OPS_PATH}/runs`;
/** As far as a list with other conditions than status and worker is counted. */
const COUNTED = 1000;

interface RunsData extends RunsQuery {
  runs: Snapshot[];
  total: number;
  next: string | undefined;
  workers: string[];
}

export function runsScreens(screens: Screens): Entry[] {
  return [
    screen<RunsData>(screens, "/runs", {
      title: "Runs",
      section: "Runs",
      load: loadRuns,
      view: (data, look) => <Runs data={data} look={look} />,
    }),
    screen<BulkData>(screens, "/runs/bulk", {
      title: "Many runs at once",
      section: "Runs",
      load: loadBulk,
      view: (data, look) => <Bulk data={data} look={look} />,
    }),
    operatorRoute(screens, "/runs/bulk", runBulk),
    route("GET", "/runs/export", (ctx) => exportRuns(ctx, screens)),
  ];
}

async function loadRuns({ ctx, app, nowMs }: Look): Promise<RunsData> {
  const query = readRunsQuery(ctx.query);
  const { filter, cursor } = query;
  const page = await app.engine.list({
    ...graphQueryOf(filter, nowMs),
    limit: PAGE_SIZE,
    ...(cursor !== undefined && { cursor }),
  });
  const workers = [...app.definitions.keys()].sort();
  return { ...query, runs: page.items, total: page.total, next: page.nextCursor, workers };
}

function Runs({ data, look }: { data: RunsData; look: Look }) {
  const { filter, runs, total, next } = data;
  const isFiltered = Object.keys(filter).length > 0;
  return (
    <>
      <div class="title">
        <h1>Runs</h1>
        <p class="quiet" data-live="total">
          {totalText(data)}
        </p>
        <ExportLinks filter={filter} />
      </div>
      <FilterForm data={data} />
      <Chips data={data} />
      <div data-live="runs">
        {runs.length === 0 ? (
          <NoRuns isFiltered={isFiltered} />
        ) : (
          <form method="get" action={`${RUNS}/bulk`}>
            {Object.entries(filter).map(([name, value]) => (
              <input type="hidden" name={name} value={value} key={name} />
            ))}
            <RunsTable runs={runs} look={look} canChoose />
            <BulkBar total={total} look={look} />
          </form>
        )}
        <Pager
          href={next === undefined ? undefined : `${RUNS}?${queryText(filter, { cursor: next })}`}
          text={`${countText(runs.length)} of ${totalText(data)}`}
        />
      </div>
      <CommandsPanel commands={listCommands(look.origin, { ...filter })} />
    </>
  );
}

function totalText({ total, filter }: Pick<RunsData, "total" | "filter">): string {
  const isCounted = Object.keys(filter).every((name) => name === "status" || name === "worker");
  return `${countText(total)}${!isCounted && total >= COUNTED ? " or more" : ""} run${total === 1 ? "" : "s"}`;
}

function ExportLinks({ filter }: { filter: RunsFilter }) {
  return (
    <p class="links">
      Export{" "}
      {EXPORTS.map((format) => (
        <a href={`${RUNS}/export?${queryText(filter, { format })}`} key={format}>
          {format === "csv" ? "CSV" : "NDJSON"}
        </a>
      ))}
    </p>
  );
}

function FilterForm({ data: { filter, workers } }: { data: RunsData }) {
  return (
    <form method="get" action={RUNS} class="filters" role="search" aria-label="Filter runs">
      <label>
        Status
        <select name="status">
          <option value="">all</option>
          {STATUSES.map((status) => (
            <option value={status} selected={filter.status === status} key={status}>
              {status}
            </option>
          ))}
        </select>
      </label>
      <label>
        Worker
        <input name="worker" value={filter.worker ?? ""} list="workers" autocomplete="off" />
        <datalist id="workers">
          {workers.map((worker) => (
            <option value={worker} key={worker}></option>
          ))}
        </datalist>
      </label>
      <label>
        Started in
        <select name="since">
          <option value="">all time</option>
          {SINCE.map(([value, label]) => (
            <option value={value} selected={filter.since === value} key={value}>
              {label}
            </option>
          ))}
        </select>
      </label>
      <label>
        Tag
        <input name="tag" value={filter.tag ?? ""} autocomplete="off" />
      </label>
      <label>
        Error holds
        <input name="error" value={filter.error ?? ""} autocomplete="off" />
      </label>
      <label>
        Id begins with
        <input name="id" value={filter.id ?? ""} autocomplete="off" spellcheck={false} data-key="/" />
      </label>
      <button type="submit" class="button" data-tone="main">
        Filter
      </button>
    </form>
  );
}

function Chips({ data: { filter, problems } }: { data: RunsData }) {
  const chips = chipsOf(filter);
  return (
    <>
      {problems.map((problem) => (
        <p class="notice" data-tone="bad" key={problem}>
          {problem}
        </p>
      ))}
      {chips.length === 0 ? null : (
        <ul class="chips" aria-label="Filters in force">
          {chips.map(({ label, value, without }) => (
            <li key={label}>
              <a class="chip" href={without === "" ? RUNS : `${RUNS}?${without}`} aria-label={`Drop ${label} ${value}`}>
                <span class="quiet">{label}</span> {value} <span aria-hidden="true">×</span>
              </a>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

export function NoRuns({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered)
    return (
      <Empty title="No run fits these filters">
        <p>
          Drop one of them above, or <a href={RUNS}>look at all runs</a>.
        </p>
      </Empty>
    );
  return (
    <Empty title="No graphs yet">
      <p>A worker is a function with a name; starting it is a run:</p>
      <pre tabindex={0}>
        <code>
          {`import { createFullStackApp } from "svc/fullstack";
import { worker } from "svc";

const greet = worker("greet", async (name: string) => \`Hello \${name}\`);
export default createFullStackApp({ workers: [greet] });
// app.engine.start("greet", "Ada"), or: svc graph start greet --input '"Ada"'`}
        </code>
      </pre>
    </Empty>
  );
}

/** Runs as rows, newest first. */
export function RunsTable({ runs, look, canChoose }: { runs: readonly Snapshot[]; look: Look; canChoose: boolean }) {
  const longest = Math.max(1, ...runs.map((run) => tookMs(run, look.nowMs)));
  return (
    <div class="scroll">
      <table class="runs">
        <thead>
          <tr>
            {canChoose ? <th scope="col" class="pick" aria-label="Choose"></th> : null}
            <th scope="col">Status</th>
            <th scope="col">Run</th>
            <th scope="col">Worker</th>
            <th scope="col">Started</th>
            <th scope="col">Duration</th>
            <th scope="col" class="number">
              Nodes
            </th>
            <th scope="col">Tags</th>
          </tr>
        </thead>
        <tbody>
          {runs.map((run) => (
            <tr key={run.graph_id}>
              {canChoose ? (
                <td class="pick">
                  <input type="checkbox" name="run" value={run.graph_id} aria-label={`Choose ${run.graph_id}`} />
                </td>
              ) : null}
              <td data-label="Status">
                <Mark looks={graphLooks(run, look.nowMs)} />
              </td>
              <td data-label="Run">
                <a class="id" href={`${RUNS}/${run.graph_id}`} title={run.graph_id} data-row>
                  {shortId(run.graph_id)}
                </a>
                <RunNote run={run} />
              </td>
              <td data-label="Worker">
                <a href={`${RUNS}?${queryText({ worker: run.worker })}`}>{run.worker}</a>
              </td>
              <td data-label="Started">
                <Time ms={run.created_ms} now={look.nowMs} />
              </td>
              <td data-label="Duration" class="length">
                <span class="length-text">{run.started_ms === null ? "–" : durationText(tookMs(run, look.nowMs))}</span>
                <span
                  class="length-bar"
                  style={`--share:${((tookMs(run, look.nowMs) / longest) * 100).toFixed(1)}%`}
                ></span>
              </td>
              <td data-label="Nodes" class="number">
                {nodesText(run)}
              </td>
              <td data-label="Tags">
                {run.tags.map((tag) => (
                  <a class="tag" href={`${RUNS}?${queryText({ tag })}`} key={tag}>
                    {tag}
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

/** What it came to, or how far it is. */
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

function nodesText({ nodes }: Snapshot): string {
  const outer = nodes.filter(({ kind }) => kind === "node");
  const done = outer.filter(({ status }) => status === "done" || status === "skipped").length;
  return `${countText(done)}/${countText(outer.length)}`;
}

function BulkBar({ total, look }: { total: number; look: Look }) {
  const canAct = look.visitor.role === "operator";
  return (
    <fieldset class="bulk" disabled={!canAct}>
      <legend>The same for many</legend>
      <label class="check">
        <input type="radio" name="which" value="chosen" checked /> those that are ticked
      </label>
      <label class="check">
        <input type="radio" name="which" value="all" /> {`all ${countText(total)} that the filters fit`}
      </label>
      <span class="buttons">
        {BULK_STEPS.map((step) => (
          <button type="submit" class="button" name="step" value={step} key={step}>
            {`${step[0]?.toUpperCase()}${step.slice(1)}…`}
          </button>
        ))}
      </span>
      {canAct ? (
        <p class="quiet">First you are told how many it is.</p>
      ) : (
        <p class="quiet">You may look, not change: the operator role is needed.</p>
      )}
    </fieldset>
  );
}

// Many at once.

interface BulkData {
  choice: BulkChoice;
  count: number;
}

async function loadBulk({ ctx, app, nowMs }: Look): Promise<BulkData> {
  const choice = readBulk(ctx.query);
  if (choice.ids) return { choice, count: choice.ids.length };
  const report = await app.engine.bulk(choice.step, { filter: graphQueryOf(choice.filter, nowMs), isDryRun: true });
  return { choice, count: report.matched };
}

const EFFECTS: Readonly<Record<BulkChoice["step"], string>> = {
  pause: "What runs goes on to its end; nothing new begins until they are resumed.",
  resume: "Those that are paused go on where they stopped.",
  cancel: "What runs is aborted, and what can be taken back is taken back. A cancelled run does not go on.",
  retry: "Those that have failed run again from what is not done. What is done stays done.",
};
/** More are confirmed by typing how many. */
const TYPED_FROM = 50;

function Bulk({ data: { choice, count }, look }: { data: BulkData; look: Look }) {
  const { step, ids, filter } = choice;
  const list = `${RUNS}?${queryText(filter)}`;
  if (count === 0)
    return (
      <>
        <h1>Nothing to do</h1>
        <Empty title="No run was ticked, or none fits the filters">
          <p>
            <a href={list}>Back to the list</a>
          </p>
        </Empty>
      </>
    );
  return (
    <>
      <h1>{`${step[0]?.toUpperCase()}${step.slice(1)} ${countText(count)} run${count === 1 ? "" : "s"}?`}</h1>
      <p>{EFFECTS[step]}</p>
      <p class="quiet">
        {ids
          ? "Those that you have ticked."
          : `All that fit: ${
              chipsOf(filter)
                .map(({ label, value }) => `${label} ${value}`)
                .join(", ") || "every run there is"
            }.`}{" "}
        Runs that don't allow it are left as they are, and counted.
      </p>
      <StepForm
        look={look}
        action="/runs/bulk"
        class="confirm"
        fields={{ ...filter, step, list, ...(ids && { runs: ids.join(",") }), expected: String(count) }}
      >
        <label>
          Why (kept in the audit trail)
          <input name="note" maxlength={500} autocomplete="off" />
        </label>
        {count > TYPED_FROM ? (
          <label>
            {`Type ${count} to confirm`}
            <input name="typed" required inputmode="numeric" autocomplete="off" pattern={String(count)} />
          </label>
        ) : null}
        <span class="buttons">
          <StepButton
            look={look}
            label={`${step[0]?.toUpperCase()}${step.slice(1)} ${countText(count)}`}
            tone={step === "cancel" ? "bad" : "main"}
          />
          <a class="button" href={list}>
            Leave them
          </a>
        </span>
      </StepForm>
    </>
  );
}

const runBulk: Parameters<typeof operatorRoute>[2] = async ({ app, fields, steering, nowMs }) => {
  const { step, ids, filter } = readBulk(new URLSearchParams(fields));
  const expected = Number(fields["expected"]);
  if (expected > TYPED_FROM && fields["typed"] !== String(expected))
    return { tone: "bad", text: `Nothing was done: ${expected} had to be typed to confirm.` };
  if (!ids) {
    const { changed, refused } = await app.engine.bulk(step, { ...steering, filter: graphQueryOf(filter, nowMs) });
    return bulkTold(step, changed, refused);
  }
  let changed = 0;
  for (const id of ids) {
    const isDone = await app.engine[step](id, steering).then(
      () => true,
      () => false,
    );
    changed += isDone ? 1 : 0;
  }
  return bulkTold(step, changed, ids.length - changed);
};

function bulkTold(step: string, changed: number, refused: number): { tone: "good"; text: string } {
  const left = refused === 0 ? "" : ` ${countText(refused)} did not allow it.`;
  return { tone: "good", text: `${step[0]?.toUpperCase()}${step.slice(1)}: ${countText(changed)} done.${left}` };
}

// As a file.

async function exportRuns(ctx: Context, { app, door }: Screens) {
  const access = await door.access(ctx);
  if ("denial" in access) return redirect(OPS_PATH);
  const { filter } = readRunsQuery(ctx.query);
  const format = EXPORTS.find((one) => one === ctx.query.get("format")) ?? "ndjson";
  const { engine, operations } = app();
  const query = graphQueryOf(filter, operations.nowMs());
  const type = format === "csv" ? "text/csv; charset=utf-8" : "application/x-ndjson";
  return {
    status: 200,
    headers: [
      "content-type",
      type,
      "content-disposition",
      `attachment; filename="runs.${format}"`,
      "cache-control",
      "no-store",
    ],
    body: exportBody(format, async (cursor) =>
      engine.list({ ...query, limit: 200, ...(cursor !== undefined && { cursor }) }),
    ),
  };
}
