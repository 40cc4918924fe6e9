/**
 * What jobs are called: by the very definition that a graph was started with, so that of several builds side by side each fetches the graphs
 * that it can go on with. What no process has any more is called by its name and version alone, and is for whoever has these.
 */
import { createHash } from "node:crypto";

/** graphile-worker takes 128; the hash of a definition is 16 long. */
const MOST_CHARACTERS = 108;

export interface JobPayload {
  id: string;
  /** The process that ran it was killed. */
  hasCrashed?: boolean;
  /** Ids of nodes that ran in other processes then. */
  beside?: readonly string[];
}

/** @param version undefined: the graph has none. */
export function identifierOf(worker: string, version: string | undefined, hash: string): string {
  return `${nameOf(worker, version)} #${hash}`;
}

/** Of graphs whose definition no process has. */
export function nameOf(worker: string, version: string | undefined): string {
  const name = version === undefined ? `graph ${worker}` : `graph ${worker} ${version}`;
  if (name.length <= MOST_CHARACTERS) return name;
  return `${name.slice(0, 80)}~${createHash("sha256").update(name).digest("hex").slice(0, 16)}`;
}

/** Of nodes of a worker, which some process is to run that has it. */
export function nodeTask(worker: string): string {
  return `node ${worker}`;
}
