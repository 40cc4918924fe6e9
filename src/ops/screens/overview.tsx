/** The overview: health, activity, the latest events, and what needs attention. */
import type { Entry } from "../../index.ts";
import { PATHS } from "../../internal.ts";
import type { Activity, ActivityRange, ClusterQueue, RecentActivity, RefusedCaller, Status } from "../../ops.ts";
import type { Snapshot } from "../../graph.ts";
import { OPS_PATH, RUNS_PATH } from "../operator-access.ts";
import type { OpsContext, Screens } from "../ops-context.ts";
import { screen } from "../screen.tsx";
import { commandsOf } from "../views/cli-commands.ts";
import { groupFailures, type FailureGroup } from "../views/runs/failures.ts";
import { healthOf, type Health } from "../views/health.ts";
import { STUCK_MS, stuckRuns } from "../views/stuck.ts";
import { ticksOf, type Tick } from "../views/ticker.ts";
import { typicalDurations, type TypicalDuration } from "../views/typical-durations.ts";
import { concurrencyByWorker } from "../views/workers.ts";
import { Attention, type Hook } from "./attention.tsx";
import { HeatSection } from "./heat.tsx";
import { nextFires, NextFires, type NextFire } from "./next-fires.tsx";
import { CommandsPanel } from "./parts.tsx";
import { QueuesTable } from "./queues.tsx";
import { NoRuns, RunsTable } from "./runs/runs-table.tsx";
import { TickerSection } from "./ticker.tsx";
import { HealthStrip, Tiles } from "./tiles.tsx";

const HOUR_MS = 3_600_000;
/** Newest failures that are grouped. */
const FAILURES = 200;
const GROUPS = 5;
const LATEST = 8;
/** Newest runs whose events may appear in the ticker. */
const TURNS = 30;
const QUEUES = 8;
/** Newest long runs that are checked for being stuck. */
const LONG = 100;

interface OverviewData {
  status: Status;
  recent: RecentActivity;
  activity: Activity;
  range: ActivityRange;
  health: Health;
  queues: ClusterQueue[];
  fires: NextFire[];
  groups: FailureGroup[];
  waiting: Snapshot[];
  stuck: Snapshot[];
  dead: Hook[];
  refused: RefusedCaller[];
  latest: Snapshot[];
  usual: ReadonlyMap<string, TypicalDuration>;
  ticks: Tick[];
  workers: { registered: number; busy: number };
}

export function overviewScreen(screens: Screens): Entry[] {
  return [
    screen<OverviewData>(screens, "/", {
      title: "Overview",
      section: "Overview",
      follows: () => ["graphs", "controls", "webhooks", "processes"],
      load: loadOverview,
      isActive: ({ status: { graphs, delivery } }) => graphs.running + graphs.pending + delivery.under_way > 0,
      view: (data, opsContext) => <Overview data={data} opsContext={opsContext} />,
    }),
  ];
}

async function loadOverview({ app, ctx, nowMs }: OpsContext): Promise<OverviewData> {
  const { engine, operations, webhooks } = app;
  const range = ctx.query.get("range") === "day" ? "day" : "hour";
  const [status, activity, queues, schedules, failed, running, waiting, done, latest, hooks, long] = await Promise.all([
    operations.status(),
    operations.activity(range),
    operations.queues(),
    engine.schedule.list(),
    engine.list({ status: "failed", finishedSinceMs: nowMs - HOUR_MS, limit: FAILURES }),
    engine.list({ status: "running", limit: 100 }),
    engine.waiting(GROUPS),
    engine.list({ status: "done", limit: TURNS }),
    engine.list({ limit: TURNS }),
    webhooks.list(new URLSearchParams({ limit: "200" })),
    engine.list({ status: "running", longerMs: STUCK_MS, nowMs, limit: LONG }),
  ]);
  const shown = latest.items.slice(0, LATEST);
  const dead = hooks.webhooks.filter((hook) => hook.disabled_reason !== undefined);
  return {
    status,
    recent: status.recent,
    activity,
    range,
    queues: queues
      .filter(({ waiting, running, paused }) => waiting > 0 || running > 0 || paused)
      .sort((a, b) => b.waiting + b.running - (a.waiting + a.running)),
    fires: await nextFires(schedules, engine),
    health: healthOf(status, status.recent.hour, queues, dead.length, nowMs),
    groups: groupFailures(failed.items).slice(0, GROUPS),
    waiting,
    stuck: stuckRuns(long.items, nowMs).slice(0, GROUPS),
    dead: dead.slice(0, GROUPS),
    refused: operations.refusedCallers().callers.slice(0, GROUPS),
    latest: shown,
    usual: await typicalDurations(
      app,
      shown.map(({ worker }) => worker),
      nowMs,
    ),
    ticks: ticksOf([...latest.items, ...running.items, ...failed.items, ...done.items], nowMs),
    workers: { registered: queues.length, busy: queues.filter((queue) => queue.running > 0).length },
  };
}

