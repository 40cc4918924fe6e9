/** The files that workers stored with a run, each with a preview and a download. */
import { notFound, redirect, route, type Context, type Entry, type Result } from "../../../index.ts";
import type { Artifact } from "../../../graph.ts";
import { OPS_PATH } from "../../operator-access.ts";
import type { OpsContext, Screens } from "../../ops-context.ts";
import { imageTypeOf, MAX_IMAGE_BYTES } from "../../views/bytes.ts";
import { previewOf, type Preview } from "../../views/runs/preview.ts";
import { READ_ONLY } from "../../views/runs/allowed-actions.ts";
import { bytesText, countText } from "../../views/format.ts";
import { UNTRUSTED_HEADERS } from "../untrusted-headers.ts";
import { Time } from "../parts.tsx";

/** Further files are listed without a preview: each preview reads a quarter of a megabyte. */
const PREVIEWS = 12;

export interface ShownArtifact {
  artifact: Artifact;
  /** undefined: no preview, because there are too many files. */
  preview: Preview | undefined;
}

/** @param node whose files to list; undefined: those of all nodes. */
export async function loadArtifacts(
  { app, redact, visitor }: OpsContext,
  graphId: string,
  node: string | undefined,
  isRevealed: boolean,
): Promise<ShownArtifact[]> {
  const all = await app.engine.artifacts(graphId);
  const own = all.filter((artifact) => node === undefined || artifact.node === node);
  const options = { keys: redact, isRevealed, isOperator: visitor.role === "operator" };
  return Promise.all(
    own.map(async (artifact, at) => {
      if (at >= PREVIEWS) return { artifact, preview: undefined };
      const head = await headOf(app, graphId, artifact.name);
      return { artifact, preview: previewOf(head, artifact.bytes, options) };
    }),
  );
}

/** The first chunk of a file. */
async function headOf(app: OpsContext["app"], graphId: string, name: string): Promise<Uint8Array> {
  const found = await app.engine.artifact(graphId, name);
  for await (const part of found?.body ?? []) return part;
  return new Uint8Array();
}

export function Artifacts({
  shown,
  graphId,
  opsContext,
}: {
  shown: readonly ShownArtifact[];
  graphId: string;
  opsContext: OpsContext;
}) {
  if (shown.length === 0)
    return <p class="quiet">{'No files. A worker stores one with ctx.artifact("report.csv", text, "text/csv").'}</p>;
  return (
    <ul class="artifacts">
      {shown.map(({ artifact, preview }) => (
        <li key={artifact.name}>
          <h3>{artifact.name}</h3>
          <p class="quiet">
            {`${artifact.type}, ${bytesText(artifact.bytes)}, by ${artifact.node}, `}
            <Time ms={artifact.created_ms} opsContext={opsContext} />
          </p>
          <Shown artifact={artifact} preview={preview} href={hrefOf(graphId, artifact.name)} />
          <Download opsContext={opsContext} name={artifact.name} href={hrefOf(graphId, artifact.name)} />
        </li>
      ))}
    </ul>
  );
}

function hrefOf(graphId: string, name: string): string {
  return `${OPS_PATH}/runs/${graphId}/artifacts/${encodeURIComponent(name)}`;
}

function Shown({ artifact, preview, href }: { artifact: Artifact; preview: Preview | undefined; href: string }) {
  if (preview === undefined) return null;
  if (preview.kind === "withheld")
    return <p class="quiet">No preview: this format cannot be searched for values that must be hidden.</p>;
  if (preview.kind === "image")
    return <img class="artifact" src={`${href}/image`} alt={`Image ${artifact.name}`} loading="lazy" />;
  const { kind, text, isCut } = preview;
  const hidden = kind === "text" ? preview.redacted : 0;
  return (
    <>
      <pre
        class={kind === "text" ? "wrap" : undefined}
        tabindex={0}
        role="region"
        aria-label={`Content of ${artifact.name}`}
      >
        <code>{text}</code>
      </pre>
      {isCut || hidden > 0 ? (
        <p class="quiet">
          {[isCut ? "Truncated" : "", hidden > 0 ? `${countText(hidden)} hidden` : ""].filter(Boolean).join(", ")}
        </p>
      ) : null}
    </>
  );
}

/** The complete file, including hidden values: for operators, with an audit entry. */
function Download({ opsContext, name, href }: { opsContext: OpsContext; name: string; href: string }) {
  if (opsContext.visitor.role !== "operator") return <p class="quiet">{`No download: ${READ_ONLY}.`}</p>;
  return (
    <p>
      <a class="button" href={href} download={name}>
        Download
      </a>
    </p>
  );
}

export function artifactRoutes(screens: Screens): Entry[] {
  return [
    route("GET", "/runs/:id/artifacts/:name", (ctx) => download(ctx, screens)),
    route("GET", "/runs/:id/artifacts/:name/image", (ctx) => image(ctx, screens)),
  ];
}

async function download(ctx: Context, { app, gate }: Screens): Promise<Result> {
  const access = await gate.access(ctx);
  if ("denial" in access || access.visitor.role !== "operator") return redirect(OPS_PATH);
  const { artifact, body } = await found(ctx, app());
  const by = { by: access.visitor.name, address: ctx.clientIp };
  await app().operations.record("artifact.download", ctx.params["id"] ?? "", by, { name: artifact.name });
  return {
    status: 200,
    headers: [
      ...UNTRUSTED_HEADERS,
      "content-type",
      "application/octet-stream",
      "content-length",
      String(artifact.bytes),
      "content-disposition",
      // Artifact names contain no characters that need quoting.
      `attachment; filename="${artifact.name}"`,
    ],
    body,
  };
}

/** The content type comes from the bytes, and only if they are an image. */
async function image(ctx: Context, { app, gate }: Screens): Promise<Result> {
  const access = await gate.access(ctx);
  if ("denial" in access) return redirect(OPS_PATH);
  const { artifact } = await found(ctx, app());
  const type = imageTypeOf(await headOf(app(), ctx.params["id"] ?? "", artifact.name));
  if (type === undefined || artifact.bytes > MAX_IMAGE_BYTES)
    return notFound("This file is not an image that can be shown");
  const { body } = await found(ctx, app());
  return {
    status: 200,
    headers: [...UNTRUSTED_HEADERS, "content-type", type, "content-length", String(artifact.bytes)],
    body,
  };
}

async function found({ params }: Context, { engine }: OpsContext["app"]) {
  const { id = "", name = "" } = params;
  return (await engine.artifact(id, name)) ?? notFound(`The run has no artifact "${name.slice(0, 100)}"`);
}
