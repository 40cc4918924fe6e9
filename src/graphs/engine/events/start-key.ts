/** The key under which a start counts for the rule of its graph. */
import type { Json } from "../../../platform/shared/json.ts";
import type { StartRules } from "../../definition/start-rule-types.ts";

const MAX_KEY_LENGTH = 255;

/** @param data the data of the event, or the input of the run. @throws the author's errors, and TypeError for another value than a text. */
export function keyOf(graph: string, rules: StartRules, data: Json): string {
  const { key } = rules.debounce ?? rules.throttle ?? rules.rateLimit ?? rules.batchEvents ?? {};
  // The type of the rule says which data its function takes, and the schema of the event or the worker has checked it.
  const value: unknown = key ? key(data as never) : "";
  if (typeof value === "string" && value.length <= MAX_KEY_LENGTH) return value;
  throw new TypeError(`The key of "${graph}" must be a text of at most ${MAX_KEY_LENGTH} characters`);
}
