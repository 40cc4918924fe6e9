/** Chooses how to call a worker for a node of this process: directly, in a thread, as a graph, or in another process. */
import type { Json } from "../../platform/shared/json.ts";
import type { Children } from "../engine/child-runs.ts";
import type { Worker } from "../definition/definition-types.ts";
import type { Registry } from "../engine/registry.ts";
import { boundRemotely, runsRemotely, type RemoteNodes } from "./remote/remote-attempts.ts";
import type { Isolation } from "./remote/isolation.ts";

export interface WorkerBindingOptions {
  registry: Registry;
  isolation: Isolation;
  children: Children;
  /** The other processes, if several share the store. */
  remoteNodes: RemoteNodes | undefined;
}

export class WorkerBinding {
  readonly #options: WorkerBindingOptions;

  constructor(options: WorkerBindingOptions) {
    this.#options = options;
  }

  /** Whether another process runs the worker. */
  isRemote(worker: Worker<never, unknown>): boolean {
    return runsRemotely(worker, this.#options.remoteNodes);
  }

  /** The worker to call. @param state state of its node. */
  bind(worker: Worker<never, unknown>, state: Json | undefined): Worker<never, unknown> {
    const { remoteNodes, isolation, children, registry } = this.#options;
    if (remoteNodes && runsRemotely(worker, remoteNodes)) return boundRemotely(worker, state, remoteNodes, registry);
    return isolation.bind(children.bind(worker), state);
  }
}
