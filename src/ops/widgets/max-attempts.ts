/** How often nodes are tried at most, as the app's code says. Pure. */
import type { GraphDefinition, Snapshot } from "../../graph.ts";

/** Of workers that say nothing else (graphs/definition/retry.ts). */
export const TRIES = 3;

/** By the name of the node, of the version that the graph was started with; empty where this app has none such. */
export function triesOf(
  definitions: ReadonlyMap<string, readonly GraphDefinition[]>,
  { worker, version }: Pick<Snapshot, "worker" | "version">,
): ReadonlyMap<string, number> {
  const versions = definitions.get(worker) ?? [];
  const definition = versions.find(({ options }) => (options.version ?? null) === version);
  return new Map(definition?.nodes.map((node) => [node.name, node.worker.options.retry?.max ?? TRIES]));
}
