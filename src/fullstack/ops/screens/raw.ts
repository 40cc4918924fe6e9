/** All of a run, or of one of its nodes, as JSON to be kept: what the tab Raw shows the beginning of, and no more than that hides. */
import { notFound, redirect, route, type App, type Context, type Entry, type Result } from "../../../index.ts";
import type { Json, NodeDetail, Snapshot } from "../../../graph.ts";
import { OPS_PATH, type Visitor } from "../access.ts";
import type { Screens } from "../look.ts";
import { payloadView } from "../views/payload.ts";
import { readRunQuery } from "../views/run-query.ts";

export function rawRoute(screens: Screens): Entry {
  return route("GET", "/runs/:id/raw", (ctx) => raw(ctx, screens));
}

/** As the API has it. */
export function rawOf(shown: Snapshot | NodeDetail): Json {
  return JSON.parse(JSON.stringify(shown)) as Json;
}

/** Whether a visitor has said why all of a run has to be seen, a while ago. @param word what that was answered with */
export function isRevealedTo({ role, name }: Visitor, app: App, id: string, word: string | undefined): boolean {
  return role === "operator" && word !== undefined && app.unseal(`ops reveal ${id}`, word) === name;
}

async function raw(ctx: Context, { app, door, redact }: Screens): Promise<Result> {
  const access = await door.access(ctx);
  if ("denial" in access) return redirect(OPS_PATH);
  const { id = "" } = ctx.params;
  const { node, reveal } = readRunQuery(ctx.query);
  const { engine } = app();
  const shown = node === undefined ? await engine.snapshot(id) : await engine.node(id, node);
  if (!shown) return notFound("There is no such run, or it has no such node");
  const isRevealed = isRevealedTo(access.visitor, app(), id, reveal);
  return {
    status: 200,
    headers: [
      "content-type",
      "application/json; charset=utf-8",
      "content-disposition",
      'attachment; filename="raw.json"',
      "cache-control",
      "private, no-store",
    ],
    body: payloadView(rawOf(shown), { keys: redact, isRevealed }).raw,
  };
}
