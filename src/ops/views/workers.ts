/** The declared limits of the app's workers, and the graphs that use them. Pure. */
import type { GraphDefinition } from "../../graph.ts";
import { TRIES } from "../widgets/max-attempts.ts";

export interface WorkerView {
  name: string;
  concurrency: number;
  /** Whether each key has its own limit. */
  isKeyed: boolean;
  rate: string | undefined;
  /** Maximum number of attempts. */
  tries: number;
  timeout: string | undefined;
  isIsolated: boolean;
  /** Names of the graphs with nodes of this worker; its own name if it can be started alone. */
  graphs: string[];
}

/** Default concurrency (graph/definition/worker-types.ts). */
const CONCURRENCY = 16;

type Definitions = ReadonlyMap<string, readonly GraphDefinition[]>;

/** Sorted by name. */
export function workerViews(definitions: Definitions): WorkerView[] {
  const views = new Map<string, WorkerView>();
  for (const versions of definitions.values())
    for (const definition of versions)
      for (const { worker } of definition.nodes) {
        const { concurrency, perProcess, rate, retry, timeout, isolate } = worker.options;
        const known = views.get(worker.name) ?? {
          name: worker.name,
          concurrency: perProcess ?? (typeof concurrency === "object" ? concurrency.total : concurrency) ?? CONCURRENCY,
          isKeyed: typeof concurrency === "object",
          rate: rate === undefined ? undefined : `${rate.limit} in ${rate.per}`,
          tries: retry?.max ?? TRIES,
          timeout: timeout === undefined ? undefined : String(timeout),
          isIsolated: isolate !== undefined,
          graphs: [],
        };
        if (!known.graphs.includes(definition.name)) known.graphs.push(definition.name);
        views.set(worker.name, known);
      }
  return [...views.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

export function concurrencyByWorker(definitions: Definitions): ReadonlyMap<string, number> {
  return new Map(workerViews(definitions).map(({ name, concurrency }) => [name, concurrency]));
}
