/**
 * A CSRF token for a page that has none of its own, for it is the same for everybody: fetched by the part `token` before a
 * handler that may call an action runs. Other sites can send for it, as for any page, and can't read it: no CORS header lets them.
 */
import { text } from "../../platform/http/response/response.ts";
import { PATHS } from "../../platform/shared/wire.ts";
import { tokenFor } from "../pipeline/csrf-guard.ts";
import type { Endpoints } from "../services.ts";

export function tokenEndpoint({ router, services }: Endpoints): void {
  router.add("GET", PATHS.token, (ctx) => text(tokenFor(ctx, services), 200, ["cache-control", "private, no-store"]));
}
