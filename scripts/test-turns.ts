/**
 * Order of test groups, and handling of failures. A browser story that fails while another one uses the second processor may have hit the
 * machine's limits or a bug of ours. On request it runs once more alone, and both outcomes are reported (decision 068).
 */
import type { Counts } from "./reporter.ts";

export interface Group {
  name: string;
  /** Files that run in one process. */
  files: string[];
  /** Whether it starts its own servers and browsers, and therefore has its own process. */
  isOfOneFile?: true;
}

export interface TurnOptions {
  /** Number of concurrent groups. */
  atOnce: number;
  /** Whether failed groups of one file run once more after all others. */
  triesAgain: boolean;
}

export interface Total extends Counts {
  /** Names of groups that failed and then passed alone. */
  unsteady: string[];
}

/** With more failures than this, none runs again. */
const MOST_AGAIN = 3;

/** Runs one group after another until none is left. */
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
