/**
 * Clients that rate limits refused in the last hour in this process. An attack from many addresses takes no more memory than one from
 * few: the most refused ones are kept, by the algorithm "space-saving" (Metwally, Agrawal, El Abbadi, 2005). In memory only: visitors'
 * addresses do not belong in a database for an operator's chart.
 */
import type { Clock } from "../../../platform/shared/clock.ts";

const STEP_MS = 5 * 60_000;
/** The last one is not over. */
const STEPS = 12;
/** Clients to keep for each step: more than anybody reads. */
const MOST = 50;

/** One client and one limit. */
export interface RefusedCaller {
  /** Address; the /64 for IPv6. */
  client: string;
  /** Name of the limit, as in its headers: `actions`, `submits`, `action-save`, or one of `rateLimit`. */
  limit: string;
  /** The last target: an action, a submit, the pattern of a route. */
  target: string;
  /** Refusals in the last hour; a lower bound if very many others were refused. */
  count: number;
  /** Unix milliseconds. */
  first_ms: number;
  last_ms: number;
}

interface Counted extends RefusedCaller {
  /** Rank: includes the count of the entry that it replaced. */
  weight: number;
}

interface Step {
  readonly at: number;
  readonly callers: Map<string, Counted>;
  /** Total of all clients. */
  count: number;
}

export class RefusedCallers {
  readonly #clock: Clock;
  #steps: Step[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(client: string, limit: string, target: string): void {
    const nowMs = this.#clock.now();
    const step = this.#stepAt(nowMs);
    step.count++;
    const key = `${limit} ${client}`;
    const known = step.callers.get(key);
    if (known) {
      known.count++;
      known.weight++;
      known.target = target;
      known.last_ms = nowMs;
      return;
    }
    const weight = 1 + (step.callers.size < MOST ? 0 : removeLeast(step.callers));
    step.callers.set(key, { client, limit, target, count: 1, weight, first_ms: nowMs, last_ms: nowMs });
  }

  /** Clients of the last hour, most refused first. */
  read(): { count: number; callers: RefusedCaller[] } {
    const steps = this.#recent(this.#clock.now());
    const sums = new Map<string, RefusedCaller>();
    for (const { callers } of steps)
      for (const [key, { weight: _, ...caller }] of callers) {
        const { count, first_ms } = sums.get(key) ?? { count: 0, first_ms: caller.first_ms };
        sums.set(key, { ...caller, count: count + caller.count, first_ms });
      }
    return {
      count: steps.reduce((sum, { count }) => sum + count, 0),
      callers: [...sums.values()].sort((a, b) => b.count - a.count || b.last_ms - a.last_ms),
    };
  }

  #stepAt(nowMs: number): Step {
    const at = Math.floor(nowMs / STEP_MS);
    const last = this.#steps.at(-1);
    if (last?.at === at) return last;
    const step: Step = { at, callers: new Map(), count: 0 };
    this.#steps = [...this.#recent(nowMs), step];
    return step;
  }

  /** Oldest first. */
  #recent(nowMs: number): Step[] {
    const first = Math.floor(nowMs / STEP_MS) - STEPS;
    return this.#steps.filter(({ at }) => at > first);
  }
}

/** @returns rank of the removed entry */
function removeLeast(callers: Map<string, Counted>): number {
  let least: [key: string, weight: number] | undefined;
  for (const [key, { weight }] of callers) if (!least || weight < least[1]) least = [key, weight];
  if (!least) return 0;
  callers.delete(least[0]);
  return least[1];
}
