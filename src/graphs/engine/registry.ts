/** Graphs and single workers that can be started, by name. */
import { SvcError } from "../../platform/shared/errors.ts";
import { graphOfWorker } from "../definition/definition.ts";
import { isGraph, requireListed } from "../definition/worker-shape.ts";
import type { GraphRow } from "../../storage/contract/graph-rows.ts";
import { requireModule } from "../execution/remote/isolation.ts";
import type { GraphDefinition, NodeDefinition, Worker } from "../definition/definition-types.ts";

export class Registry {
  /** Versions by name, in the order of the lists. */
  readonly #definitions = new Map<string, GraphDefinition[]>();

  /**
   * Workers of graphs need to be listed only to be started alone.
   * @throws SvcError `SVC_DEFINITION` if two share a name and have no different versions.
   */
  constructor(workers: readonly Worker<never, unknown>[], graphs: readonly GraphDefinition[]) {
    requireListed(workers, graphs);
    for (const definition of [...graphs, ...workers.map(graphOfWorker)] as GraphDefinition[]) this.#add(definition);
    for (const definition of [...this.#definitions.values()].flat()) this.#addChildren(definition);
    this.#requireOneWorkerPerName();
    for (const { worker } of this.#nodes()) requireModule(worker);
  }

  #add(definition: GraphDefinition): void {
    const { name, options } = definition;
    const known = this.#definitions.get(name) ?? [];
    if (known.some((other) => other.options.version === options.version)) {
      const version = options.version === undefined ? "" : ` and have the version "${options.version}"`;
      throw new SvcError("SVC_DEFINITION", `Two workers or graphs are named "${name}"${version}; names must differ`);
    }
    this.#definitions.set(name, [...known, definition]);
  }

  /** Graphs that are nodes of other graphs are known without being listed. */
  #addChildren({ nodes }: GraphDefinition): void {
    for (const { graph: child } of nodes.map(({ worker }) => worker)) {
      if (!child || this.#definitions.get(child.name)?.includes(child)) continue;
      this.#add(child);
      this.#addChildren(child);
    }
  }

  /** Concurrency is counted by name, so a name must mean one worker, or versions of one. */
  #requireOneWorkerPerName(): void {
    const seen = new Map<string, Worker<never, unknown>>();
    for (const { worker } of this.#nodes()) {
      const id = JSON.stringify([worker.name, worker.options.version]);
      const other = seen.get(id);
      if (other && other.run !== worker.run)
        throw new SvcError("SVC_DEFINITION", `Two different workers are named "${worker.name}"; names must differ`);
      seen.set(id, worker);
    }
  }

  #nodes(): NodeDefinition[] {
    return [...this.#definitions.values()].flat().flatMap((definition) => definition.nodes);
  }

  /** The definition for new runs of a name. */
  get(name: string): GraphDefinition | undefined {
    return this.#definitions.get(name)?.at(-1);
  }

  /**
   * The definition of a new run: by name the last version, by definition its own version.
   * @throws SvcError `SVC_NOT_FOUND` for an unknown name; `SVC_DEFINITION` for a definition that is not listed.
   */
  startable(given: string | GraphDefinition | Worker<never, unknown>): GraphDefinition {
    const name = typeof given === "string" ? given : given.name;
    const last = this.get(name);
    if (!last)
      throw new SvcError(
        "SVC_NOT_FOUND",
        `No worker or graph is named "${name}"; known: ${this.names().join(", ") || "none"}`,
      );
    if (typeof given === "string") return last;
    const wanted = isGraph(given) ? given : graphOfWorker(given);
    const { version } = wanted.options;
    const same = this.#definitions.get(name)?.find(({ options }) => options.version === version);
    if (same?.hash === wanted.hash) return same;
    const called = version === undefined ? `"${name}"` : `"${name}" in version "${version}"`;
    throw new SvcError(
      "SVC_DEFINITION",
      `The definition ${called} is not the one that the app lists under this name; list it in "graphs" or "workers", or give it another name`,
    );
  }

  of(row: Started): GraphDefinition | undefined {
    return definitionFor(row, this.#definitions);
  }

  /** Versions by name. */
  all(): ReadonlyMap<string, readonly GraphDefinition[]> {
    return this.#definitions;
  }

  names(): string[] {
    return [...this.#definitions.keys()];
  }

  worker(name: string): Worker<never, unknown> | undefined {
    return this.#nodes().find(({ worker }) => worker.name === name)?.worker;
  }

  /** Names of all workers, including those of graphs. */
  workers(): Set<string> {
    return new Set(this.#nodes().map(({ worker }) => worker.name));
  }
}

/** Name of a run's definition for messages. */
export function calledIn({ worker, version }: Started): string {
  return version === undefined ? `"${worker}"` : `"${worker}" in version "${version}"`;
}

/** Name and version with which a run was started. */
type Started = Pick<GraphRow, "worker" | "version">;

/** The definition of a stored run: its version or, without one, the oldest. */
export function definitionFor(
  { worker, version }: Started,
  definitions: ReadonlyMap<string, readonly GraphDefinition[]>,
): GraphDefinition | undefined {
  const known = definitions.get(worker);
  const same = known?.find((definition) => definition.options.version === version);
  return same ?? (version === undefined ? known?.[0] : undefined);
}

/** The part of a definition that decides whether a process can execute it. */
export interface DefinitionView {
  name: string;
  version: string | undefined;
  hash: string;
  /** Names of its nodes' workers. */
  workers: string[];
}

/** Definitions of everything that can be started, in all versions. */
export function definitionsOf(
  workers: readonly Worker<never, unknown>[],
  graphs: readonly GraphDefinition[],
): DefinitionView[] {
  return [...new Registry(workers, graphs).all().values()].flat().map(({ name, options, hash, nodes }) => ({
    name,
    version: options.version,
    hash,
    workers: [...new Set(nodes.map(({ worker }) => worker.name))],
  }));
}
