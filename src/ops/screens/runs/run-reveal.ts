/** What an address asks to see of a run: all of it, or one of its nodes, and whether what is hidden may be seen in it. */
import { redirect, type App, type Context, type Result } from "../../../index.ts";
import type { NodeDetail, Snapshot } from "../../../graph.ts";
import { OPS_PATH, type Visitor } from "../../operator-access.ts";
import type { Screens } from "../../ops-context.ts";
import { readRunQuery } from "../../views/runs/run-query.ts";

export interface RunReveal {
  /** Undefined where it is not there. */
  shown: Snapshot | NodeDetail | undefined;
  isRevealed: boolean;
}

/** @returns a redirect to the door for who may not look */
export async function readRunReveal(ctx: Context, { app, gate }: Screens): Promise<RunReveal | { denial: Result }> {
  const access = await gate.access(ctx);
  if ("denial" in access) return { denial: redirect(OPS_PATH) };
  const { id = "" } = ctx.params;
  const { node, reveal } = readRunQuery(ctx.query);
  const { engine } = app();
  const shown = node === undefined ? await engine.snapshot(id) : await engine.node(id, node);
  return { shown, isRevealed: isRevealedTo(access.visitor, app(), id, reveal) };
}

/** Whether a visitor has said why all of a run has to be seen, a while ago. @param word what that was answered with */
export function isRevealedTo({ role, name }: Visitor, app: App, id: string, word: string | undefined): boolean {
  return role === "operator" && word !== undefined && app.unseal(`ops reveal ${id}`, word) === name;
}
