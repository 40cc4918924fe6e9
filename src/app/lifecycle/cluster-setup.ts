/** This process in a cluster: the runs that it can execute, and its reactions to others. */
import { createHash } from "node:crypto";
import type { Cluster } from "../../graphs/cluster/cluster.ts";
import type { ProcessFigures } from "../../graphs/cluster/membership.ts";
import { jobOf } from "../../graphs/cluster/leases.ts";
import type { Worker } from "../../graphs/definition/definition-types.ts";
import { localSlots } from "../../graphs/execution/queue/task-queue.ts";
import { definitionsOf, type DefinitionView } from "../../graphs/engine/registry.ts";
import type { Clock } from "../../platform/shared/clock.ts";
import { SvcError } from "../../platform/shared/errors.ts";
import type { Log } from "../../platform/shared/log.ts";
import type { Json } from "../../platform/shared/json.ts";
import { EMPTY_MANIFEST } from "../../platform/shared/manifest.ts";
import { VARIABLES } from "../../platform/shared/wire.ts";
import type { Store } from "../../storage/contract/contract.ts";
import type { GraphRow } from "../../storage/contract/graph-rows.ts";
import type { ChangeFeed } from "./change-feed.ts";
import { isShared, type Config } from "./config.ts";
import type { AppOptions } from "../options.ts";

/** Active runs of a process, without those that wait for a time or a signal. Nodes have limits of their own. */
const GRAPHS = 100;

export interface ClusterSetupOptions {
  app: AppOptions;
  /** Build id of the app's manifest. */
  build: string;
  config: Config;
  clock: Clock;
  log: Log;
  store: Store;
  /** Called with pages that another process has invalidated. */
  onInvalidated: (names: readonly string[]) => void;
  /** Announces changes of other processes, except for runs, which the store announces. */
  changes: ChangeFeed;
  /** Load of this process. */
  figures: () => ProcessFigures;
}

/** @returns undefined if the process has its store to itself. Start it once the engine exists. */
export async function createCluster(options: ClusterSetupOptions): Promise<Cluster | undefined> {
  const { app, config, clock, log, store, changes } = options;
  if (!isShared(config)) return undefined;
  const { openCluster } = await import("../../graphs/cluster/open.ts");
  const { role, workers } = config;
  const all = definitionsOf(app.workers ?? [], app.graphs ?? []);
  requireKnown(workers, all);
  const runs = (name: string): boolean => workers?.includes(name) ?? true;
  // The process that runs the first node holds the run; other nodes run where their workers are.
  const own = all.filter((definition) => definition.workers.slice(0, 1).every(runs));
  const ownWorkers = [...new Set(all.flatMap((definition) => definition.workers.filter(runs)))].sort();
  const code = codeOf(app, all, options.build);
  return openCluster(config.databaseUrl, {
    profile: {
      role,
      workers: ownWorkers,
      claimant: store.webhooks.claimant,
      build: options.build === EMPTY_MANIFEST.build ? code : options.build,
      code,
    },
    payloadKeys: config.payloadKeys,
    isRunner: role !== "web",
    figures: options.figures,
    definitions: own,
    concurrency: GRAPHS,
    remoteSlots: placesOf(app, ownWorkers),
    clock,
    log,
    onNotification: ({ graphs, registrations, changed, invalidated }) => {
      if (invalidated.length > 0) options.onInvalidated(invalidated);
      if (changed.includes("registrations")) readRegistrations(store, log);
      for (const id of graphs) store.graphs.announce?.(id);
      store.webhooks.announce?.(new Set(registrations));
      for (const kind of kindsOf(changed)) changes.notify({ of: kind });
    },
    onProcesses: () => changes.notify({ of: "processes" }),
    onDoubt: () => {
      store.graphs.announce?.();
      const pending = store.webhooks.pendingRegistrations();
      pending
        .then((ids) => store.webhooks.announce?.(new Set(ids)))
        .catch((err: unknown) => log.debug({ err }, "Failed to look for pending deliveries"));
    },
  });
}

/** Identifies code: nodes run only in processes with the same code. */
function codeOf(app: AppOptions, all: readonly DefinitionView[], build: string): string {
  const sources = workersOf(app).map(({ name, run }) => [name, String(run)]);
  return createHash("sha256")
    .update(JSON.stringify([all, build, sources]))
    .digest("hex")
    .slice(0, 12);
}

function workersOf({ workers = [], graphs = [] }: AppOptions): Worker<never, unknown>[] {
  return [...workers, ...graphs.flatMap(({ nodes }) => nodes.map(({ worker }) => worker))];
}

/** @param changed names of graphs/cluster/pg-notify.ts */
function kindsOf(changed: readonly string[]): ("controls" | "webhooks")[] {
  const hasWebhooks = changed.includes("registrations") || changed.includes("webhooks");
  return [...(changed.includes("queues") ? ["controls" as const] : []), ...(hasWebhooks ? ["webhooks" as const] : [])];
}

/** A misspelt name would create a process that runs nothing, and nodes that nobody runs. @throws SvcError `SVC_CONFIG` */
function requireKnown(workers: readonly string[] | undefined, all: readonly Pick<DefinitionView, "workers">[]): void {
  const known = new Set(all.flatMap((definition) => definition.workers));
  const unknown = workers?.filter((name) => !known.has(name)) ?? [];
  if (unknown.length === 0) return;
  const names = [...known].sort().join(", ") || "none";
  throw new SvcError(
    "SVC_CONFIG",
    `${VARIABLES.workers} (--workers) contains unknown workers: ${unknown.map((name) => `"${name}"`).join(", ")}. Workers of this app: ${names}`,
  );
}

/** Slots of these workers in this process: it fetches no more nodes of others than can run. */
function placesOf(app: AppOptions, names: readonly string[]): number {
  const all = workersOf(app);
  const places = names.map((name) => localSlots(all.find((worker) => worker.name === name)?.options ?? {}));
  return Math.min(
    GRAPHS,
    places.reduce((sum, count) => sum + count, 0),
  );
}

/** Reads registrations that another process has changed. */
function readRegistrations(store: Store, log: Log): void {
  store.webhooks.registrations().catch((err: unknown) => log.warn({ err }, "Failed to reload webhook registrations"));
}

/** Job of a run without a holder. */
export function jobFor({ id, worker, version, definition, dueMs: due_ms, priority }: GraphRow): Json {
  return { ...jobOf({ id, worker, version: version ?? null, definition, due_ms, priority }) } as unknown as Json;
}
