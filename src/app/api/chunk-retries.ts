/**
 * Browser code under another URL: browsers remember failed modules for the life of a page, so the loader requests them again in a folder
 * `~`, and then in one inside it (docs/resume-protocol.md section 6).
 */
import { REVALIDATE, serveFile } from "../../platform/http/response/static-files.ts";
import { BASE_PATH, RETRY } from "../../platform/shared/wire.ts";
import { notFound } from "../pipeline/outcome.ts";
import type { Endpoints } from "../services.ts";

const FOLDERS = new RegExp(`^(?:${RETRY})*`);
const CHUNK = /^handler\/([^/]+)$/;
const ASSET = /^[\w-]+\.js$/;

export function retryEndpoints({ router, services: { site } }: Endpoints): void {
  router.add("GET", `${BASE_PATH}/${RETRY}**:path`, async (ctx) => {
    const name = (ctx.params["path"] ?? "").replace(FOLDERS, "");
    const chunk = CHUNK.exec(name)?.[1];
    const asset = ASSET.test(name) ? site.assets.get(name) : undefined;
    const file = chunk === undefined ? asset : await site.chunk("handler", chunk);
    return file ? serveFile(ctx, file, REVALIDATE) : notFound("There is no such script");
  });
}
