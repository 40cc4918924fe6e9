/** Durations of the phases of a request, recorded only for traces and for `Server-Timing` in development. */
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

  /** Runs a phase of a request and records its duration, for a promise until it settles. */
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
