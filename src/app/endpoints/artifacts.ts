/** Files that workers left, over HTTP: a list, and each as a download. Never shown in place: what they hold is anybody's. */
import { json } from "../../http/response.ts";
import type { Context, Result } from "../../http/types.ts";
import { artifactView } from "../../graph/machine/snapshot.ts";
import { readArtifact } from "../../graph/running/artifact.ts";
import type { ArtifactRow } from "../../store/artifacts.ts";
import { PATHS } from "../../shared/wire.ts";
import { graphAccess } from "../auth.ts";
import { notFound } from "../outcome.ts";
import type { Endpoints, Services } from "../services.ts";
import { idOf } from "./webhooks.ts";

export function artifactEndpoints({ router, services }: Pick<Endpoints, "router" | "services">): void {
  const reader = [graphAccess(services, "read")];
  const all = `${PATHS.graphs}/:id/artifacts`;
  router.add("GET", all, async (ctx) => json({ artifacts: (await rowsOf(ctx, services)).map(artifactView) }), reader);
  router.add("GET", `${all}/:name`, (ctx) => download(ctx, services), reader);
}

async function rowsOf(ctx: Context, { store }: Services): Promise<ArtifactRow[]> {
  const id = idOf(ctx);
  if (!(await store.graphs.graph(id))) notFound(`There is no graph "${id.slice(0, 80)}"`);
  return store.graphs.artifacts(id);
}

async function download(ctx: Context, services: Services): Promise<Result> {
  const name = ctx.params["name"] ?? "";
  const row = (await rowsOf(ctx, services)).find((each) => each.name === name);
  if (!row) return notFound(`The graph has no artifact "${name.slice(0, 100)}"`);
  const headers = [
    ["content-type", row.type],
    ["content-length", String(row.bytes)],
    // Its name has nothing that would have to be quoted.
    ["content-disposition", `attachment; filename="${row.name}"`],
    ["x-content-type-options", "nosniff"],
    ["content-security-policy", "default-src 'none'; sandbox"],
    ["cache-control", "private, no-store"],
    ["etag", `"${row.sha256}"`],
  ].flat();
  return { status: 200, headers, body: readArtifact(services.store.graphs, row) };
}
