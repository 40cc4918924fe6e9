/** Runtime assets under fixed names, and the bundle sizes (docs/reference/http.md, section 6). */
import { REVALIDATE, serveFile } from "../../platform/http/response/static-files.ts";
import { BASE_PATH, PATHS } from "../../platform/shared/wire.ts";
import type { Endpoints } from "../services.ts";

export function assetEndpoints({ router, services }: Endpoints): void {
  for (const [name, file] of services.site.assets) {
    const path = `${BASE_PATH}/${name}`;
    if (path === PATHS.benchmark && !services.config.exposes.bundleMetrics) continue;
    router.add("GET", path, (ctx) => serveFile(ctx, file, REVALIDATE));
  }
}
