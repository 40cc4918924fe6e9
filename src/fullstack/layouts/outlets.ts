/** Decides which layouts two pages share: the same file with the same parameters. docs/decisions/025. */
import { createHash } from "node:crypto";
import type { Context } from "../../index.ts";

type Params = Context["params"];

/** Names of the parameters in a folder's path: `users/[id]/` -> `id`. */
const PARAMETER = /\[+(?:\.\.\.)?([^\].]+)\]+/g;

/**
 * Marker of a layout's content.
 * @param file path of the layout below `pages/`
 * @returns a function of the request's parameters: those of the layout's folder distinguish it from the same layout for other data.
 */
export function outletKey(file: string): (params: Params) => string {
  const folder = file.slice(0, file.lastIndexOf("/") + 1);
  const names = [...folder.matchAll(PARAMETER)].map(([, name = ""]) => name);
  const fixed = digest([file]);
  return names.length === 0 ? () => fixed : (params) => digest([file, ...names.map((name) => params[name])]);
}

function digest(parts: readonly (string | undefined)[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 8);
}
