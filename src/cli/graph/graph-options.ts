/** Verbs and options of `svc graph`: one table for parsing and for the help. */
import { RUNNING_APP } from "../app-options.ts";
import type { Values } from "../command.ts";

export const GRAPH_OPTIONS = {
  ...RUNNING_APP,
  json: { type: "boolean", help: "print JSON: one value, or one value on each line" },
  input: {
    type: "string",
    value: "<json>",
    help: "input of start, payload of signal, data of send: JSON, or @file.json",
  },
  key: {
    type: "string",
    value: "<text>",
    help: "idempotency key of start and signal, id of send: the same key again is the same run, signal or event",
  },
  delay: { type: "string", value: "<ms>", help: "milliseconds before the run starts" },
  at: { type: "string", value: "<time>", help: "earliest start of the run: 2026-03-29T06:00:00Z" },
  ttl: { type: "string", value: "<time>", help: "longest time for which the new run waits for its key: 10m" },
  tag: {
    type: "string",
    multiple: true,
    value: "<text>",
    help: "tags of the new run; ls and bulk: runs with this tag",
  },
  attribute: {
    type: "string",
    multiple: true,
    value: "<condition>",
    help: 'attributes of the new run: plan=pro; ls and bulk: runs that have them, also "cents>=500"',
  },
  summary: {
    type: "string",
    value: "<text>",
    help: "one-line summary of the new run; ls and bulk: summaries that contain it",
  },
  parent: { type: "string", value: "<id>", help: "parent of the new run; ls and bulk: children of this run" },
  priority: { type: "string", value: "<number>", help: "priority of the new run; higher runs first (default: 0)" },
  note: { type: "string", value: "<text>", help: "reason, kept in the run's events" },
  follow: { type: "boolean", short: "f", help: "print the events of the new run, as tail does" },
  wait: { type: "boolean", short: "w", help: "wait for the new run to end, and print its result" },
  from: {
    type: "string",
    value: "<node>",
    help: "first node of retry and fork, or an item such as inspect/3; fork: also a step such as charge#refund",
  },
  grace: { type: "string", value: "<time>", help: "time that pause waits before it aborts attempts: 30s" },
  worker: { type: "string", value: "<name>", help: "runs of this graph or worker" },
  status: { type: "string", value: "<status>", help: "runs with this status" },
  id: { type: "string", value: "<text>", help: "runs whose id begins with this text" },
  error: { type: "string", value: "<text>", help: "runs whose error contains this text" },
  origin: {
    type: "string",
    value: "<kind>",
    help: "runs started by an action, form, route, api, cli, operator, schedule, graph, fork or code",
  },
  since: {
    type: "string",
    value: "<time>",
    help: "runs created since a time, or for a time span such as 24h; begin of backfill",
  },
  until: { type: "string", value: "<time>", help: "runs created until then; end of backfill (default: now)" },
  "finished-since": { type: "string", value: "<time>", help: "runs that ended since a time, or in a time span" },
  "finished-until": { type: "string", value: "<time>", help: "runs that ended until then" },
  longer: {
    type: "string",
    value: "<time>",
    help: "runs that took at least this time, or have been running so long: 30s",
  },
  shorter: { type: "string", value: "<time>", help: "runs that took less than this time" },
  limit: { type: "string", value: "<count>", help: "number of runs to list" },
  before: { type: "string", value: "<time>", help: "purge runs that had ended by a time, or a time span ago" },
  yes: { type: "boolean", short: "y", help: "execute the bulk command (default: only count the runs)" },
  app: { type: "string", value: "<file>", help: "app whose definitions check reads (default: dist/server/app.js)" },
  sample: { type: "string", value: "<count>", help: "ended runs that check reads for each status (default: 200)" },
} as const;

export type GraphOption = keyof typeof GRAPH_OPTIONS;
export type GraphValues = Values<typeof GRAPH_OPTIONS>;

