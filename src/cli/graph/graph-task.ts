/** Turns the words and options of `svc graph <verb>` into one task. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { durationMs } from "../../platform/shared/clock.ts";
import type { Json } from "../../platform/shared/json.ts";
import { parseAttributeFilter } from "../../graphs/definition/attribute-text.ts";
import { UsageError } from "../command.ts";
import { bulkOf, DURATION, filterOf, STEPS, timeOf, type BulkTask } from "./graph-filter.ts";
import type { GraphValues } from "./graph-options.ts";

export type Step = (typeof STEPS)[number] | "terminate";

/** One request to a running app. */
export type GraphTask =
  | { verb: "ls"; query: Record<string, string> }
  | { verb: "show"; id: string }
  | { verb: "tail"; id: string }
  | { verb: "start"; body: Record<string, Json>; isFollowed: boolean; isAwaited: boolean }
  | { verb: "signal"; id: string; body: Record<string, Json> }
  | { verb: "send"; body: Record<string, Json> }
  | { verb: "fork"; id: string; body: Record<string, Json> }
  | {
      verb: "schedules";
      action: "ls" | "pause" | "resume" | "trigger" | "backfill";
      name: string | undefined;
      /** Body of the request. */
      body: Record<string, Json>;
    }
  | { verb: "queues"; action: "ls" | "pause" | "resume"; name: string | undefined; note: string | undefined }
  | { verb: "check"; entry: string; sample: number }
  | BulkTask
  | { verb: Step; id: string; body: Record<string, Json> };

/** Arguments of verbs that are not about a run. */
const NEEDS: Partial<Record<GraphTask["verb"], string>> = {
  start: "the name of a graph or worker",
  send: "the name of an event",
};

/** @throws UsageError */
export function taskOf(
  verb: GraphTask["verb"],
  target: string | undefined,
  name: string | undefined,
  values: GraphValues,
  { cwd, nowMs }: { cwd: string; nowMs: number },
): GraphTask {
  if (verb === "ls") {
    if (target !== undefined) throw new UsageError(`svc graph ls takes no argument "${target}"`);
    return {
      verb,
      query: { ...filterOf(verb, values, nowMs), ...(values.limit !== undefined && { limit: values.limit }) },
    };
  }
  if (verb === "bulk") return bulkOf(target, values, nowMs);
  if (verb === "schedules") return schedulesOf(target, name, values, nowMs);
  if (verb === "queues") return { verb, ...actionOf(verb, ["pause", "resume"], target, name), note: values.note };
  if (verb === "check") return checkOf(target, values, cwd);
  if (target === undefined) throw new UsageError(`svc graph ${verb} needs ${NEEDS[verb] ?? "the id of a run"}`);
  if (verb === "send") return { verb, body: eventOf(target, values, cwd) };
  if (verb === "start")
    return {
      verb,
      body: bodyOf(target, values, cwd),
      isFollowed: values.follow ?? false,
      isAwaited: values.wait ?? false,
    };
  if (verb === "signal") return { verb, id: target, body: signalOf(name, values, cwd) };
  if (verb === "fork") return { verb, id: target, body: forkOf(values, cwd) };
  return verb === "show" || verb === "tail" ? { verb, id: target } : { verb, id: target, body: stepOf(values) };
}

function eventOf(name: string, { input, key }: GraphValues, cwd: string): Record<string, Json> {
  return { name, ...(input !== undefined && { data: readInput(input, cwd) }), ...(key !== undefined && { id: key }) };
}

function schedulesOf(
  target: string | undefined,
  name: string | undefined,
  { note, since, until }: GraphValues,
  nowMs: number,
): GraphTask {
  const asked = actionOf("schedules", ["pause", "resume", "trigger", "backfill"], target, name);
  const noted: Record<string, Json> = note === undefined ? {} : { note };
  const given = since ?? until;
  if (asked.action !== "backfill") {
    if (given !== undefined) throw new UsageError("Only svc graph schedules backfill takes --since and --until");
    return { verb: "schedules", ...asked, body: noted };
  }
  const [from, to] = [timeOf("since", since, nowMs), timeOf("until", until, nowMs)];
  if (from === undefined)
    throw new UsageError("svc graph schedules backfill needs --since, the begin of the period: a time, or 24h");
  return { verb: "schedules", ...asked, body: { from_ms: Number(from), until_ms: Number(to ?? nowMs), ...noted } };
}

