/**
 * Browser code and styles of the app under names with a hash of their content. The folder may also contain chunks of earlier builds, for
 * pages from before a deployment.
 */
import type { Context, Result } from "../../platform/http/types.ts";
import { IMMUTABLE, serveFile } from "../../platform/http/response/static-files.ts";
import { PATHS } from "../../platform/shared/wire.ts";
import { notFound } from "../pipeline/outcome.ts";
import type { Endpoints } from "../services.ts";

/**
 * The code of an island is the chunk of its file, which has a second name (decision 017), because an `<Island>` resumes it like any
 * scope.
 */
const FOLDERS = [
  [PATHS.handler, "handler"],
  [PATHS.island, "handler"],
  [PATHS.asset, "asset"],
] as const;

/** Names of development chunks stay the same while their code changes. */
const NEVER_KEPT = "no-store";

export function chunkEndpoints({ router, services: { site } }: Endpoints): void {
  const serve = async (ctx: Context, kind: "handler" | "asset"): Promise<Result> => {
    const file = await site.chunk(kind, ctx.params["chunk"] ?? "");
    return file ? serveFile(ctx, file, site.dev ? NEVER_KEPT : IMMUTABLE) : notFound("There is no such chunk");
  };
  for (const [path, kind] of FOLDERS) router.add("GET", `${path}/:chunk`, (ctx) => serve(ctx, kind));
}
