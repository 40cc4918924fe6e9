/** Maximum attempts of a graph's nodes, from the app's definitions. Pure. */
import type { GraphDefinition, Snapshot } from "../../graph.ts";

/** Default of workers (graph/definition/retry.ts). */
export const TRIES = 3;

/** By node name, for the version with which the graph was started; empty if this app does not have it. */
export function triesOf(
  definitions: ReadonlyMap<string, readonly GraphDefinition[]>,
  { worker, version }: Pick<Snapshot, "worker" | "version">,
): ReadonlyMap<string, number> {
  const versions = definitions.get(worker) ?? [];
  const definition = versions.find(({ options }) => (options.version ?? null) === version);
  return new Map(definition?.nodes.map((node) => [node.name, node.worker.options.retry?.max ?? TRIES]));
}
