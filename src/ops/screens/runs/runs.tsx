/** The runs list: filter form, chips, cursor pages and export. */
import { redirect, route, type Context, type Entry } from "../../../index.ts";
import type { Snapshot } from "../../../graph.ts";
import { OPS_PATH, RUNS_PATH } from "../../operator-access.ts";
import type { OpsContext, Screens } from "../../ops-context.ts";
import { screen } from "../../screen.tsx";
import { listCommands } from "../../views/cli-commands.ts";
import { histogramOf, type Histogram } from "../../views/histogram.ts";
import { exportBody, EXPORTS } from "../../views/runs/export.ts";
import { mayChange } from "../../views/status-style.ts";
import {
  chipsOf,
  endpointQueryOf,
  graphQueryOf,
  lengthMsOf,
  PAGE_SIZE,
  queryText,
  readRunsQuery,
  SINCE,
  LENGTH_PATTERN,
  STATUSES,
  type RunsFilter,
  type RunsQuery,
} from "../../views/runs/runs-query.ts";
import { ORIGINS } from "../../views/runs/run-summary.ts";
import { tagGroupsOf, type TagGroups } from "../../views/runs/tag-groups.ts";
import { countText } from "../../views/format.ts";
import { typicalDurations, type TypicalDuration } from "../../views/typical-durations.ts";
import { BulkBar, bulkScreens, CompareBar } from "../bulk/bulk.tsx";
import { ChipList } from "../chips.tsx";
import { CommandsPanel, Pager } from "../parts.tsx";
import { DurationsPanel } from "./durations.tsx";
import { NoRuns, RunsTable } from "./runs-table.tsx";
import { SavedViews, savedViewsRoute } from "./saved-views.tsx";
import { TagGroupsPanel } from "./tag-groups.tsx";

/** Maximum count for filters other than status and worker. */
const COUNTED = 1000;

interface RunsData extends RunsQuery {
  runs: Snapshot[];
  total: number;
  next: string | undefined;
  workers: string[];
  histogram: Histogram | undefined;
  /** Undefined: not requested. */
  groups: TagGroups | undefined;
  usual: ReadonlyMap<string, TypicalDuration>;
}

export function runsScreens(screens: Screens): Entry[] {
  return [
    screen<RunsData>(screens, "/runs", {
      title: "Runs",
      section: "Runs",
      load: loadRuns,
      follows: () => ["graphs"],
      isActive: ({ runs }) => runs.some(mayChange),
      view: (data, opsContext) => <Runs data={data} opsContext={opsContext} />,
    }),
    ...bulkScreens(screens),
    savedViewsRoute(screens),
    route("GET", "/runs/export", (ctx) => exportRuns(ctx, screens)),
  ];
}

async function loadRuns({ ctx, app, nowMs, redact }: OpsContext): Promise<RunsData> {
  const query = readRunsQuery(ctx.query, redact);
  const { filter, view, cursor } = query;
  const { longer, shorter, ...others } = filter;
  const { tag: _tag, ...anyTag } = filter;
  const [page, durations, tags] = await Promise.all([
    app.engine.list({ ...graphQueryOf(filter, nowMs), limit: PAGE_SIZE, ...(cursor !== undefined && { cursor }) }),
    app.engine.durations(graphQueryOf(others, nowMs)),
    view.group === undefined ? undefined : app.engine.tagCounts(graphQueryOf(anyTag, nowMs)),
  ]);
  const chosen = { longerMs: lengthMsOf(longer), shorterMs: lengthMsOf(shorter) };
  const workers = [...app.definitions.keys()].sort();
  return {
    ...query,
    runs: page.items,
    total: page.total,
    next: page.nextCursor,
    workers,
    histogram: histogramOf(durations, chosen),
    groups: tags && tagGroupsOf(tags),
    usual: await typicalDurations(
      app,
      page.items.map(({ worker }) => worker),
      nowMs,
    ),
  };
}

