/** Reads what stands behind `svc graph` into one thing to do. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { parseArgs } from "node:util";
import { durationMs } from "../../platform/shared/clock.ts";
import type { Json } from "../../platform/shared/json.ts";
import { didYouMean } from "../../platform/shared/did-you-mean.ts";
import { VARIABLES } from "../../platform/shared/wire.ts";
import { bulkOf, DURATION, filterOf, STEPS, type BulkTask } from "./graph-filter.ts";
import { readOptions } from "../options.ts";

export type Step = (typeof STEPS)[number];

/** What is asked of a running server. */
export type GraphTask =
  | { verb: "ls"; query: Record<string, string> }
  | { verb: "show"; id: string }
  | { verb: "tail"; id: string }
  | { verb: "start"; body: Record<string, Json>; isFollowed: boolean; isAwaited: boolean }
  | { verb: "signal"; id: string; body: Record<string, Json> }
  | { verb: "fork"; id: string; body: Record<string, Json> }
  | {
      verb: "schedules";
      action: "ls" | "pause" | "resume" | "trigger";
      name: string | undefined;
      note: string | undefined;
    }
  | { verb: "queues"; action: "ls" | "pause" | "resume"; name: string | undefined; note: string | undefined }
  | { verb: "check"; entry: string; sample: number }
  | BulkTask
  | { verb: Step; id: string; body: Record<string, Json> };

export interface GraphCommand {
  task: GraphTask;
  /** Where the server is. */
  url: string;
  json: boolean;
}

export type GraphInvocation =
  | { kind: "graph"; command: GraphCommand }
  | { kind: "tell"; text: string }
  | { kind: "mistake"; text: string };

const OPTIONS = {
  help: { type: "boolean", short: "h" },
  json: { type: "boolean" },
  url: { type: "string" },
  input: { type: "string" },
  key: { type: "string" },
  delay: { type: "string" },
  tag: { type: "string", multiple: true },
  at: { type: "string" },
  follow: { type: "boolean", short: "f" },
  wait: { type: "boolean", short: "w" },
  from: { type: "string" },
  app: { type: "string" },
  sample: { type: "string" },
  note: { type: "string" },
  worker: { type: "string" },
  status: { type: "string" },
  limit: { type: "string" },
  since: { type: "string" },
  until: { type: "string" },
  longer: { type: "string" },
  shorter: { type: "string" },
  "finished-since": { type: "string" },
  "finished-until": { type: "string" },
  before: { type: "string" },
  id: { type: "string" },
  error: { type: "string" },
  summary: { type: "string" },
  origin: { type: "string" },
  parent: { type: "string" },
  priority: { type: "string" },
  grace: { type: "string" },
  yes: { type: "boolean", short: "y" },
} as const;

type Values = ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>["values"];
type Flag = keyof typeof OPTIONS;

/** What picks graphs out of many. */
const FILTERS: readonly Flag[] = [
  "worker",
  "status",
  "tag",
  "since",
  "until",
  "id",
  "error",
  "summary",
  "origin",
  "parent",
  "longer",
  "shorter",
  "finished-since",
  "finished-until",
];

/** Flags of each verb, beside those of all. */
const FLAGS: Record<GraphTask["verb"], readonly Flag[]> = {
  ls: [...FILTERS, "limit"],
  bulk: [...FILTERS, "before", "note", "yes"],
  show: [],
  tail: [],
  start: ["input", "key", "delay", "at", "tag", "summary", "parent", "priority", "note", "follow", "wait"],
  pause: ["note", "grace"],
  resume: ["note"],
  cancel: ["note"],
  retry: ["note", "from"],
  fork: ["from", "input", "note"],
  schedules: ["note"],
  queues: ["note"],
  check: ["app", "sample"],
  signal: ["input", "key", "note"],
};
/** Verbs with something behind their first argument. */
const TWO_WORDS: readonly string[] = ["signal", "schedules", "queues"];
const COMMON: readonly Flag[] = ["help", "json", "url"];

