/** Queues of workers over HTTP. */
import { json } from "../../platform/http/response/response.ts";
import { PATHS } from "../../platform/shared/wire.ts";
import { operatorOnly } from "../pipeline/operator-auth.ts";
import { queuesOf } from "../observability/operations.ts";
import type { Endpoints } from "../services.ts";
import { readAuditContext } from "./graph-input.ts";

export function queueEndpoints({ router, services }: Endpoints): void {
  const { queues } = services.engine;
  const operator = [operatorOnly(services)];
  router.add("GET", PATHS.queues, async () => json({ queues: await queuesOf(services) }), operator);
  for (const step of ["pause", "resume"] as const)
    router.add(
      "POST",
      `${PATHS.queues}/:worker/${step}`,
      async (ctx) => {
        const { auditContext } = await readAuditContext(ctx, services);
        return json(await queues[step](ctx.params["worker"] ?? "", auditContext));
      },
      operator,
    );
}
