/** Artifacts over HTTP: a list, and each as a download. Never displayed or executed, because anybody may have written them. */
import { json } from "../../platform/http/response/response.ts";
import type { Context, Result } from "../../platform/http/types.ts";
import { artifactView } from "../../graphs/machine/snapshot.ts";
import { readArtifact } from "../../graphs/execution/attempt/artifact.ts";
import type { ArtifactRow } from "../../storage/contract/artifacts.ts";
import { runState } from "../../storage/contract/run-state.ts";
import { PATHS } from "../../platform/shared/wire.ts";
import { graphAccess } from "../pipeline/operator-auth.ts";
import { notFound } from "../pipeline/outcome.ts";
import type { Endpoints, Services } from "../services.ts";
import { idOf } from "./webhooks.ts";

/**
 * Types that browsers only display or store. With `nosniff`, a browser takes no other type for a script or stylesheet, so a missing type
 * is a small inconvenience; one too many could act for the site. SVG has scripts.
 */
const INERT =
  /^(?:text\/(?:plain|csv|markdown)|application\/(?:json|x-ndjson|pdf|zip|gzip|vnd\.openxmlformats-[\w.-]+)|(?:image|audio|video)\/(?!svg)[\w.-]+)(?:;|$)/i;

/** The type if it is inert, else that of bytes. */
function inertType(type: string): string {
  return INERT.test(type) ? type : "application/octet-stream";
}

export function artifactEndpoints({ router, services }: Pick<Endpoints, "router" | "services">): void {
  const reader = [graphAccess(services, "read")];
  const all = `${PATHS.graphs}/:id/artifacts`;
  router.add("GET", all, async (ctx) => json({ artifacts: (await rowsOf(ctx, services)).map(artifactView) }), reader);
  router.add("GET", `${all}/:name`, (ctx) => download(ctx, services), reader);
}

async function rowsOf(ctx: Context, { store }: Services): Promise<ArtifactRow[]> {
  const id = idOf(ctx);
  if (!(await runState(store.graphs, id))) notFound(`There is no graph "${id.slice(0, 80)}"`);
  return store.graphs.artifacts(id);
}

async function download(ctx: Context, services: Services): Promise<Result> {
  const name = ctx.params["name"] ?? "";
  const row = (await rowsOf(ctx, services)).find((each) => each.name === name);
  if (!row) return notFound(`The graph has no artifact "${name.slice(0, 100)}"`);
  const headers = [
    ["content-type", inertType(row.type)],
    ["content-length", String(row.bytes)],
    // Names contain no characters that need quoting.
    ["content-disposition", `attachment; filename="${row.name}"`],
    ["x-content-type-options", "nosniff"],
    ["content-security-policy", "default-src 'none'; sandbox"],
    // Independent of the site's setting for its own responses.
    ["cross-origin-resource-policy", "same-origin"],
    ["cache-control", "private, no-store"],
    ["etag", `"${row.sha256}"`],
  ].flat();
  return { status: 200, headers, body: readArtifact(services.store.graphs, row) };
}