function Overview({ data, opsContext }: { data: OverviewData; opsContext: OpsContext }) {
  const { status, recent, health, workers, latest } = data;
  return (
    <>
      <div class="title">
        <h1>Overview</h1>
      </div>
      <div data-live="health">
        <HealthStrip status={status} health={health} workers={workers} />
      </div>
      <div class="tiles" data-live="tiles">
        <Tiles recent={recent} status={status} />
      </div>
      {latest.length === 0 ? (
        <section aria-label="First run" data-live="first">
          <NoRuns opsContext={opsContext} isFiltered={false} />
        </section>
      ) : (
        <Lists data={data} opsContext={opsContext} />
      )}
      <CommandsPanel commands={commandsOf(opsContext.origin, "GET", PATHS.status, "svc top")} />
    </>
  );
}

/** The sections that need at least one run. */
function Lists({ data, opsContext }: { data: OverviewData; opsContext: OpsContext }) {
  return (
    <>
      <HeatSection
        activity={data.activity}
        range={data.range}
        processes={data.status.processes}
        opsContext={opsContext}
      />
      <section aria-labelledby="attention">
        <div class="head">
          <h2 id="attention">Needs attention</h2>
          <p class="quiet">
            failures of the last hour, runs that wait for a signal or are stuck, disabled webhooks, rejected clients
          </p>
        </div>
        <div data-live="attention">
          <Attention
            groups={data.groups}
            waiting={data.waiting}
            running={data.status.graphs.running}
            stuck={data.stuck}
            dead={data.dead}
            refused={data.refused}
            opsContext={opsContext}
          />
        </div>
      </section>
      <div class="columns">
        <section aria-labelledby="queues">
          <div class="head">
            <h2 id="queues">Queues</h2>
            <a href={`${OPS_PATH}/queues`}>All queues</a>
          </div>
          <div data-live="queues">
            {data.queues.length === 0 ? (
              <p class="quiet panel">No waiting or running work.</p>
            ) : (
              <QueuesTable
                queues={data.queues.slice(0, QUEUES)}
                opsContext={opsContext}
                concurrency={concurrencyByWorker(opsContext.app.definitions)}
                isShort
              />
            )}
          </div>
        </section>
        <TickerSection ticks={data.ticks} opsContext={opsContext} />
      </div>
      <section aria-labelledby="latest">
        <div class="head">
          <h2 id="latest">Latest runs</h2>
          <a href={RUNS_PATH}>All runs</a>
        </div>
        <div data-live="latest">
          <RunsTable runs={data.latest} opsContext={opsContext} usual={data.usual} canChoose={false} />
        </div>
      </section>
      <section aria-labelledby="next">
        <div class="head">
          <h2 id="next">Upcoming schedules</h2>
          <a href={`${OPS_PATH}/schedules`}>All schedules</a>
        </div>
        <div data-live="schedules">
          <NextFires fires={data.fires} opsContext={opsContext} />
        </div>
      </section>
    </>
  );
}
