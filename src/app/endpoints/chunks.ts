/**
 * Browser code and styles of the app under names that hold a hash of their content. The folder may hold chunks of
 * earlier builds too: a page from before a deploy goes on working.
 */
import type { Context, Result } from "../../http/types.ts";
import { IMMUTABLE, serveFile } from "../../http/static.ts";
import { PATHS } from "../../shared/wire.ts";
import { notFound } from "../outcome.ts";
import type { Endpoints } from "../services.ts";

const KINDS = { handler: PATHS.handler, island: PATHS.island, asset: PATHS.asset } as const;

/** Names of development chunks stay the same while their code changes. */
const NEVER_KEPT = "no-store";

export function chunkEndpoints({ router, services: { site } }: Endpoints): void {
  const serve = async (ctx: Context, kind: keyof typeof KINDS): Promise<Result> => {
    const file = await site.chunk(kind, ctx.params["chunk"] ?? "");
    return file ? serveFile(ctx, file, site.dev ? NEVER_KEPT : IMMUTABLE) : notFound("There is no such chunk");
  };
  for (const kind of Object.keys(KINDS) as (keyof typeof KINDS)[]) {
    router.add("GET", `${KINDS[kind]}/:chunk`, (ctx) => serve(ctx, kind));
  }
}