/** Without an action, the command prints the list. */
function actionOf<Action extends string>(
  verb: string,
  actions: readonly Action[],
  given: string | undefined,
  name: string | undefined,
): { action: Action | "ls"; name: string | undefined } {
  if (given === undefined) return { action: "ls", name };
  const action = actions.find((known) => known === given);
  if (!action) throw new UsageError(`svc graph ${verb} has no action "${given}"; it has ${actions.join(", ")}`);
  if (name === undefined) throw new UsageError(`svc graph ${verb} ${action} needs a name`);
  return { action, name };
}

function checkOf(target: string | undefined, { app, sample = "200" }: GraphValues, cwd: string): GraphTask {
  if (target !== undefined) throw new UsageError(`svc graph check takes no argument "${target}"`);
  if (!/^\d{1,6}$/.test(sample)) throw new UsageError(`--sample is "${sample}". It must be a whole number`);
  return { verb: "check", entry: resolve(cwd, app ?? "dist/server/app.js"), sample: Number(sample) };
}

function stepOf({ note, from, grace }: GraphValues): Record<string, Json> {
  return {
    ...(note !== undefined && { note }),
    ...(from !== undefined && { from }),
    ...(grace !== undefined && { grace_ms: spanOf("grace", grace) }),
  };
}

function spanOf(flag: string, given: string): number {
  if (!DURATION.test(given)) throw new UsageError(`--${flag} is "${given}". It must be such as 30s or 5m`);
  return durationMs(given);
}

function forkOf({ input, ...values }: GraphValues, cwd: string): Record<string, Json> {
  if (values.from === undefined)
    throw new UsageError("svc graph fork needs --from, the node at which the new run begins");
  return { ...stepOf(values), ...(input !== undefined && { input: readInput(input, cwd) }) };
}

function bodyOf(
  worker: string,
  { input, key, delay, at, ttl, tag, attribute, summary, parent, priority, note }: GraphValues,
  cwd: string,
): Record<string, Json> {
  const body: Record<string, Json> = { worker };
  if (input !== undefined) body["input"] = readInput(input, cwd);
  if (key !== undefined) body["idempotency_key"] = key;
  if (delay !== undefined) {
    if (!/^\d{1,12}$/.test(delay))
      throw new UsageError(`--delay is "${delay}". It must be a whole number of milliseconds`);
    body["delay_ms"] = Number(delay);
  }
  if (at !== undefined) body["at"] = at;
  if (ttl !== undefined) body["ttl_ms"] = spanOf("ttl", ttl);
  if (tag !== undefined) body["tags"] = tag;
  if (attribute !== undefined) body["attributes"] = attributesOf(attribute);
  if (summary !== undefined) body["summary"] = summary;
  if (note !== undefined) body["note"] = note;
  if (parent !== undefined) body["parent"] = { graph_id: parent };
  if (priority !== undefined) {
    if (!/^-?\d{1,9}$/.test(priority)) throw new UsageError(`--priority is "${priority}". It must be a whole number`);
    body["priority"] = Number(priority);
  }
  return body;
}

function attributesOf(given: readonly string[]): Json {
  const bounds = given.find((one) => /^[\w.-]+[<>]/.test(one));
  if (bounds !== undefined)
    throw new UsageError(`--attribute is "${bounds}". A start sets a value: --attribute plan=pro`);
  try {
    return parseAttributeFilter(given.join(" ")) as Json;
  } catch (error) {
    throw new UsageError(`--attribute is not valid: ${(error as Error).message}`, { cause: error });
  }
}

function signalOf(name: string | undefined, { input, key, note }: GraphValues, cwd: string): Record<string, Json> {
  if (name === undefined) throw new UsageError("svc graph signal needs the id of a run and the name of a signal");
  const body: Record<string, Json> = { name };
  if (input !== undefined) body["payload"] = readInput(input, cwd);
  if (key !== undefined) body["idempotency_key"] = key;
  if (note !== undefined) body["note"] = note;
  return body;
}

/** @param given JSON, or `@` and the path of a file with JSON. */
function readInput(given: string, cwd: string): Json {
  const text = given.startsWith("@") ? readFileSync(resolve(cwd, given.slice(1)), "utf8") : given;
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    throw new UsageError(`--input is not valid JSON: ${(error as Error).message}`, { cause: error });
  }
}
