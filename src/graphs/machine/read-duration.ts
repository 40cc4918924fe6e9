/** Validates durations of commands before anything changes. */
import { durationMs, type Duration } from "../../platform/shared/clock.ts";
import { SvcError } from "../../platform/shared/errors.ts";

/** @returns milliseconds. @throws SvcError `SVC_INVALID` for an invalid or negative duration. */
export function readDuration(name: string, value: Duration): number {
  const ms = parsed(value);
  if (ms !== undefined && Number.isFinite(ms) && ms >= 0) return ms;
  const problem = 'must be a duration from 0: milliseconds, or a text such as "30s"';
  throw new SvcError("SVC_INVALID", `"${name}" ${problem}`, { issues: [{ path: [name], message: problem }] });
}

function parsed(value: Duration): number | undefined {
  try {
    return durationMs(value);
  } catch {
    // The caller's error names the option, which durationMs does not know.
    return undefined;
  }
}
