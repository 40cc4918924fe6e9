/** What jobs are called: by the definition that a graph needs, so that a process fetches none that it can't go on with. */

export interface JobPayload {
  id: string;
  /** The process that ran it was killed. */
  hasCrashed?: boolean;
}

/** @param version undefined: the graph has none. */
export function identifierOf(worker: string, version: string | undefined): string {
  return version === undefined ? `graph ${worker}` : `graph ${worker} ${version}`;
}
