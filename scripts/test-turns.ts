/**
 * In what order groups of tests run, and what is made of those that fail. A browser story that fails while another one has the second processor may have met the
 * machine's limits or an error of ours: where asked for, it runs once more with nothing beside it, and both outcomes are told (decision 068).
 */
import type { Counts } from "./reporter.ts";

export interface Group {
  name: string;
  /** Files of one process. */
  files: string[];
  /** Whether it starts servers and browsers of its own, and has a process for them. */
  isOfOneFile?: true;
}

export interface TurnOptions {
  /** Groups that run side by side. */
  atOnce: number;
  /** Whether groups of one file that fail run once more when all others are done. */
  triesAgain: boolean;
}

export interface Total extends Counts {
  /** Names of groups that failed and then passed alone. */
  unsteady: string[];
}

/** More than these are no accident: then none runs again. */
const MOST_AGAIN = 3;

/** Takes one group after another until none is left. */
export async function runAll(
  groups: readonly Group[],
  run: (group: Group) => Promise<Counts>,
  { atOnce, triesAgain }: TurnOptions,
): Promise<Total> {
  const outcomes = new Map<Group, Counts>();
  const waiting = [...groups];
  const take = async (): Promise<void> => {
    for (let group = waiting.shift(); group; group = waiting.shift()) outcomes.set(group, await run(group));
  };
  await Promise.all(Array.from({ length: atOnce }, take));
  const failed = groups.filter((group) => outcomes.get(group)?.failed);
  const isAccident = failed.length <= MOST_AGAIN && failed.every(({ isOfOneFile }) => isOfOneFile);
  const unsteady: string[] = [];
  for (const group of triesAgain && isAccident ? failed : []) {
    const counts = await run(group);
    outcomes.set(group, counts);
    if (counts.failed === 0) unsteady.push(group.name);
  }
  return { ...sum(outcomes.values()), unsteady };
}

function sum(all: Iterable<Counts>): Counts {
  const total: Counts = { passed: 0, failed: 0, skipped: 0 };
  for (const { passed, failed, skipped } of all) {
    total.passed += passed;
    total.failed += failed;
    total.skipped += skipped;
  }
  return total;
}
