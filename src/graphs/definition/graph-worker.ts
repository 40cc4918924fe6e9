/** A graph used as a worker, in a node or in `ctx.call`. The engine adds its `run` (child-runs.ts). */
import type { GraphDefinition, Worker } from "./definition-types.ts";

/** Names of workers contain no colon, so this prefix is unambiguous. */
const WORKER_PREFIX = "graph:";

const workers = new WeakMap<GraphDefinition, Worker<never, unknown>>();

/**
 * A worker that runs a graph, for a node or `ctx.call`. The app must know the graph, as with graphs of nodes.
 * @example
 * worker("parent", async (_input, ctx) => ctx.call("child", asWorker(order), { cents: 500 }));
 */
export function asWorker<Input, Output>(definition: GraphDefinition<Input, Output>): Worker<Input, Output> {
  let made = workers.get(definition);
  if (!made) {
    made = {
      kind: "worker",
      name: `${WORKER_PREFIX}${definition.name}`,
      options: {},
      run: () => {
        throw new Error("Only an engine can run a graph that is used as a worker");
      },
      graph: definition,
    };
    workers.set(definition, made);
  }
  return made as unknown as Worker<Input, Output>;
}
