/** What of a request took how long: noted only where somebody wants to know (traces, `Server-Timing` in development). */
import type { Context } from "../../platform/http/types.ts";

export interface Phase {
  /** `load`, `render`, `action addTodo` */
  name: string;
  /** On the clock of `performance.now()`. */
  startMs: number;
  durationMs: number;
  hasFailed: boolean;
}

export class Phases {
  readonly #isWanted: boolean;
  readonly #byRequest = new WeakMap<Context, Phase[]>();

  constructor(isWanted: boolean) {
    this.#isWanted = isWanted;
  }

  /** Runs a part of answering a request; of a promise, the time until it is settled. */
  time<Value>(ctx: Context, name: string, run: () => Value): Value {
    if (!this.#isWanted) return run();
    const startMs = performance.now();
    const end = (hasFailed: boolean): void =>
      this.#add(ctx, { name, startMs, durationMs: performance.now() - startMs, hasFailed });
    let value: Value;
    try {
      value = run();
    } catch (error) {
      end(true);
      throw error;
    }
    if (value instanceof Promise) {
      value.then(
        () => end(false),
        () => end(true),
      );
    } else end(false);
    return value;
  }

  of(ctx: Context): readonly Phase[] {
    return this.#byRequest.get(ctx) ?? NONE;
  }

  #add(ctx: Context, phase: Phase): void {
    const known = this.#byRequest.get(ctx);
    if (known) known.push(phase);
    else this.#byRequest.set(ctx, [phase]);
  }
}

const NONE: readonly Phase[] = [];

/** Header `Server-Timing` (https://www.w3.org/TR/server-timing/): browsers show it beside the request. */
export function serverTiming(phases: readonly Phase[], totalMs: number): string {
  const entries = phases.map(({ name, durationMs }) => entry(name, durationMs));
  return [...entries, entry("total", totalMs)].join(", ");
}

/** The name of an entry is a token, so what it is about stands in its description. */
function entry(name: string, durationMs: number): string {
  const [kind = "", about] = name.split(" ", 2);
  return `${kind}${about === undefined ? "" : `;desc="${about.replace(/["\\]/g, "")}"`};dur=${durationMs.toFixed(1)}`;
}
