/** What can be started, by name: graphs, and workers alone. */
import { SvcError } from "../shared/errors.ts";
import { graphOfWorker } from "./definition.ts";
import type { GraphDefinition, Worker } from "./types.ts";

export class Registry {
  readonly #definitions = new Map<string, GraphDefinition>();

  /**
   * Workers that graphs use need not be listed to run, only to be started alone.
   * @throws SvcError `SVC_DEFINITION` when two share a name.
   */
  constructor(workers: readonly Worker<never, unknown>[], graphs: readonly GraphDefinition[]) {
    for (const definition of [...graphs, ...workers.map(graphOfWorker)] as GraphDefinition[]) {
      if (this.#definitions.has(definition.name)) throw sameName(definition.name);
      this.#definitions.set(definition.name, definition);
    }
    for (const definition of this.#definitions.values()) this.#addChildren(definition);
    this.#requireOneWorkerPerName();
  }

  /** Graphs that stand for nodes are known without being listed. */
  #addChildren({ nodes }: GraphDefinition): void {
    for (const { graph: child } of nodes.map(({ worker }) => worker)) {
      if (!child || this.#definitions.get(child.name) === child) continue;
      if (this.#definitions.has(child.name)) throw sameName(child.name);
      this.#definitions.set(child.name, child);
      this.#addChildren(child);
    }
  }

  /** Concurrency is counted by name, so a name must mean one worker. */
  #requireOneWorkerPerName(): void {
    const seen = new Map<string, Worker<never, unknown>>();
    for (const node of [...this.#definitions.values()].flatMap((definition) => definition.nodes)) {
      const other = seen.get(node.worker.name);
      if (other && other.run !== node.worker.run)
        throw new SvcError(
          "SVC_DEFINITION",
          `Two different workers are named "${node.worker.name}"; names must differ`,
        );
      seen.set(node.worker.name, node.worker);
    }
  }

  get(name: string): GraphDefinition | undefined {
    return this.#definitions.get(name);
  }

  names(): string[] {
    return [...this.#definitions.keys()];
  }

  /** Names of all workers, those of graphs included. */
  workers(): Set<string> {
    const nodes = [...this.#definitions.values()].flatMap((definition) => definition.nodes);
    return new Set(nodes.map(({ worker }) => worker.name));
  }
}

function sameName(name: string): SvcError {
  return new SvcError("SVC_DEFINITION", `Two workers or graphs are named "${name}"; names must differ`);
}
