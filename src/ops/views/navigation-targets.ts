/** Where one can go from any screen: screens, lists by status and by worker, a run by its id. Pure. */
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
/** Of apps with more, the others are on the screen of workers. */
const MOST_WORKERS = 200;
const RUN_ID = /^g_\w{1,80}$/;

export function navigationTargetsOf(workers: readonly string[]): NavigationTarget[] {
  const runs = (name: string, filter: Parameters<typeof queryText>[0]): NavigationTarget => ({
    name,
    href: `${RUNS_PATH}?${queryText(filter)}`,
  });
  return [
    ...SECTIONS.map(([name, path]) => ({ name, href: OPS_PATH + path })),
    { name: "Overview of the last day", href: `${OPS_PATH}?range=day` },
    { name: "Keys and times", href: `${OPS_PATH}/settings#keys` },
    ...STATUSES.map((status) => runs(`Runs that are ${status}`, { status })),
    runs("Runs that failed in the last hour", { status: "failed", ended: "1h" }),
    ...workers.slice(0, MOST_WORKERS).map((worker) => runs(`Runs of ${worker}`, { worker })),
  ];
}

/** Those whose name has every word of it, in any order; before them the run whose id it is. */
export function navigationTargetsFor(text: string, places: readonly NavigationTarget[]): NavigationTarget[] {
  const words = text.toLowerCase().split(/\s+/);
  const fitting = places.filter(({ name }) => words.every((word) => name.toLowerCase().includes(word)));
  const id = text.trim();
  if (!RUN_ID.test(id)) return fitting;
  return [
    { name: `Open run ${id}`, href: `${RUNS_PATH}/${id}` },
    { name: `Runs whose id begins with ${id}`, href: `${RUNS_PATH}?${queryText({ id })}` },
    ...fitting,
  ];
}

/** Address of the comparison; without another one, of the choice of it. */
export function compareHref(one: string, other?: string, node?: string): string {
  const query = new URLSearchParams({
    run: one,
    ...(other !== undefined && { with: other }),
    ...(node !== undefined && { node }),
  });
  return `${RUNS_PATH}/compare?${query.toString()}`;
}
