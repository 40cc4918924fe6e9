/** Command-line options of every bench. */
import { parseArgs } from "node:util";

export interface BenchOptions {
  /** Prints JSON instead of tables. */
  json: boolean;
  /** Runs few rounds of svc alone: tests the bench and measures nothing. */
  quick: boolean;
  /** Fails if svc is below its goals, in benches with goals. */
  check: boolean;
  /** Writes the tables into docs/benchmarks.md. */
  update: boolean;
  /** Rounds per contender. */
  rounds: number;
  /** Names of the contenders; empty: all. */
  only: readonly string[];
}

/** @throws TypeError for unknown options */
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

/** The selected contenders; the first one, svc, is always included. */
export function contenders<T extends string>(names: readonly T[], { quick, only }: BenchOptions): T[] {
  if (quick) return names.slice(0, 1);
  return names.filter((name, at) => at === 0 || only.length === 0 || only.includes(name));
}

/** Limits the duration on a busy machine. */
const LIMIT_MS = 180_000;

/** Numbers of the rounds, from 1; no round starts after three minutes. */
export function* roundsOf({ rounds }: BenchOptions): Generator<number> {
  const began = performance.now();
  for (let round = 1; round <= rounds && (round === 1 || performance.now() - began < LIMIT_MS); round++) yield round;
}
