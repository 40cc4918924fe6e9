/** Whether the process lives, and whether it should be sent work (contract section 1). */
import { text } from "../../http/response.ts";
import type { Router } from "../../http/router.ts";
import { PATHS } from "../../shared/wire.ts";

const NO_STORE = ["cache-control", "no-store"];

/** @param isReady false while booting and while draining. */
export function healthEndpoints(router: Router, isReady: () => boolean): void {
  router.add("GET", PATHS.health, () => text("ok", 200, NO_STORE));
  router.add("GET", PATHS.ready, () => (isReady() ? text("ready", 200, NO_STORE) : text("not ready", 503, NO_STORE)));
}
