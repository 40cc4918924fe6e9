/** What was sent to whom, and sending it again, for the operator (contract section 3). */
import { json } from "../../http/response.ts";
import { PATHS } from "../../shared/wire.ts";
import { operatorOnly } from "../auth.ts";
import type { Endpoints } from "../services.ts";
import { audited } from "./audit.ts";
import { idOf } from "./webhooks.ts";

export function deliveryEndpoints({ router, services }: Endpoints): void {
  const { webhooks } = services;
  const guard = [operatorOnly(services)];
  router.add("GET", PATHS.deliveries, async (ctx) => json(await webhooks.deliveries(ctx.query)), guard);
  router.add("GET", `${PATHS.deliveries}/:id`, async (ctx) => json(await webhooks.delivery(idOf(ctx))), guard);
  router.add("POST", `${PATHS.deliveries}/:id/replay`, async (ctx) => json(await webhooks.replay(idOf(ctx)), 202), [
    ...guard,
    audited(services, "delivery.replay"),
  ]);
}
