/**
 * The times of a cron expression in a time zone. `croner` reads expressions and counts, nothing else: it holds no timer.
 *
 * Where clocks jump: an expression of fixed times (`30 2 * * *`, `30 2,14 * * *`) has each of them once a day, in the gap of
 * spring at its end, in the double hour of autumn the first time; one of intervals (`0-59/15 * * * *`) goes by real time, so it
 * skips what does not exist and keeps its pace through the double hour. That is Vixie cron's way (docs/decisions/012).
 */
import type { Cron as CronExpression } from "croner";
import { SvcError } from "../../platform/shared/errors.ts";

/** The times of one schedule. */
export interface CronTimes {
  /** The first after a time; undefined where there is none left. Unix milliseconds. */
  next(afterMs: number): number | undefined;
  /** The last one up to a time, that time included. */
  last(untilMs: number): number | undefined;
}

/** Five fields, or six with seconds in front; or a name such as `@daily`. */
const MODE = "5-or-6-parts";

/** @throws SvcError `SVC_INVALID` for what is no expression or no time zone, or has no time to come. */
export type ReadCron = (cron: string, timeZone: string, nowMs: number) => CronTimes;

let loaded: Promise<ReadCron> | undefined;

/**
 * Loads the library at the first schedule: an app without one starts without it. Once: an `import()` of what is loaded already waits for whoever
 * resolves modules all the same, which may be another thread (`module.register`).
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
    // Without a fixed zone for text, an ISO date would be taken for an expression that runs once.
    expression = new Cron(requirePattern(cron), {
      timezone: zone,
      mode: MODE,
      fixedTimeRule: "no-wildcard",
      paused: true,
    });
  } catch (cause) {
    throw new SvcError(
      "SVC_INVALID",
      `"cron" is ${JSON.stringify(cron.slice(0, 80))}, which is no cron expression: ${(cause as Error).message}. ` +
        'Use minute hour day month weekday, as in "30 2 * * *"',
      { cause, issues: [{ path: ["cron"], message: "must be a cron expression" }] },
    );
  }
  const next = (afterMs: number): number | undefined => expression.nextRun(new Date(afterMs))?.getTime();
  if (next(nowMs) === undefined)
    throw new SvcError("SVC_INVALID", `"cron" is ${JSON.stringify(cron)}, which never comes`, {
      issues: [{ path: ["cron"], message: "never comes" }],
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

/** @returns the zone as the runtime writes it */
function readTimeZone(timeZone: string): string {
  try {
    return new Intl.DateTimeFormat("en", { timeZone }).resolvedOptions().timeZone;
  } catch (cause) {
    throw new SvcError(
      "SVC_INVALID",
      `"time_zone" is ${JSON.stringify(timeZone.slice(0, 80))}, which is no time zone; use a name such as "Europe/Berlin" or "UTC"`,
      { cause, issues: [{ path: ["time_zone"], message: "must be an IANA time zone" }] },
    );
  }
}
