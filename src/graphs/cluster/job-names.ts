/**
 * Names of jobs: by the hash of the definition with which a run was started, so that each of several builds takes the runs that it can
 * execute. If no process has the definition, the job is named by name and version, for any process with these.
 */
import { createHash } from "node:crypto";

/** graphile-worker allows 128; the hash of a definition has 16. */
const MOST_CHARACTERS = 108;

export interface JobPayload {
  id: string;
  /** The process that executed it was killed. */
  hasCrashed?: boolean;
  /** Ids of nodes that ran in other processes then. */
  beside?: readonly string[];
  /** A process with its name and version could not continue it: only one with its definition takes it, or one that joins later. */
  isUnfit?: boolean;
}

/** @param version undefined: the run has none. */
export function identifierOf(worker: string, version: string | undefined, hash: string): string {
  return `${nameOf(worker, version)} #${hash}`;
}

/** Name of jobs of runs whose definition no process has. */
export function nameOf(worker: string, version: string | undefined): string {
  const name = version === undefined ? `graph ${worker}` : `graph ${worker} ${version}`;
  if (name.length <= MOST_CHARACTERS) return name;
  return `${name.slice(0, 80)}~${createHash("sha256").update(name).digest("hex").slice(0, 16)}`;
}

/** Name of jobs for nodes of a worker. */
export function nodeTask(worker: string): string {
  return `node ${worker}`;
}