const GRAPH_HELP = `svc graph: look at and steer the graphs of a running app

Usage: svc graph <verb> [options]

  ls                    graphs, newest first (--worker, --status, --tag, --since, --until, --id, --error, --summary,
                        --origin, --parent, --longer, --shorter, --finished-since, --finished-until,
                        --limit)
  show <id>             one graph and its nodes
  start <worker>        start a graph or a worker by its name (--input, --key, --delay, --at, --tag, --summary, --parent,
                        --priority, --note, --follow, --wait)
  tail <id>             its events, as they come; ends with it
  signal <id> <name>    tell a graph what it waits for (--input, --key, --note)
  pause <id>            and resume, cancel, retry (--note "why", kept in its events; pause --grace, retry --from <node>)
  bulk <step>           pause, resume, cancel, retry or purge all that the filters of ls find (--note; purge --before);
                        tells how many these are, and does it with --yes
  fork <id>             a new graph that begins at a node of this one (--from, --input, --note)
  schedules             what starts by the clock; schedules pause, resume, trigger <name> (--note)
  queues                what waits for which worker; queues pause, resume <worker> (--note)
  check                 whether graphs of the running app fit the code of dist/server/app.js (--app, --sample)

  --url <url>           where the app is (default: ${VARIABLES.siteUrl}, else http://127.0.0.1 and PORT or 3000)
  --json                as JSON, for programs: one value, or one a line
  --input <json>        input of start, payload of signal: JSON, or @file.json
  --key <text>          idempotency key of start and signal: the same key again is the same graph, the same signal
  --delay <ms>          milliseconds before it starts
  --at <time>           time before which it does not start: 2026-03-29T06:00:00Z
  --since <time>        created since: a time, or how long ago, such as 24h; --until likewise
  --finished-since <time>  ended since: a time, or how long ago; --finished-until likewise
  --longer <time>       took so long or longer, or has been under way so long: 30s; --shorter <time> less than that
  --before <time>       has purge take what had ended by then; a time, or how long ago
  --id <text>           ids that begin so; --error <text> errors that hold it; --parent <id> children of that graph
  --summary <text>      what the graph is, in a few words; of ls and bulk: those whose summary holds it
  --origin <kind>       what started it: action, form, route, api, cli, operator, schedule, graph, fork or code
  --priority <number>   of a start; higher goes first (default 0)
  --grace <time>        how long pause waits before attempts are aborted: 30s
  --yes, -y             has bulk do what it would do
  --follow, -f          has start print the events, as tail does
  --wait, -w            has start wait for the end, and print the result
  --from <node>         the node that retry and fork begin at, or an item such as inspect/3
  --app <file>          the app that check reads definitions from
  --sample <count>      how many of the graphs that have ended check looks at, by status (default 200)

The key of the operator endpoints is read from ${VARIABLES.execApiKey}.
Exit code: 0 all is well, 1 it failed, the graph that was followed has, or check found graphs that would break,
2 called wrongly.

Examples:
  svc graph start audit --input @lockfile.json --follow
  svc graph ls --status failed
  svc graph cancel g_… --note "wrong input"
  svc graph bulk retry --status failed --error ECONNREFUSED --since 24h --yes`;

/** @param args behind `graph`. @param cwd what a relative file starts from. @param nowMs what "24h ago" counts from. */
export function readGraphArguments(
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string | undefined>>,
  nowMs = Date.now(),
): GraphInvocation {
  let parsed;
  try {
    parsed = readOptions({ args: [...args], options: OPTIONS, allowPositionals: true });
  } catch (error) {
    return mistake((error as Error).message);
  }
  const { values, positionals } = parsed;
  const [verb, target, ...others] = positionals;
  const [name, ...rest] = TWO_WORDS.includes(verb ?? "") ? others : [undefined, ...others];
  if (values.help || verb === undefined)
    return values.help ? { kind: "tell", text: GRAPH_HELP } : mistake(`No verb given; it may be ${VERBS}`);
  if (!isVerb(verb)) return mistake(`svc graph knows no "${verb}"; ${meantBy(verb)}`);
  if (rest.length > 0) return mistake(`svc graph ${verb} takes no argument "${rest[0]}"`);
  const foreign = (Object.keys(values) as Flag[]).find((flag) => ![...COMMON, ...FLAGS[verb]].includes(flag));
  if (foreign !== undefined) return mistake(`svc graph ${verb} takes no --${foreign}`);
  try {
    const task = taskOf(verb, target, name, values, { cwd, nowMs });
    return { kind: "graph", command: { task, url: appUrl(values.url, env), json: values.json ?? false } };
  } catch (error) {
    return mistake((error as Error).message);
  }
}

const VERBS = Object.keys(FLAGS).join(", ");

function meantBy(verb: string): string {
  const meant = didYouMean(verb, Object.keys(FLAGS));
  return meant === undefined ? `it knows ${VERBS}` : `did you mean "${meant}"?`;
}

function isVerb(verb: string): verb is GraphTask["verb"] {
  return Object.hasOwn(FLAGS, verb);
}

