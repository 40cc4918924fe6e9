/** What of an app works on by itself, as the rest of the app sees it, open (work.ts) or not yet (late-work.ts). */
import type { Cluster } from "../cluster/cluster.ts";
import type { ProcessFigures } from "../cluster/membership.ts";
import type { Engine } from "../graph/engine-types.ts";
import type { ArtifactRows } from "../store/artifacts.ts";
import type { Store } from "../store/contract.ts";
import type { GraphStore } from "../store/graph-store.ts";
import type { WebhookStore } from "../store/webhook-rows.ts";
import type { Webhooks } from "../webhooks/webhooks.ts";

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
