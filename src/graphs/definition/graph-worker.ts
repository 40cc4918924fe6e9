/** A graph in the place of a worker: what stands for it in a node, and in `ctx.call`. An engine gives it a `run` (child-runs.ts). */
import type { GraphDefinition, Worker } from "./definition-types.ts";

/** Names of workers have no colon, so these are nobody else's. */
const WORKER_PREFIX = "graph:";

const workers = new WeakMap<GraphDefinition, Worker<never, unknown>>();

/** A worker whose work is a graph, for a node or for `ctx.call`. The app must know the graph, as it does those of nodes. */
export function asWorker<Input, Output>(definition: GraphDefinition<Input, Output>): Worker<Input, Output> {
  let made = workers.get(definition);
  if (!made) {
    made = {
      kind: "worker",
      name: `${WORKER_PREFIX}${definition.name}`,
      options: {},
      run: () => {
        throw new Error("A graph that stands for a worker is run by an engine only");
      },
      graph: definition,
    };
    workers.set(definition, made);
  }
  return made as unknown as Worker<Input, Output>;
}
