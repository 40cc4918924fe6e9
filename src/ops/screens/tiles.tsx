/** The top of the overview: health, and the figures of the last hour, each with a link to the list behind it. */
import type { RecentActivity, RecentHour, Status } from "../../ops.ts";
import type { Child } from "../../jsx-runtime.ts";
import { OPS_PATH } from "../operator-access.ts";
import type { Health } from "../views/health.ts";
import { HEIGHT, mostOf, sparkline, WIDTH } from "../views/sparkline.ts";
import { slowestOf } from "../views/processes.ts";
import { bytesText, changeText, countText, delayText, durationText, shareText } from "../views/format.ts";

interface HealthStripProps {
  status: Status;
  health: Health;
  workers: { registered: number; busy: number };
}

/** Tooltip of the event-loop figure. */
const LOOP_TITLE = "99th percentile of the event-loop delay over the last minute";

/** The list of processes, which shows these figures for each process. */
const PROCESSES = `${OPS_PATH}/workers#processes`;

const BUILD_TITLE = "The build ID that svc build assigned; without svc build, a fingerprint of the app's code";

export function HealthStrip({ health, status, workers }: HealthStripProps) {
  const { processes } = status;
  const builds = [...new Set(processes.map(({ build }) => build))];
  const worst = slowestOf(processes)?.loop_p99_ms ?? status.loop_p99_ms;
  return (
    <div class="health panel">
      <p class="health-word" data-tone={health.tone}>
        {health.word}
      </p>
      <dl class="facts">
        <Fact name="Uptime" text={durationText(status.uptime_ms)} />
        <Fact name="Version" text={status.version} />
        {processes.length > 1 ? <Fact name="Processes" text={countText(processes.length)} href={PROCESSES} /> : null}
        <Fact
          name={builds.length > 1 ? "Builds" : "Build"}
          text={builds.join(", ")}
          title={BUILD_TITLE}
          href={PROCESSES}
        />
        <Fact name="Workers" text={`${workers.busy} busy of ${workers.registered}`} href={`${OPS_PATH}/workers`} />
        <Fact name={processes.length > 1 ? "Total memory" : "Memory"} text={memoryText(status)} href={PROCESSES} />
        <Fact name="Event-loop lag p99" text={delayText(worst)} title={LOOP_TITLE} href={PROCESSES} />
        {status.disk_free_bytes === null ? null : (
          <Fact name="Free disk space" text={bytesText(status.disk_free_bytes)} />
        )}
        {status.database_bytes === null ? null : <Fact name="Database" text={bytesText(status.database_bytes)} />}
        <Fact name="Active requests" text={countText(status.requests.in_flight)} href={`${OPS_PATH}/requests`} />
        <Fact
          name="Pending deliveries"
          text={countText(status.deliveries["pending"] ?? 0)}
          href={`${OPS_PATH}/deliveries?status=pending`}
        />
      </dl>
      {health.reasons.map((reason) => (
        <p key={reason}>{reason}</p>
      ))}
    </div>
  );
}

function Fact({ name, text, href, title }: { name: string; text: string; href?: string; title?: string }) {
  return (
    <div title={title}>
      <dt>{name}</dt>
      <dd>{href === undefined ? text : <a href={href}>{text}</a>}</dd>
    </div>
  );
}

/** Sum over all processes that have reported their memory. */
function memoryText({ processes, memory_bytes: own }: Status): string {
  const reported = processes.flatMap(({ memory_bytes: bytes }) => bytes ?? []);
  return bytesText(reported.length === 0 ? own : reported.reduce((sum, bytes) => sum + bytes, 0));
}

