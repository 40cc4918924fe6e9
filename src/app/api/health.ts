/** Liveness and readiness (docs/reference/http.md, section 1). */
import { text } from "../../platform/http/response/response.ts";
import type { Router } from "../../platform/http/routing/router.ts";
import { PATHS } from "../../platform/shared/wire.ts";

const NO_STORE = ["cache-control", "no-store"];

/** @param readinessFailures short names of failed checks, because anyone may request them; empty if the app is ready. */
export function healthEndpoints(router: Router, readinessFailures: () => Promise<readonly string[]>): void {
  router.add("GET", PATHS.health, () => text("ok", 200, NO_STORE));
  router.add("GET", PATHS.ready, async () => {
    const found = await readinessFailures();
    return found.length === 0 ? text("ready", 200, NO_STORE) : text(`not ready: ${found.join(", ")}`, 503, NO_STORE);
  });
}