function Runs({ data, opsContext }: { data: RunsData; opsContext: OpsContext }) {
  const { filter, view, runs, total, next, histogram, groups, usual } = data;
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
      <SavedViews opsContext={opsContext} query={queryText(view)} />
      <div data-live="durations">
        {histogram === undefined ? null : <DurationsPanel histogram={histogram} filter={view} />}
      </div>
      <div data-live="groups">{groups === undefined ? null : <TagGroupsPanel groups={groups} view={view} />}</div>
      <div data-live="runs">
        {runs.length === 0 ? (
          <NoRuns opsContext={opsContext} isFiltered={isFiltered} />
        ) : (
          <form method="get" action={`${RUNS_PATH}/bulk`}>
            {Object.entries(filter).map(([name, value]) => (
              <input type="hidden" name={name} value={value} key={name} />
            ))}
            <RunsTable runs={runs} opsContext={opsContext} usual={usual} canChoose />
            <BulkBar total={total} opsContext={opsContext} />
            <CompareBar />
          </form>
        )}
        <Pager
          href={next === undefined ? undefined : `${RUNS_PATH}?${queryText(view, { cursor: next })}`}
          text={`${countText(runs.length)} of ${totalText(data)}`}
        />
      </div>
      <CommandsPanel
        commands={listCommands(opsContext.origin, { ...filter }, endpointQueryOf(filter, opsContext.nowMs))}
      />
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
        <a href={`${RUNS_PATH}/export?${queryText(filter, { format })}`} key={format}>
          {format === "csv" ? "CSV" : "NDJSON"}
        </a>
      ))}
    </p>
  );
}

function FilterForm({ data: { filter, view, workers } }: { data: RunsData }) {
  return (
    <form method="get" action={RUNS_PATH} class="filters" role="search" aria-label="Filter runs">
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
      <ChoiceField name="since" label="Started in" otherwise="any time" choices={SINCE} value={filter.since} />
      <ChoiceField name="ended" label="Ended in" otherwise="any time" choices={SINCE} value={filter.ended} />
      <LengthField name="longer" label="Duration at least" value={filter.longer} />
      <LengthField name="shorter" label="Duration under" value={filter.shorter} />
      <label>
        Tag
        <input name="tag" value={filter.tag ?? ""} autocomplete="off" />
      </label>
      <label>
        Attributes
        <input
          name="attributes"
          value={filter.attributes ?? ""}
          placeholder="plan=pro cents>=500"
          title="Conditions that must all hold: plan=pro cents>=500. A text with spaces needs double quotes"
          autocomplete="off"
          spellcheck={false}
        />
      </label>
      <ChoiceField name="origin" label="Started by" otherwise="anything" choices={ORIGINS} value={filter.origin} />
      <label>
        Summary contains
        <input name="summary" value={filter.summary ?? ""} autocomplete="off" />
      </label>
      <label>
        Error contains
        <input name="error" value={filter.error ?? ""} autocomplete="off" />
      </label>
      <label>
        ID starts with
        <input name="id" value={filter.id ?? ""} autocomplete="off" spellcheck={false} data-key="/" />
      </label>
      <ChoiceField name="group" label="Group by" otherwise="nothing" choices={GROUPS} value={view.group} />
      <button type="submit" class="button" data-tone="main">
        Filter
      </button>
    </form>
  );
}

const GROUPS: ChoiceFieldProps["choices"] = [["tag", "tag"]];

interface ChoiceFieldProps {
  name: string;
  label: string;
  /** The label of the empty choice. */
  otherwise: string;
  choices: readonly (readonly [value: string, label: string])[];
  value: string | undefined;
}

function ChoiceField({ name, label, otherwise, choices, value }: ChoiceFieldProps) {
  return (
    <label>
      {label}
      <select name={name}>
        <option value="">{otherwise}</option>
        {choices.map(([choice, words]) => (
          <option value={choice} selected={value === choice} key={choice}>
            {words}
          </option>
        ))}
      </select>
    </label>
  );
}

function LengthField({ name, label, value }: { name: string; label: string; value: string | undefined }) {
  return (
    <label>
      {label}
      <input
        name={name}
        value={value ?? ""}
        placeholder="30s"
        pattern={LENGTH_PATTERN}
        title="A duration: 500ms, 30s, 5m, 2h, 1d"
        autocomplete="off"
        spellcheck={false}
      />
    </label>
  );
}

function Chips({ data: { view, problems } }: { data: RunsData }) {
  return (
    <>
      {problems.map((problem) => (
        <p class="notice" data-tone="bad" key={problem}>
          {problem}
        </p>
      ))}
      <ChipList
        chips={chipsOf(view).map(({ label, value, without }) => ({
          label,
          value,
          href: without === "" ? RUNS_PATH : `${RUNS_PATH}?${without}`,
        }))}
      />
    </>
  );
}

/** Exports the list as a file. */
async function exportRuns(ctx: Context, { app, gate, redact }: Screens) {
  const access = await gate.access(ctx);
  if ("denial" in access) return redirect(OPS_PATH);
  const { filter } = readRunsQuery(ctx.query, redact);
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
    body: exportBody(format, redact, async (cursor) =>
      engine.list({ ...query, limit: 200, ...(cursor !== undefined && { cursor }) }),
    ),
  };
}
