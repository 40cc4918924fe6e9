/** The targets of the command palette: screens, lists by status and by worker, a run by its ID. Pure. */
import { OPS_PATH, RUNS_PATH } from "../operator-access.ts";
import { queryText, STATUSES } from "./runs/runs-query.ts";

export interface NavigationTarget {
  name: string;
  href: string;
}

export const SECTIONS: readonly (readonly [name: string, path: string, key: string])[] = [
  ["Overview", "", "o"],
  ["Runs", "/runs", "r"],
  ["Queues", "/queues", "q"],
  ["Schedules", "/schedules", "s"],
  ["Webhooks", "/webhooks", "w"],
  ["Workers", "/workers", "k"],
  ["Requests", "/requests", "n"],
  ["Audit trail", "/audit", "a"],
  ["Settings", "/settings", "e"],
];
/** Further workers are only on the Workers screen. */
const MOST_WORKERS = 200;
const RUN_ID = /^g_\w{1,80}$/;

export function navigationTargetsOf(workers: readonly string[]): NavigationTarget[] {
  const runs = (name: string, filter: Parameters<typeof queryText>[0]): NavigationTarget => ({
    name,
    href: `${RUNS_PATH}?${queryText(filter)}`,
  });
  return [
    ...SECTIONS.map(([name, path]) => ({ name, href: OPS_PATH + path })),
    { name: "Overview of the last 24 hours", href: `${OPS_PATH}?range=day` },
    { name: "Keys and times", href: `${OPS_PATH}/settings#keys` },
    ...STATUSES.map((status) => runs(`Runs: ${status}`, { status })),
    runs("Runs: failed in the last hour", { status: "failed", ended: "1h" }),
    ...workers.slice(0, MOST_WORKERS).map((worker) => runs(`Runs of ${worker}`, { worker })),
  ];
}

/** The targets whose name contains every word of the text, in any order; first the run with that ID. */
export function navigationTargetsFor(text: string, places: readonly NavigationTarget[]): NavigationTarget[] {
  const words = text.toLowerCase().split(/\s+/);
  const fitting = places.filter(({ name }) => words.every((word) => name.toLowerCase().includes(word)));
  const id = text.trim();
  if (!RUN_ID.test(id)) return fitting;
  return [
    { name: `Open run ${id}`, href: `${RUNS_PATH}/${id}` },
    { name: `Runs whose ID starts with ${id}`, href: `${RUNS_PATH}?${queryText({ id })}` },
    ...fitting,
  ];
}

/** The URL of a comparison; without `other`, of the page to choose it. */
export function compareHref(one: string, other?: string, node?: string): string {
  const query = new URLSearchParams({
    run: one,
    ...(other !== undefined && { with: other }),
    ...(node !== undefined && { node }),
  });
  return `${RUNS_PATH}/compare?${query.toString()}`;
}
