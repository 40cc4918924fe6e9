/** `<OpsDashboard>`: the operator overview as a widget for the app's own pages. */
import { Await, type App } from "../../index.ts";
import { useApp } from "../../internal.ts";
import type { RecentActivity, RecentHour } from "../../ops.ts";
import { useLive, type LiveAttributes } from "../live/live-access.ts";
import type { LiveTopic } from "../live/topics.ts";
import { readOverviewView, type OverviewRun, type OverviewView } from "./overview-view.ts";
import { StatusMark } from "./status-mark.tsx";
import { countText, durationText } from "../views/format.ts";
import { cut } from "./truncate.ts";
import { WorkerTable } from "./worker-panel.tsx";

/** The data of an `<OpsDashboard>`. */
export interface Overview {
  view: OverviewView;
  runHref: string | undefined;
  /** What the widget follows. */
  topic: LiveTopic;
}

export interface OverviewOptions {
  /** URL of a run, with `:id` for its ID: `/jobs/:id`. Default: no links. */
  runHref?: string;
}

/**
 * Reads the overview for `<OpsDashboard>`. Show it to operators only: the visitor of the page may follow it.
 * @example
 * const overview = await readOverview(app, { runHref: "/jobs/:id" });
 */
export async function readOverview(app: App, { runHref }: OverviewOptions = {}): Promise<Overview> {
  const topic: LiveTopic = { topic: "overview", ...(runHref !== undefined && { runHref }) };
  return { view: await readOverviewView(app), runHref, topic };
}

export interface OpsDashboardProps extends OverviewOptions {
  /** The data that a loader has read. Default: the widget reads it. */
  overview?: Overview;
  /** Heading. Default "Overview". */
  title?: string;
}

/**
 * The state of the app, for operators. The page must check access.
 * @example
 * <OpsDashboard runHref="/jobs/:id" title="Jobs" />
 */
export function OpsDashboard({ overview, runHref, title = "Overview" }: OpsDashboardProps) {
  const live = useLive();
  if (overview) return <DashboardView overview={overview} title={title} live={live} />;
  const options = runHref === undefined ? {} : { runHref };
  return (
    <Await value={readOverview(useApp(), options)}>
      {(read) => <DashboardView overview={read} title={title} live={live} />}
    </Await>
  );
}

interface DashboardViewProps {
  overview: Overview;
  title: string;
  live: LiveAttributes;
}

function DashboardView({ overview: { view, runHref, topic }, title, live }: DashboardViewProps) {
  return (
    <svc-live class="svc-ops" {...live(topic)} data-at="" data-widget="overview">
      <section aria-labelledby="svc-ops-title">
        <header class="svc-head">
          <h2 id="svc-ops-title">{title}</h2>
          <span class="svc-pill" data-pill="" hidden={true} />
        </header>
        <Health view={view} />
        <Tiles recent={view.recent} />
        <div class="svc-columns">
          <Failed view={view} runHref={runHref} />
          <Newest view={view} runHref={runHref} />
        </div>
        <WorkerTable workers={view.workers} />
      </section>
    </svc-live>
  );
}

