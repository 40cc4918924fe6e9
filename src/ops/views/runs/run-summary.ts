/** The texts of a run's row: summary, origin and attempts. Pure. */
import type { Origin, Snapshot } from "../../../graph.ts";
import { OPS_PATH, RUNS_PATH } from "../../operator-access.ts";
import { redacted, type RedactOptions } from "./payload.ts";
import { shortId } from "../format.ts";

/** Labels of the origin kinds, in the filter and before an origin's name. */
const KINDS: Readonly<Record<Origin["kind"], string>> = {
  action: "action",
  form: "form",
  route: "route",
  api: "API",
  cli: "svc graph",
  operator: "operator",
  schedule: "schedule",
  event: "event",
  graph: "parent",
  fork: "fork",
  code: "code",
};

export const ORIGINS: readonly (readonly [kind: Origin["kind"], label: string])[] = (
  Object.keys(KINDS) as Origin["kind"][]
).map((kind) => [kind, KINDS[kind]]);

export interface OriginWords {
  kind: string;
  /** Which one of its kind; empty if that adds nothing. */
  name: string;
  /** Link to the origin. */
  href: string | undefined;
}

/** Undefined for runs created before origins were recorded. */
export function originWords({ origin, parent, forked_from: forkedFrom }: Snapshot): OriginWords | undefined {
  if (origin === null) return undefined;
  const kind = KINDS[origin.kind];
  const run = origin.kind === "graph" ? parent?.graph_id : origin.kind === "fork" ? forkedFrom : undefined;
  if (run) return { kind, name: shortId(run), href: `${RUNS_PATH}/${run}` };
  const name = origin.name ?? "";
  return { kind, name, href: origin.kind === "schedule" ? `${OPS_PATH}/schedules` : undefined };
}

/** Empty without a summary. Hidden if the app's list of hidden keys contains `summary`. */
export function summaryText({ summary }: Snapshot, keys: RedactOptions["keys"]): string {
  if (summary === null) return "";
  const shown = redacted({ summary }, { keys, isRevealed: false });
  return (shown as { summary: string }).summary;
}

export interface Tries {
  /** Attempts of all nodes in the current epoch. */
  all: number;
  /** Attempts that were retries. */
  again: number;
}

export function triesOf({ nodes }: Snapshot): Tries {
  const counts = nodes.filter(({ kind }) => kind === "node").map(({ attempts }) => attempts);
  const sum = (of: (count: number) => number): number => counts.reduce((all, count) => all + of(count), 0);
  return { all: sum((count) => count), again: sum((count) => Math.max(0, count - 1)) };
}
