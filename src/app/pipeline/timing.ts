/** Durations of the phases of a request, recorded only for traces and for `Server-Timing` in development. */
import type { ResponseStep } from "../../platform/http/pipeline.ts";
import type { Context } from "../../platform/http/types.ts";
import type { Services } from "../services.ts";

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

/** Development only: durations would reveal to an attacker whether something exists. */
export function addServerTiming(services: () => Services | undefined): ResponseStep {
  return (ctx, result) => {
    const booted = services();
    if (booted?.site.dev)
      result.headers.push("server-timing", serverTiming(booted.phases.of(ctx), performance.now() - ctx.startedMs));
    return result;
  };
}

/** Header `Server-Timing` (https://www.w3.org/TR/server-timing/): browsers show it beside the request. */
export function serverTiming(phases: readonly Phase[], totalMs: number): string {
  const entries = phases.map(({ name, durationMs }) => entry(name, durationMs));
  return [...entries, entry("total", totalMs)].join(", ");
}

/** The name of an entry must be a token, so the rest is its description. */
function entry(name: string, durationMs: number): string {
  const [kind = "", about] = name.split(" ", 2);
  return `${kind}${about === undefined ? "" : `;desc="${about.replace(/["\\]/g, "")}"`};dur=${durationMs.toFixed(1)}`;
}
