/** What of an app works on by itself, as the rest of the app sees it, open (backend.ts) or not yet (lazy-backend.ts). */
import type { Cluster } from "../../graphs/cluster/cluster.ts";
import type { ProcessFigures } from "../../graphs/cluster/membership.ts";
import type { Engine } from "../../graphs/engine/engine-types.ts";
import type { ArtifactRows } from "../../storage/contract/artifacts.ts";
import type { Store } from "../../storage/contract/contract.ts";
import type { GraphStore } from "../../storage/contract/graph-store.ts";
import type { WebhookStore } from "../../storage/contract/webhook-rows.ts";
import type { Webhooks } from "../../webhooks/webhooks.ts";

/** What of the store is looked into besides by graphs and webhooks themselves. */
export interface Rows extends Pick<
  Store,
  "sessions" | "answers" | "audit" | "activity" | "rates" | "sizeBytes" | "close"
> {
  readonly graphs: ArtifactRows & Pick<GraphStore, "graph" | "countByStatus">;
  readonly webhooks: Pick<WebhookStore, "known">;
}

/** What of an app works on by itself, and where it is kept. */
export interface Work {
  readonly store: Rows;
  readonly engine: Engine;
  readonly webhooks: Webhooks;
  /** Where several processes share the store. */
  readonly cluster: Cluster | undefined;
  /** How this process is doing. */
  readonly figures: () => ProcessFigures;
}
