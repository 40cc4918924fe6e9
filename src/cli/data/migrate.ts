/** `svc migrate`: moves a database and reports progress: as text on a terminal, as JSON lines otherwise. */
import { move, undoMove, type MoveEvent } from "../../storage/move/move.ts";
import { isPostgres, inspectTarget, openDump } from "../../storage/move/open-databases.ts";
import { rehearse, type RehearsalEvent } from "../../storage/move/rehearse.ts";
import { systemClock, type Clock } from "../../platform/shared/clock.ts";
import { silentLog } from "../../platform/shared/log.ts";
import { VARIABLES } from "../../platform/shared/wire.ts";
import type { Dump } from "../../storage/contract/dump.ts";
import type { Output } from "../output.ts";

export interface MoveTask {
  kind: "move";
  from: string;
  to: string;
  isDryRun: boolean;
  /** Prints lines of JSON, also on a terminal. */
  json: boolean;
}

export type MigrateTask = MoveTask | { kind: "undo"; from: string };

/** A faster move reports no progress. */
const QUIET_MS = 2000;
/** Time between two progress lines of JSON. */
const NEWS_MS = 1000;

/** @returns the exit code. @throws SvcError if the move is refused. */
export async function migrate(command: MoveTask, output: Output, clock: Clock = systemClock): Promise<number> {
  const { from, to, isDryRun } = command;
  const source = await openDump(from, false);
  let target: Dump | undefined;
  try {
    target = await (isDryRun ? inspectTarget(to) : openDump(to, true));
    const onEvent = reporter(command, output, clock);
    const options = { source, target, clock, onEvent, addJobs: () => addJobs(to) };
    if (!isDryRun) await move(options);
    else if (!(await rehearse(options))) return 1;
    return 0;
  } finally {
    await target?.close();
    await source.close();
  }
}

/**
 * PostgreSQL needs a job for each unfinished run, so that worker processes find it. On SQLite, the app finds these runs when it starts.
 */
async function addJobs(databaseUrl: string): Promise<number> {
  if (!isPostgres(databaseUrl)) return 0;
  return (await import("../../graphs/cluster/requeue-migrated.ts")).addJobs(databaseUrl, silentLog);
}

/** @returns the exit code. */
export async function undo(from: string, output: Output): Promise<number> {
  const source = await openDump(from, false);
  try {
    const { peer } = await undoMove(source);
    output.line(`Apps may start on ${source.label} again.`);
    output.line(`Drop ${peer}, and start no app on it: runs would execute twice.`);
    return 0;
  } finally {
    await source.close();
  }
}

type Event = MoveEvent | RehearsalEvent;

/** Reports progress at intervals, and all other events at once. */
function reporter({ json }: MoveTask, output: Output, clock: Clock): (event: Event) => void {
  const isText = output.isInteractive && !json;
  let reportedMs = clock.now() + (isText ? QUIET_MS : 0) - NEWS_MS;
  return (event) => {
    if ("of" in event) {
      if (clock.now() < reportedMs + NEWS_MS) return;
      reportedMs = clock.now() - (isText ? NEWS_MS * 0.9 : 0);
    }
    if (!isText) return output.line(JSON.stringify(event));
    if ("of" in event)
      return output.status(`  ${event.table}: ${event.type} ${shown(event.rows)} of ${shown(event.of)}`);
    for (const line of textOf(event, output)) output.line(line);
  };
}

function textOf(event: Exclude<Event, { of: number }>, output: Output): string[] {
  switch (event.type) {
    case "begun":
      return [`${event.isResumed ? "Resuming the move of" : "Moving"} ${event.from}`, `to ${event.to}`, ""];
    case "table":
      return [
        event.rows === 0
          ? rowOf(event.table, 0)
          : `${rowOf(event.table, event.rows)}  ${output.style("dim", `identical on both sides: ${event.sha256.slice(0, 16)}`)}${replacedOf(event.replaced)}`,
      ];
    case "would": {
      const refused = event.refused > 0 ? `, ${output.style("red", `${shown(event.refused)} would be refused`)}` : "";
      return [`${rowOf(event.table, event.rows)}${replacedOf(event.replaced)}${refused}`];
    }
    case "refusal":
      return [`${output.style("red", "Refused")} ${event.reason}`];
    case "arrived": {
      const jobs = event.jobs === 1 ? "1 unfinished run continues" : `${shown(event.jobs)} unfinished runs continue`;
      return ["", `${shown(event.rows)} rows copied; ${jobs} when an app starts.`];
    }
    case "moved":
      return [`Moved. Apps no longer start on ${event.from}. Set ${VARIABLES.databaseUrl} to the new address.`];
    case "nothing":
      return [`Nothing to do: ${event.from} was moved to ${event.to} before.`];
  }
}

function rowOf(table: string, rows: number): string {
  return `  ${table.padEnd(13)} ${shown(rows).padStart(11)}`;
}

function replacedOf(replaced: number): string {
  return replaced > 0 ? `; ${shown(replaced)} with unsupported characters, replaced by U+FFFD` : "";
}

function shown(count: number): string {
  return count.toLocaleString("en");
}
