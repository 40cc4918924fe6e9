/** The overview: whether all is well, what runs and what waits, and what needs somebody. */
import type { Entry, Recent, RecentHour, Status } from "../../../index.ts";
import type { QueueView, ScheduleView, Snapshot } from "../../../graph.ts";
import { OPS_PATH, RUNS_PATH } from "../access.ts";
import type { Look, Screens } from "../look.ts";
import { screen } from "../screen.tsx";
import { commandsOf } from "../views/commands.ts";
import { groupFailures, type FailureGroup } from "../views/failures.ts";
import { healthOf, type Health } from "../views/health.ts";
import { queryText } from "../views/runs-query.ts";
import { HEIGHT, sparkline, WIDTH } from "../views/sparkline.ts";
import { bytesText, changeText, countText, durationText, shareText } from "../views/text.ts";
import { PATHS } from "../../../index.ts";
import { CommandsPanel, Empty, StepButton, StepForm, Time } from "./parts.tsx";
import { QueuesTable } from "./queues.tsx";
import { NoRuns, RunsTable } from "./runs-table.tsx";
import { concurrencyByWorker } from "../views/workers.ts";

const HOUR_MS = 3_600_000;
/** Newest failures that are looked at for what they have in common. */
const FAILURES = 200;
const GROUPS = 5;
const NEXT_FIRES = 6;
const LATEST = 8;

interface OverviewData {
  status: Status;
  recent: Recent;
  health: Health;
  queues: QueueView[];
  schedules: ScheduleView[];
  groups: FailureGroup[];
  waiting: Snapshot[];
  latest: Snapshot[];
  workers: { registered: number; busy: number };
}

export function overviewScreen(screens: Screens): Entry[] {
  return [
    screen<OverviewData>(screens, "/", {
      title: "Overview",
      section: "Overview",
      load: loadOverview,
      view: (data, look) => <Overview data={data} look={look} />,
    }),
  ];
}

async function loadOverview({ app, nowMs }: Look): Promise<OverviewData> {
  const { engine, operations, webhooks } = app;
  const [status, queues, schedules, failed, running, latest, hooks] = await Promise.all([
    operations.status(),
    engine.queues.list(),
    engine.schedule.list(),
    engine.list({ status: "failed", sinceMs: nowMs - HOUR_MS, limit: FAILURES }),
    engine.list({ status: "running", limit: 100 }),
    engine.list({ limit: LATEST }),
    webhooks.list(new URLSearchParams({ limit: "200" })),
  ]);
  const recent = operations.recent();
  const disabled = hooks.webhooks.filter((hook) => hook.disabled_reason !== undefined).length;
  return {
    status,
    recent,
    queues: [...queues].sort((a, b) => b.waiting + b.running - (a.waiting + a.running)),
    schedules: nextFires(schedules),
    health: healthOf(status, recent.hour, queues, disabled),
    groups: groupFailures(failed.items).slice(0, GROUPS),
    waiting: running.items.filter((run) => run.nodes.some(isSomebodysTurn)).slice(0, GROUPS),
    latest: latest.items,
    workers: { registered: queues.length, busy: queues.filter((queue) => queue.running > 0).length },
  };
}

/** Whether it waits for a signal from outside. */
function isSomebodysTurn({ status, kind }: Snapshot["nodes"][number]): boolean {
  return kind === "wait" && status === "waiting";
}

function nextFires(schedules: readonly ScheduleView[]): ScheduleView[] {
  return schedules
    .filter(({ next_ms: nextMs }) => nextMs !== null)
    .sort((a, b) => (a.next_ms ?? 0) - (b.next_ms ?? 0))
    .slice(0, NEXT_FIRES);
}

function Overview({ data, look }: { data: OverviewData; look: Look }) {
  const concurrency = concurrencyByWorker(look.app.definitions);
  return (
    <>
      <div class="title">
        <h1>Overview</h1>
      </div>
      <div data-live="health">
        <HealthStrip data={data} />
      </div>
      <div class="tiles" data-live="tiles">
        <Tiles data={data} />
      </div>
      <section aria-labelledby="attention">
        <div class="head">
          <h2 id="attention">Needs attention</h2>
          <p class="quiet">failures of the last hour, and what waits for somebody</p>
        </div>
        <div data-live="attention">
          <Attention data={data} look={look} />
        </div>
      </section>
      <div class="columns">
        <section aria-labelledby="queues">
          <div class="head">
            <h2 id="queues">Queues</h2>
            <a href={`${OPS_PATH}/queues`}>All queues</a>
          </div>
          <div data-live="queues">
            <QueuesTable queues={data.queues.slice(0, 8)} look={look} concurrency={concurrency} />
          </div>
        </section>
        <section aria-labelledby="next">
          <div class="head">
            <h2 id="next">Next by the clock</h2>
            <a href={`${OPS_PATH}/schedules`}>All schedules</a>
          </div>
          <div data-live="schedules">
            <Next schedules={data.schedules} look={look} />
          </div>
        </section>
      </div>
      <section aria-labelledby="latest">
        <div class="head">
          <h2 id="latest">Latest runs</h2>
          <a href={RUNS_PATH}>All runs</a>
        </div>
        <div data-live="latest">
          {data.latest.length === 0 ? (
            <NoRuns isFiltered={false} />
          ) : (
            <RunsTable runs={data.latest} look={look} canChoose={false} />
          )}
        </div>
      </section>
      <CommandsPanel commands={commandsOf(look.origin, "GET", PATHS.status, "svc top")} />
    </>
  );
}