/** Options that select runs. */
const FILTERS: readonly GraphOption[] = [
  "worker",
  "status",
  "tag",
  "attribute",
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

interface Verb {
  readonly words: string;
  readonly summary: string;
  /** Options in addition to those of all verbs. */
  readonly options: readonly GraphOption[];
  /** Takes a name after its first argument. */
  readonly hasName?: true;
}

const START: readonly GraphOption[] = [
  "input",
  "key",
  "delay",
  "at",
  "ttl",
  "tag",
  "attribute",
  "summary",
  "parent",
  "priority",
  "note",
  "follow",
  "wait",
];

export const VERBS = {
  ls: { words: "", summary: "list runs, newest first", options: [...FILTERS, "limit"] },
  show: { words: "<id>", summary: "show a run and its nodes", options: [] },
  start: { words: "<name>", summary: "start a run of a graph or worker", options: START },
  tail: { words: "<id>", summary: "print the events of a run until it ends", options: [] },
  signal: {
    words: "<id> <name>",
    summary: "send a signal to a run",
    options: ["input", "key", "note"],
    hasName: true,
  },
  send: { words: "<event>", summary: "send an event to all runs", options: ["input", "key"] },
  pause: { words: "<id>", summary: "pause a run", options: ["note", "grace"] },
  resume: { words: "<id>", summary: "resume a paused run", options: ["note"] },
  cancel: { words: "<id>", summary: "cancel a run", options: ["note"] },
  terminate: { words: "<id>", summary: "end a run at once, without compensation", options: ["note"] },
  retry: { words: "<id>", summary: "retry a failed run, or part of it", options: ["note", "from"] },
  fork: { words: "<id>", summary: "start a new run at a node of this one", options: ["from", "input", "note"] },
  bulk: {
    words: "<verb>",
    summary: "count the runs that the filters of ls select; with --yes: pause, resume, cancel, retry or purge them",
    options: [...FILTERS, "before", "note", "yes"],
  },
  schedules: {
    words: "[<verb> <name>]",
    summary: "list schedules; pause, resume, trigger or backfill one (--since, --until)",
    options: ["note", "since", "until"],
    hasName: true,
  },
  queues: { words: "[<verb> <worker>]", summary: "list queues; pause or resume one", options: ["note"], hasName: true },
  check: {
    words: "",
    summary: "check stored runs against the definitions of a build",
    options: ["app", "sample"],
  },
} as const satisfies Record<string, Verb>;

export type GraphVerb = keyof typeof VERBS;

const COMMON: readonly GraphOption[] = ["json", "url"];

export function isVerb(verb: string): verb is GraphVerb {
  return Object.hasOwn(VERBS, verb);
}

export function isNamed(verb: string): boolean {
  const known: Verb | undefined = isVerb(verb) ? VERBS[verb] : undefined;
  return known?.hasName === true;
}

/** @returns an option that the verb does not take. */
export function foreignOption(verb: GraphVerb, values: GraphValues): GraphOption | undefined {
  const taken: readonly GraphOption[] = [...COMMON, ...VERBS[verb].options];
  // The parser accepts the options of the table only.
  return (Object.keys(values) as GraphOption[]).find((option) => !taken.includes(option));
}

/** The verbs with their options, for the help. */
export function verbLines(): string {
  const names = Object.entries<Verb>(VERBS).map(([verb, { words }]) => `${verb} ${words}`.trim());
  const width = Math.max(...names.map((name) => name.length));
  const lines = Object.values<Verb>(VERBS).map(({ summary, options }, at) => {
    const list = wrapped(
      options.map((option) => `--${option}`),
      116 - width,
    );
    return [
      `  ${(names[at] ?? "").padEnd(width)}  ${summary}`,
      ...list.map((line) => `  ${" ".repeat(width)}  ${line}`),
    ];
  });
  return ["Verbs:", ...lines.flat()].join("\n");
}

function wrapped(words: readonly string[], width: number): string[] {
  const lines: string[] = [];
  for (const word of words) {
    const last = lines.at(-1);
    if (last === undefined || last.length + word.length + 1 > width) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}

export const EXIT_CODES = `Exit code: 0 success; 1 the command failed, a followed run failed, or check found runs that would break; 2 usage error.`;