export function Tiles({ recent, status }: { recent: RecentActivity; status: Status }) {
  const { hour, hour_before: before, minutes } = recent;
  const ended = hour.done + hour.failed;
  return (
    <>
      <Tile
        name="Started, last hour"
        figure={countText(hour.started)}
        href={`${OPS_PATH}/runs?since=1h`}
        note={noteOf(hour.started, before.started)}
        lines={[
          countsOf(
            "started",
            minutes.map(({ started }) => started),
          ),
        ]}
        tone="live"
      />
      <Tile
        name="Done, last hour"
        figure={countText(hour.done)}
        href={`${OPS_PATH}/runs?status=done&ended=1h`}
        note={noteOf(hour.done, before.done)}
        lines={[
          countsOf(
            "done",
            minutes.map(({ done }) => done),
          ),
        ]}
        tone="good"
      />
      <Tile
        name="Failed, last hour"
        figure={shareText(hour.failed, ended)}
        href={`${OPS_PATH}/runs?status=failed&ended=1h`}
        note={`${countText(hour.failed)} run${hour.failed === 1 ? "" : "s"}, ${noteOf(hour.failed, before.failed)}`}
        lines={[
          countsOf(
            "failed",
            minutes.map(({ failed }) => failed),
          ),
        ]}
        tone="bad"
      />
      <Tile
        name="Active"
        figure={countText(status.graphs.running + status.graphs.pending)}
        href={`${OPS_PATH}/runs?status=running`}
        note={<ActiveRuns status={status} />}
        lines={[
          countsOf(
            "not finished, including paused runs",
            minutes.map(({ under_way: activeCount }) => activeCount),
          ),
        ]}
        tone="live"
      />
      <Tile
        name="Median duration"
        figure={hour.p50_ms === null ? "–" : durationText(hour.p50_ms)}
        href={`${OPS_PATH}/runs?ended=1h`}
        note={[quantilesText(hour), ...changeOf(hour.p50_ms, before.p50_ms)].join(", ")}
        lines={[
          { name: "p95", values: minutes.map(({ p95_ms: ms }) => ms), text: durationText },
          { name: "median", values: minutes.map(({ p50_ms: ms }) => ms), text: durationText },
        ]}
        tone="idle"
      />
    </>
  );
}

/** A link per status, because no single list contains them all. */
function ActiveRuns({ status: { graphs } }: { status: Status }) {
  const counts = [
    ["running", "running"],
    ["pending", "pending"],
    ...(graphs.queued > 0 ? [["queued", "queued"] as const] : []),
    ["paused", "paused"],
    ...(graphs.parked > 0 ? [["parked", "parked"] as const] : []),
  ] as const;
  return (
    <>
      {counts.map(([status, word], at) => (
        <span key={status}>
          {at === 0 ? "" : ", "}
          <a href={`${OPS_PATH}/runs?status=${status}`}>{`${countText(graphs[status])} ${word}`}</a>
        </span>
      ))}
    </>
  );
}

function noteOf(now: number, before: number): string {
  const change = changeText(now, before);
  return change === undefined ? "none in the previous hour" : `${change} vs. the previous hour`;
}

/** Empty if there is no previous value. */
function changeOf(now: number | null, before: number | null): string[] {
  const change = now === null || before === null ? undefined : changeText(now, before);
  return change === undefined ? [] : [`${change} vs. the previous hour`];
}

function quantilesText({ p95_ms: p95, p99_ms: p99 }: RecentHour): string {
  return p95 === null || p99 === null ? "no finished runs" : `p95 ${durationText(p95)}, p99 ${durationText(p99)}`;
}

/** One line of a tile's chart. */
interface Line {
  name: string;
  /** One value per minute; null: nothing to measure. */
  values: readonly (number | null)[];
  text: (value: number) => string;
}

function countsOf(name: string, values: readonly number[]): Line {
  return { name, values, text: countText };
}

interface TileProps {
  name: string;
  figure: string;
  note: Child;
  /** The list that explains the figure. */
  href: string;
  /** Lines on a common scale; the highest first. */
  lines: readonly Line[];
  tone: string;
}

function Tile({ name, figure, note, href, lines, tone }: TileProps) {
  return (
    <div class="tile" data-tone={tone}>
      <h3>
        <a href={href}>{name}</a>
      </h3>
      <p class="tile-figure">{figure}</p>
      <p class="quiet">{note}</p>
      <Spark lines={lines} name={name} />
    </div>
  );
}

function Spark({ lines, name }: { lines: readonly Line[]; name: string }) {
  const most = Math.max(...lines.map(({ values }) => mostOf(values)));
  const label = `${name}, per minute: ${lines.map(lineText).join("; ")}`;
  return (
    <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={label}>
      <title>{label}</title>
      {lines.map(({ name: line, values }, at) => {
        const { line: d, area } = sparkline(values, most);
        return (
          <g key={line}>
            <path class="spark-area" d={area} />
            <path class="spark-line" data-more={at < lines.length - 1 ? "" : undefined} d={d} />
          </g>
        );
      })}
    </svg>
  );
}

function lineText({ name, values, text }: Line): string {
  const known = values.filter((value) => value !== null);
  const last = known.at(-1);
  return last === undefined ? `${name}: no data` : `${name}: maximum ${text(mostOf(known))}, latest ${text(last)}`;
}
