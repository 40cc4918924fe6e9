/**
 * Files that workers leave: what a store keeps of them. Each upload has parts of its own, written one by one; the row makes them a whole, and
 * takes those of the file it replaces away.
 */

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
  /** Under which its parts are; absent where that is its name, as in rows from before uploads had ids. */
  upload: string | undefined;
}

/** Between the name of a file and what tells its uploads apart. No name has it, so an upload is never taken for a name. */
export const UPLOAD_MARK = "/";

/** Under which the parts of a file are. */
export function partsOf({ name, upload }: Pick<ArtifactRow, "name" | "upload">): string {
  return upload ?? name;
}

export interface ArtifactRows {
  /** Writes a part, in place of one that is there. Resolves after the durable commit. @param upload begins with the file's name and the mark. */
  writePart(graphId: string, upload: string, at: number, data: Uint8Array): Promise<void>;
  part(graphId: string, upload: string, at: number): Promise<Uint8Array | undefined>;
  /** Takes away what was written of an upload that comes to no end. */
  dropParts(graphId: string, upload: string): Promise<void>;
  /** By name. */
  artifacts(graphId: string): Promise<ArtifactRow[]>;
}