function Health({ view: { status } }: { view: OverviewView }) {
  const facts = [
    ["running", countText(status.graphs.running)],
    ["pending", countText(status.graphs.pending)],
    ["queued", countText(status.graphs.queued)],
    ["paused", countText(status.graphs.paused)],
    ["parked", countText(status.graphs.parked)],
    ["webhooks due", countText(status.deliveries["pending"] ?? 0)],
    ["memory", `${Math.round(status.memory_bytes / 1e6)} MB`],
    ["version", status.version],
  ] as const;
  return (
    <dl class="svc-facts" data-part="health">
      <div>
        <dt>state</dt>
        <dd>
          {status.status === "ready" ? (
            <StatusMark status="done" word="ready" />
          ) : (
            <StatusMark status="paused" word="draining" />
          )}
        </dd>
      </div>
      {facts.map(([name, value]) => (
        <div>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

type Tile = { name: string; value: string; change: string; points: readonly number[]; tone: string };

function Tiles({ recent }: { recent: RecentActivity }) {
  const { hour, hour_before: before, minutes } = recent;
  const failedShare = (of: RecentHour): number => (of.failed === 0 ? 0 : (of.failed / (of.done + of.failed)) * 100);
  const tiles: Tile[] = [
    {
      name: "Started",
      value: countText(hour.started),
      change: change(hour.started, before.started),
      points: minutes.map(({ started }) => started),
      tone: "live",
    },
    {
      name: "Done",
      value: countText(hour.done),
      change: change(hour.done, before.done),
      points: minutes.map(({ done }) => done),
      tone: "good",
    },
    {
      name: "Failed",
      value: `${failedShare(hour).toFixed(failedShare(hour) < 10 ? 1 : 0)} %`,
      change: `${countText(hour.failed)} of ${countText(hour.done + hour.failed)}`,
      points: minutes.map(({ failed }) => failed),
      tone: "bad",
    },
    {
      name: "Median duration",
      value: hour.p50_ms === null ? "–" : durationText(hour.p50_ms),
      change: hour.p95_ms === null ? "no runs in the last hour" : `p95 ${durationText(hour.p95_ms)}`,
      points: [],
      tone: "idle",
    },
  ];
  return (
    <ul class="svc-tiles" data-part="tiles" aria-label="The last hour">
      {tiles.map(({ name, value, change: trend, tone, points }) => (
        <li class="svc-tile" data-tone={tone}>
          <span class="svc-tile-name">{name}</span>
          <strong class="svc-tile-value">{value}</strong>
          <span class="svc-tile-change">{trend}</span>
          {points.length > 0 ? <Sparkline points={points} /> : null}
        </li>
      ))}
    </ul>
  );
}

function change(now: number, before: number): string {
  if (before === 0) return "in the last hour";
  const percent = Math.round((now / before - 1) * 100);
  return `${percent < 0 ? "−" : "+"}${Math.abs(percent)} % vs. the previous hour`;
}

/** One bar per minute, for an hour. */
function Sparkline({ points }: { points: readonly number[] }) {
  const most = Math.max(1, ...points);
  const bars = points.map((point, at) => ({
    x: at * 3,
    height: point === 0 ? 1 : 2 + Math.round((point / most) * 22),
    isEmpty: point === 0,
  }));
  return (
    <svg class="svc-spark" viewBox="0 0 180 24" preserveAspectRatio="none" aria-hidden="true">
      {bars.map(({ x, height, isEmpty }) => (
        <rect x={x} y={24 - height} width="2" height={height} data-empty={isEmpty ? "" : undefined} />
      ))}
    </svg>
  );
}

interface SomeRunsProps {
  view: OverviewView;
  runHref: string | undefined;
}

function Failed({ view, runHref }: SomeRunsProps) {
  return <Runs name="failed" title="Needs attention" runs={view.failed} runHref={runHref} empty="No failed runs." />;
}

function Newest({ view, runHref }: SomeRunsProps) {
  return <Runs name="newest" title="Newest" runs={view.newest} runHref={runHref} empty="No runs yet." />;
}

interface RunsProps {
  name: string;
  title: string;
  runs: readonly OverviewRun[];
  runHref: string | undefined;
  empty: string;
}

function Runs({ name, title, runs, runHref, empty }: RunsProps) {
  return (
    <div class="svc-runs" data-part={`runs:${name}`}>
      <h3>{title}</h3>
      {runs.length === 0 ? <p class="svc-empty">{empty}</p> : null}
      <ul>
        {runs.map((run) => (
          <li>
            <StatusMark status={run.status} />
            {runHref === undefined ? (
              <span class="svc-run-name">{run.worker}</span>
            ) : (
              <a class="svc-run-name" href={runHref.replaceAll(":id", encodeURIComponent(run.id))}>
                {run.worker}
              </a>
            )}
            <time datetime={new Date(run.createdMs).toISOString()} title={run.id}>
              {new Date(run.createdMs).toISOString().slice(5, 16).replace("T", " ")}
            </time>
            {run.message === undefined ? null : <span class="svc-run-message">{cut(run.message, 120)}</span>}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** HTML of all parts of the widget that may change, by part name. */
export function overviewParts(view: OverviewView, runHref: string | undefined): Map<string, string> {
  return new Map([
    ["health", String(<Health view={view} />)],
    ["tiles", String(<Tiles recent={view.recent} />)],
    ["runs:failed", String(<Failed view={view} runHref={runHref} />)],
    ["runs:newest", String(<Newest view={view} runHref={runHref} />)],
    ["workers", String(<WorkerTable workers={view.workers} />)],
  ]);
}