function HealthStrip({ data: { health, status, workers } }: { data: OverviewData }) {
  return (
    <div class="health panel">
      <p class="health-word" data-tone={health.tone}>
        {health.word}
      </p>
      <dl class="facts">
        <Fact name="Up for" text={durationText(status.uptime_ms)} />
        <Fact name="Version" text={status.version} />
        <Fact name="Workers" text={`${workers.busy} busy of ${workers.registered}`} />
        <Fact name="Memory" text={bytesText(status.memory_bytes)} />
        <Fact name="Requests now" text={countText(status.requests.in_flight)} />
        <Fact name="Deliveries waiting" text={countText(status.deliveries["pending"] ?? 0)} />
      </dl>
      {health.reasons.map((reason) => (
        <p key={reason}>{reason}</p>
      ))}
    </div>
  );
}

function Fact({ name, text }: { name: string; text: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{text}</dd>
    </div>
  );
}

function Tiles({ data: { recent, status } }: { data: OverviewData }) {
  const { hour, hour_before: before, minutes } = recent;
  const ended = hour.done + hour.failed;
  return (
    <>
      <Tile
        name="Started, last hour"
        figure={countText(hour.started)}
        href={`${OPS_PATH}/runs?since=1h`}
        note={noteOf(hour.started, before.started)}
        values={minutes.map(({ started }) => started)}
        tone="live"
      />
      <Tile
        name="Done, last hour"
        figure={countText(hour.done)}
        href={`${OPS_PATH}/runs?status=done&since=1h`}
        note={noteOf(hour.done, before.done)}
        values={minutes.map(({ done }) => done)}
        tone="good"
      />
      <Tile
        name="Failed, last hour"
        figure={shareText(hour.failed, ended)}
        href={`${OPS_PATH}/runs?status=failed&since=1h`}
        note={`${countText(hour.failed)} run${hour.failed === 1 ? "" : "s"}, ${noteOf(hour.failed, before.failed)}`}
        values={minutes.map(({ failed }) => failed)}
        tone="bad"
      />
      <Tile
        name="Under way"
        figure={countText(status.graphs.running + status.graphs.pending)}
        href={`${OPS_PATH}/runs?status=running`}
        note={`${countText(status.graphs.pending)} not begun, ${countText(status.graphs.paused)} paused`}
        values={undefined}
        tone="live"
      />
      <Tile
        name="Median duration"
        figure={hour.p50_ms === null ? "–" : durationText(hour.p50_ms)}
        href={`${OPS_PATH}/runs?since=1h`}
        note={quantilesText(hour)}
        values={undefined}
        tone="idle"
      />
    </>
  );
}

function noteOf(now: number, before: number): string {
  const change = changeText(now, before);
  return change === undefined ? "nothing in the hour before" : `${change} to the hour before`;
}

function quantilesText({ p95_ms: p95, p99_ms: p99 }: RecentHour): string {
  return p95 === null || p99 === null ? "no run has ended" : `95 % ${durationText(p95)}, 99 % ${durationText(p99)}`;
}

interface TileProps {
  name: string;
  figure: string;
  note: string;
  /** The list that explains the figure. */
  href: string;
  /** By the minute. */
  values: readonly number[] | undefined;
  tone: string;
}

function Tile({ name, figure, note, href, values, tone }: TileProps) {
  return (
    <div class="tile" data-tone={tone}>
      <h3>
        <a href={href}>{name}</a>
      </h3>
      <p class="tile-figure">{figure}</p>
      <p class="quiet">{note}</p>
      {values === undefined ? null : <Spark values={values} name={name} />}
    </div>
  );
}

function Spark({ values, name }: { values: readonly number[]; name: string }) {
  const { line, area, most } = sparkline(values);
  return (
    <svg
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`${name}, by the minute: at most ${countText(most)}`}
    >
      <path class="spark-area" d={area} />
      <path class="spark-line" d={line} />
    </svg>
  );
}

function Attention({ data: { groups, waiting }, look }: { data: OverviewData; look: Look }) {
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
              <Time ms={group.lastMs} now={look.nowMs} />
              {group.count > 1 ? ", first " : ""}
              {group.count > 1 ? <Time ms={group.firstMs} now={look.nowMs} /> : null}
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
              {waitsAt(run)}, started <Time ms={run.created_ms} now={look.nowMs} />
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

function Next({ schedules, look }: { schedules: readonly ScheduleView[]; look: Look }) {
  if (schedules.length === 0)
    return (
      <Empty title="No schedule is due">
        <p>
          Schedules start graphs by the clock: <code>{"createApp({ schedules: [{ name, cron, worker }] })"}</code>
        </p>
      </Empty>
    );
  return (
    <div class="scroll">
      <table>
        <thead>
          <tr>
            <th scope="col">Schedule</th>
            <th scope="col">Next</th>
            <th scope="col">Last</th>
            <th scope="col" aria-label="Steps"></th>
          </tr>
        </thead>
        <tbody>
          {schedules.map((schedule) => (
            <tr key={schedule.name}>
              <th scope="row" data-label="Schedule">
                {schedule.name}
              </th>
              <td data-label="Next">
                <Time ms={schedule.next_ms ?? 0} now={look.nowMs} />
              </td>
              <td data-label="Last">
                {schedule.last_graph_id === null ? (
                  <span class="quiet">never</span>
                ) : (
                  <a href={`${OPS_PATH}/runs/${schedule.last_graph_id}`}>
                    <Time ms={schedule.last_ms ?? 0} now={look.nowMs} />
                  </a>
                )}
              </td>
              <td data-label="">
                <StepForm look={look} action={`/schedules/${schedule.name}/trigger`} class="actions">
                  <StepButton look={look} label="Run now" name={`Run now: ${schedule.name}`} />
                </StepForm>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
