/** Files that workers leave: what a store keeps of them. Parts are written one by one; the row makes them a whole. */

/** Bytes of a part, but of the last: small enough to hold, large enough that a gigabyte is some thousand rows. */
export const PART_BYTES = 256 * 1024;

export interface ArtifactRow {
  graphId: string;
  /** Alone in its graph. */
  name: string;
  /** Id of the node that made it. */
  node: string;
  /** Media type. */
  type: string;
  bytes: number;
  /** In hex. */
  sha256: string;
  createdMs: number;
}

export interface ArtifactRows {
  /** Writes a part in place of one that is there, from an attempt that did not come to its end. Resolves after the durable commit. */
  writePart(graphId: string, name: string, at: number, data: Uint8Array): Promise<void>;
  part(graphId: string, name: string, at: number): Promise<Uint8Array | undefined>;
  /** By name. */
  artifacts(graphId: string): Promise<ArtifactRow[]>;
}
