/** The header `Server-Timing`, which shows in development how long each phase of a request took. */
import type { ResponseStep } from "../../platform/http/pipeline.ts";
import type { Services } from "../services.ts";
import type { Phase } from "./timing.ts";

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
