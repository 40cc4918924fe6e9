/** Step 4, server code of captured values: of an object only the members that browser code reads. Others may be for the server alone. */
import type { Kind } from "../analyze/declaration-kinds.ts";
import { METHODS } from "../analyze/methods.ts";
import type { Slot } from "../model.ts";
import type { ServerOutput } from "./server-output.ts";

/** What is known of a slot wherever its value is sent. */
export type Captured = Pick<Slot, "source" | "kind" | "node" | "members" | "isView" | "isWhole">;

/** Kinds of names whose values may be plain objects. */
const OBJECTS: ReadonlySet<Kind> = new Set(["value", "props"]);

/** Members of signals and lists, which are sent as a whole. */
const OF_OTHERS: ReadonlySet<string> = new Set(["value", "length", ...METHODS]);

/** Code of the value of a slot. */
export function capturedCode(out: ServerOutput, { source, kind, members }: Captured): string {
  if (!OBJECTS.has(kind) || !members || [...members].every((name) => OF_OTHERS.has(name))) return source;
  return `${out.use("only")}(${source}, ${JSON.stringify([...members].sort().join(" "))})`;
}
