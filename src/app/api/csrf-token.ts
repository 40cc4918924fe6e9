/**
 * A CSRF token for a shared page, which can't contain one: the part `token` fetches it before a handler that may call an action. Other
 * sites can request it like any page, and can't read it without a CORS header.
 */
import { text } from "../../platform/http/response/response.ts";
import { PATHS } from "../../platform/shared/wire.ts";
import { tokenFor } from "../pipeline/csrf-guard.ts";
import type { Endpoints } from "../services.ts";

export function tokenEndpoint({ router, services }: Endpoints): void {
  router.add("GET", PATHS.token, (ctx) => text(tokenFor(ctx, services), 200, ["cache-control", "private, no-store"]));
}
