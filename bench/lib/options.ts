/** What every bench takes on its command line. */
import { parseArgs } from "node:util";

export interface BenchOptions {
  /** Prints JSON in place of tables. */
  json: boolean;
  /** Few rounds of svc's side alone: shows that the bench works, measures nothing. */
  quick: boolean;
  /** Fails when svc is below its goals: of benches that have any. */
  check: boolean;
  /** Writes the tables into docs/benchmarks.md. */
  update: boolean;
  /** Rounds that each contender gets. */
  rounds: number;
  /** Names of the contenders; empty: all. */
  only: readonly string[];
}

/** @throws TypeError for options that there aren't. */
export function readOptions(defaultRounds: number, args = process.argv.slice(2)): BenchOptions {
  const { values } = parseArgs({
    args,
    options: {
      check: { type: "boolean", default: false },
      json: { type: "boolean", default: false },
      quick: { type: "boolean", default: false },
      update: { type: "boolean", default: false },
      rounds: { type: "string" },
      only: { type: "string", default: "" },
    },
  });
  const rounds = Number(values.rounds ?? (values.quick ? 1 : defaultRounds));
  if (!Number.isInteger(rounds) || rounds < 1) throw new TypeError(`--rounds ${values.rounds}: a whole number from 1`);
  return { ...values, rounds, only: values.only.split(",").filter(Boolean) };
}

/** Those of `names` that were asked for; the first, which is svc, is always one of them. */
export function contenders<T extends string>(names: readonly T[], { quick, only }: BenchOptions): T[] {
  if (quick) return names.slice(0, 1);
  return names.filter((name, at) => at === 0 || only.length === 0 || only.includes(name));
}

/** On a busy machine a bench does with fewer rounds. */
const LIMIT_MS = 180_000;

/** Numbers of the rounds, from 1; no more begin once the bench has run for three minutes. */
export function* roundsOf({ rounds }: BenchOptions): Generator<number> {
  const began = performance.now();
  for (let round = 1; round <= rounds && (round === 1 || performance.now() - began < LIMIT_MS); round++) yield round;
}
