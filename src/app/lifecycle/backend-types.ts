/** The backend of an app: database, engine and webhooks, open (backend.ts) or opened on demand (lazy-backend.ts). */
import type { Cluster } from "../../graphs/cluster/cluster.ts";
import type { ProcessFigures } from "../../graphs/cluster/membership.ts";
import type { Engine } from "../../graphs/engine/engine-types.ts";
import type { ArtifactRows } from "../../storage/contract/artifacts.ts";
import type { Store } from "../../storage/contract/contract.ts";
import type { GraphStore } from "../../storage/contract/graph-store.ts";
import type { WebhookStore } from "../../storage/contract/webhook-rows.ts";
import type { Webhooks } from "../../webhooks/webhooks.ts";

/** The parts of the store that other modules than graphs and webhooks use. */
export interface Rows extends Pick<
  Store,
  "sessions" | "answers" | "audit" | "activity" | "rates" | "sizeBytes" | "close"
> {
  readonly graphs: ArtifactRows & Pick<GraphStore, "countByStatus" | "heads">;
  readonly webhooks: Pick<WebhookStore, "known">;
}

/** The parts of an app that work without requests, and their store. */
export interface Backend {
  readonly store: Rows;
  readonly engine: Engine;
  readonly webhooks: Webhooks;
  /** The cluster, if several processes share the store. */
  readonly cluster: Cluster | undefined;
  /** Load of this process. */
  readonly figures: () => ProcessFigures;
}