function taskOf(
  verb: GraphTask["verb"],
  target: string | undefined,
  name: string | undefined,
  values: Values,
  { cwd, nowMs }: { cwd: string; nowMs: number },
): GraphTask {
  if (verb === "ls") {
    if (target !== undefined) throw new Error(`svc graph ls takes no argument "${target}"`);
    return {
      verb,
      query: { ...filterOf(verb, values, nowMs), ...(values.limit !== undefined && { limit: values.limit }) },
    };
  }
  if (verb === "bulk") return bulkOf(target, values, nowMs);
  if (verb === "schedules")
    return { verb, ...actionOf(verb, ["pause", "resume", "trigger"], target, name), note: values.note };
  if (verb === "queues") return { verb, ...actionOf(verb, ["pause", "resume"], target, name), note: values.note };
  if (verb === "check") return checkOf(target, values, cwd);
  if (target === undefined)
    throw new Error(`svc graph ${verb} needs ${verb === "start" ? "the name of a worker" : "the id of a graph"}`);
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

/** Without an action behind it the list. */
function actionOf<Action extends string>(
  verb: string,
  actions: readonly Action[],
  given: string | undefined,
  name: string | undefined,
): { action: Action | "ls"; name: string | undefined } {
  if (given === undefined) return { action: "ls", name };
  const action = actions.find((known) => known === given);
  if (!action) throw new Error(`svc graph ${verb} knows no "${given}"; it knows ${actions.join(", ")}`);
  if (name === undefined) throw new Error(`svc graph ${verb} ${action} needs a name`);
  return { action, name };
}

function checkOf(target: string | undefined, { app, sample = "200" }: Values, cwd: string): GraphTask {
  if (target !== undefined) throw new Error(`svc graph check takes no argument "${target}"`);
  if (!/^\d{1,6}$/.test(sample)) throw new Error(`--sample is "${sample}"; it must be a whole number`);
  return { verb: "check", entry: resolve(cwd, app ?? "dist/server/app.js"), sample: Number(sample) };
}

function stepOf({ note, from, grace }: Values): Record<string, Json> {
  if (grace !== undefined && !DURATION.test(grace))
    throw new Error(`--grace is "${grace}"; it must be such as 30s or 5m`);
  return {
    ...(note !== undefined && { note }),
    ...(from !== undefined && { from }),
    ...(grace !== undefined && { grace_ms: durationMs(grace) }),
  };
}

function forkOf({ input, ...values }: Values, cwd: string): Record<string, Json> {
  if (values.from === undefined) throw new Error("svc graph fork needs --from, the node that the new graph begins at");
  return { ...stepOf(values), ...(input !== undefined && { input: readInput(input, cwd) }) };
}

function bodyOf(
  worker: string,
  { input, key, delay, at, tag, summary, parent, priority, note }: Values,
  cwd: string,
): Record<string, Json> {
  const body: Record<string, Json> = { worker };
  if (input !== undefined) body["input"] = readInput(input, cwd);
  if (key !== undefined) body["idempotency_key"] = key;
  if (delay !== undefined) {
    if (!/^\d{1,12}$/.test(delay)) throw new Error(`--delay is "${delay}"; it must be a whole number of milliseconds`);
    body["delay_ms"] = Number(delay);
  }
  if (at !== undefined) body["at"] = at;
  if (tag !== undefined) body["tags"] = tag;
  if (summary !== undefined) body["summary"] = summary;
  if (note !== undefined) body["note"] = note;
  if (parent !== undefined) body["parent"] = { graph_id: parent };
  if (priority !== undefined) {
    if (!/^-?\d{1,9}$/.test(priority)) throw new Error(`--priority is "${priority}"; it must be a whole number`);
    body["priority"] = Number(priority);
  }
  return body;
}

function signalOf(name: string | undefined, { input, key, note }: Values, cwd: string): Record<string, Json> {
  if (name === undefined) throw new Error("svc graph signal needs the id of a graph and the name of a signal");
  const body: Record<string, Json> = { name };
  if (input !== undefined) body["payload"] = readInput(input, cwd);
  if (key !== undefined) body["idempotency_key"] = key;
  if (note !== undefined) body["note"] = note;
  return body;
}

/** JSON, or `@` and the file that holds it. */
function readInput(given: string, cwd: string): Json {
  const text = given.startsWith("@") ? readFileSync(resolve(cwd, given.slice(1)), "utf8") : given;
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    throw new Error(`--input is no JSON: ${(error as Error).message}`, { cause: error });
  }
}

/** Where the app is: as given, else of this environment. @throws Error that tells of what is no address. */
export function appUrl(given: string | undefined, env: Readonly<Record<string, string | undefined>>): string {
  const url = given ?? (env[VARIABLES.siteUrl] || `http://127.0.0.1:${env[VARIABLES.port] || 3000}`);
  if (!/^https?:\/\/./i.test(url) || !URL.canParse(url))
    throw new Error(
      `${given === undefined ? VARIABLES.siteUrl : "--url"} is "${url}"; it must be an address such as http://127.0.0.1:3000`,
    );
  return url;
}

function mistake(text: string): GraphInvocation {
  return { kind: "mistake", text: `${text}\n\nsvc graph --help tells more.` };
}
