/** Reads from a URL which run or node to show, and whether its hidden values may be shown. */
import { redirect, type App, type Context, type Result } from "../../../index.ts";
import type { NodeDetail, Snapshot } from "../../../graph.ts";
import { OPS_PATH, type Visitor } from "../../operator-access.ts";
import type { Screens } from "../../ops-context.ts";
import { readRunQuery } from "../../views/runs/run-query.ts";

export interface RunReveal {
  /** Undefined if it does not exist. */
  shown: Snapshot | NodeDetail | undefined;
  isRevealed: boolean;
}

/** @returns a redirect to the sign-in page if the visitor has no access */
export async function readRunReveal(ctx: Context, { app, gate }: Screens): Promise<RunReveal | { denial: Result }> {
  const access = await gate.access(ctx);
  if ("denial" in access) return { denial: redirect(OPS_PATH) };
  const { id = "" } = ctx.params;
  const { node, reveal } = readRunQuery(ctx.query);
  const { engine } = app();
  const shown = node === undefined ? await engine.snapshot(id) : await engine.node(id, node);
  return { shown, isRevealed: isRevealedTo(access.visitor, app(), id, reveal) };
}

/** Whether the visitor has recently given a reason to reveal this run. @param word the sealed token that proves it */
export function isRevealedTo({ role, name }: Visitor, app: App, id: string, word: string | undefined): boolean {
  return role === "operator" && word !== undefined && app.unseal(`ops reveal ${id}`, word) === name;
}
