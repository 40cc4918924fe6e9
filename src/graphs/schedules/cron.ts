/**
 * Times of a cron expression in a time zone. `croner` parses expressions and computes times; it holds no timer.
 * Daylight saving: an expression with fixed times (`30 2 * * *`, `30 2,14 * * *`) runs once a day at each of them, after the gap in
 * spring and at the first of the doubled hours in autumn. An expression with intervals (`0-59/15 * * * *`) follows real time, so it skips
 * missing times and keeps its pace through the doubled hour. Vixie cron does the same (docs/decisions/012).
 */
import type { Cron as CronExpression } from "croner";
import { SvcError } from "../../platform/shared/errors.ts";

/** The times of one schedule. */
export interface CronTimes {
  /** The first time after a given one; undefined if there is none. Unix milliseconds. */
  next(afterMs: number): number | undefined;
  /** The last time up to and including a given one. */
  last(untilMs: number): number | undefined;
}

/** Five fields, or six with seconds first; or a name such as `@daily`. */
const MODE = "5-or-6-parts";

/** @throws SvcError `SVC_INVALID` for an invalid expression or time zone, or if no time is left. */
export type ReadCron = (cron: string, timeZone: string, nowMs: number) => CronTimes;

let loaded: Promise<ReadCron> | undefined;

/**
 * Loads the library at the first schedule, so that an app without schedules starts without it. Loads it once: even for a loaded module,
 * `import()` waits for the resolver, which may be another thread (`module.register`).
 */
export function loadCron(): Promise<ReadCron> {
  return (loaded ??= load());
}

async function load(): Promise<ReadCron> {
  const { Cron } = await import("croner");
  return (cron, timeZone, nowMs) => readCron(Cron, cron, timeZone, nowMs);
}

function readCron(Cron: typeof CronExpression, cron: string, timeZone: string, nowMs: number): CronTimes {
  const zone = readTimeZone(timeZone);
  let expression: CronExpression;
  try {
    // Without a fixed zone, croner reads an ISO date as an expression that runs once.
    expression = new Cron(requirePattern(cron), {
      timezone: zone,
      mode: MODE,
      fixedTimeRule: "no-wildcard",
      paused: true,
    });
  } catch (cause) {
    throw new SvcError(
      "SVC_INVALID",
      `"cron" is ${JSON.stringify(cron.slice(0, 80))}, which is not a cron expression: ${(cause as Error).message}. ` +
        'Use minute hour day month weekday, as in "30 2 * * *"',
      { cause, issues: [{ path: ["cron"], message: "must be a cron expression" }] },
    );
  }
  const next = (afterMs: number): number | undefined => expression.nextRun(new Date(afterMs))?.getTime();
  if (next(nowMs) === undefined)
    throw new SvcError("SVC_INVALID", `"cron" is ${JSON.stringify(cron)}, which has no time in the future`, {
      issues: [{ path: ["cron"], message: "has no time in the future" }],
    });
  const last = (untilMs: number): number | undefined =>
    expression.previousRuns(1, new Date(Math.floor(untilMs / 1000 + 1) * 1000))[0]?.getTime();
  return { next, last };
}

function requirePattern(cron: string): string {
  const text = cron.trim();
  const isPattern = text.startsWith("@") || /^\S+(\s+\S+){4,5}$/.test(text);
  if (!isPattern) throw new TypeError("it must have five fields, or six with seconds");
  return text;
}

/** @returns the zone in the runtime's spelling */
function readTimeZone(timeZone: string): string {
  try {
    return new Intl.DateTimeFormat("en", { timeZone }).resolvedOptions().timeZone;
  } catch (cause) {
    throw new SvcError(
      "SVC_INVALID",
      `"time_zone" is ${JSON.stringify(timeZone.slice(0, 80))}, which is not a time zone; use a name such as "Europe/Berlin" or "UTC"`,
      { cause, issues: [{ path: ["time_zone"], message: "must be an IANA time zone" }] },
    );
  }
}
