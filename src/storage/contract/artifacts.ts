/**
 * Stored artifacts of workers. Each upload has its own parts, written one by one; the row makes them a file, and deletes the parts of the
 * file it replaces.
 */

/** Size of all parts but the last: small enough for memory, large enough that a gigabyte is a few thousand rows. */
export const PART_BYTES = 256 * 1024;

export interface ArtifactRow {
  graphId: string;
  /** Unique in its run. */
  name: string;
  /** Id of the node that created it. */
  node: string;
  /** Media type. */
  type: string;
  bytes: number;
  /** Hexadecimal. */
  sha256: string;
  createdMs: number;
  /** Id of its parts; absent if that is its name, as in rows of older versions. */
  upload: string | undefined;
}

/** Separates the name of a file from the id of an upload. Names can't contain it, so an upload is never read as a name. */
export const UPLOAD_MARK = "/";

/** Id of the parts of a file. */
export function partsOf({ name, upload }: Pick<ArtifactRow, "name" | "upload">): string {
  return upload ?? name;
}

export interface UploadKey {
  graphId: string;
  upload: string;
}

export interface ArtifactRows {
  /**
   * Writes a part, replacing an existing one. Resolves after the durable commit. @param upload begins with the file's name and the
   * separator.
   */
  writePart(graphId: string, upload: string, at: number, data: Uint8Array): Promise<void>;
  part(graphId: string, upload: string, at: number): Promise<Uint8Array | undefined>;
  /** Deletes the parts of an unfinished upload. */
  dropParts(graphId: string, upload: string): Promise<void>;
  /** Uploads of these runs that have parts, finished or not. */
  uploads(graphIds: readonly string[]): Promise<UploadKey[]>;
  /** By name. */
  artifacts(graphId: string): Promise<ArtifactRow[]>;
}
