/** Deliveries for operators: list, replay, give up (docs/reference/http.md, section 3). */
import { json } from "../../platform/http/response/response.ts";
import type { Middleware } from "../../platform/http/types.ts";
import { PATHS } from "../../platform/shared/wire.ts";
import { operatorOnly } from "../pipeline/operator-auth.ts";
import type { Endpoints } from "../services.ts";
import { audited } from "./audit.ts";
import { idOf } from "./webhooks.ts";

export function deliveryEndpoints({ router, services }: Endpoints): void {
  const { webhooks } = services;
  const guard = [operatorOnly(services)];
  router.add("GET", PATHS.deliveries, async (ctx) => json(await webhooks.deliveries(ctx.query)), guard);
  router.add("GET", `${PATHS.deliveries}/:id`, async (ctx) => json(await webhooks.delivery(idOf(ctx))), guard);
  const by = (step: string): Middleware[] => [...guard, audited(services, `delivery.${step}`)];
  const one = `${PATHS.deliveries}/:id`;
  router.add("POST", `${one}/replay`, async (ctx) => json(await webhooks.replay(idOf(ctx)), 202), by("replay"));
  router.add("POST", `${one}/give-up`, async (ctx) => json(await webhooks.giveUp(idOf(ctx))), by("give-up"));
}
