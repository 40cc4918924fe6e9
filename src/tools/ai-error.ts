/** What is said when a model's endpoint fails, and whether trying again can help. */
import { SvcError } from "../platform/shared/errors.ts";

/** Statuses that come right by themselves: too early, too busy, too much of it. All from 500 on do, too. */
const PASSING = new Set([408, 409, 425, 429]);
/** Enough to read what is wrong. */
const TOLD_CHARACTERS = 500;

export function aiError(what: string, cause?: unknown): SvcError {
  return new SvcError("SVC_UPSTREAM", `The AI endpoint failed: ${what}`, cause === undefined ? {} : { cause });
}

/** @param key cut out, should the endpoint repeat it. */
export async function refusedBy(response: Response, key: string | undefined): Promise<SvcError> {
  const body = await response.text();
  const told = body.replaceAll(key ?? "\0", "…").slice(0, TOLD_CHARACTERS);
  const error = aiError(`it answered ${response.status} ${told}`.trim());
  const isPassing = response.status >= 500 || PASSING.has(response.status);
  // The mark by which the engine tells errors that another attempt can't mend (graphs/definition/final-error.ts).
  return isPassing ? error : Object.assign(error, { isFinal: true });
}
