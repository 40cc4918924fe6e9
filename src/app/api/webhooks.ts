/** Registrations of webhooks for operators (docs/reference/http.md, section 3). */
import { readJson } from "../../platform/http/body/read-body.ts";
import { empty, json } from "../../platform/http/response/response.ts";
import type { Context, Middleware } from "../../platform/http/types.ts";
import type { Json } from "../../platform/shared/json.ts";
import { PATHS } from "../../platform/shared/wire.ts";
import { operatorOnly } from "../pipeline/operator-auth.ts";
import type { Endpoints } from "../services.ts";
import { audited, recordAudit } from "./audit.ts";

const MAX_OPERATOR_BODY_BYTES = 64 * 1024;

export function webhookEndpoints({ router, services }: Endpoints): void {
  const { webhooks } = services;
  const guard = [operatorOnly(services)];
  const by = (step: string): Middleware[] => [...guard, audited(services, `webhook.${step}`)];
  const one = `${PATHS.webhooks}/:id`;
  router.add("GET", PATHS.webhooks, async (ctx) => json(await webhooks.list(ctx.query)), guard);
  router.add(
    "POST",
    PATHS.webhooks,
    async (ctx) => {
      const { registration, created } = await webhooks.create(await readJson(ctx, MAX_OPERATOR_BODY_BYTES));
      await recordAudit(ctx, services, created ? "webhook.create" : "webhook.update", registration.id);
      return json(registration, created ? 201 : 200);
    },
    guard,
  );
  router.add("GET", one, async (ctx) => json(await webhooks.get(idOf(ctx))), guard);
  router.add(
    "PATCH",
    one,
    async (ctx) => json(await webhooks.update(idOf(ctx), await readJson(ctx, MAX_OPERATOR_BODY_BYTES))),
    by("update"),
  );
  router.add("DELETE", one, async (ctx) => (await webhooks.remove(idOf(ctx)), empty()), by("remove"));
  router.add("POST", `${one}/ping`, async (ctx) => json(await webhooks.ping(idOf(ctx)), 202), by("ping"));
  router.add(
    "POST",
    `${one}/rotate-secret`,
    async (ctx) => json(await webhooks.rotateSecret(idOf(ctx), await readOptionalJson(ctx))),
    by("rotate-secret"),
  );
  router.add(
    "POST",
    `${one}/recover`,
    async (ctx) => json(await webhooks.recover(idOf(ctx), await readJson(ctx, MAX_OPERATOR_BODY_BYTES)), 202),
    by("recover"),
  );
  router.add("GET", `${one}/deliveries`, async (ctx) => json(await webhooks.deliveries(ctx.query, idOf(ctx))), guard);
}

export function idOf(ctx: Context): string {
  return ctx.params["id"] ?? "";
}

/** A body with optional keys only may be omitted with its content type. */
async function readOptionalJson(ctx: Context): Promise<Json> {
  return ctx.header("content-type") === undefined ? {} : readJson(ctx, MAX_OPERATOR_BODY_BYTES);
}
