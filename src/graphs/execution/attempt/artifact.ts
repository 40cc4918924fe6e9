/** Artifacts of workers (`ctx.artifact`): read as a stream, written in parts, with a hash of their content. */
import { createHash, randomUUID } from "node:crypto";
import {
  PART_BYTES,
  partsOf,
  UPLOAD_MARK,
  type ArtifactRow,
  type ArtifactRows,
} from "../../../storage/contract/artifacts.ts";
import { FinalError } from "../../definition/final-error.ts";

export type ArtifactData = string | Uint8Array | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>;

/** A gigabyte. Larger files belong in a file store. */
const MAX_BYTES = 1024 ** 3;
const NAME = /^[\w][\w.@+=,-]{0,99}$/;
/** RFC 9110 section 8.3.1, with at most one parameter. */
const TYPE = /^[\w.+-]{1,60}\/[\w.+-]{1,60}(?:; ?[\w-]{1,20}=[\w.+-]{1,40})?$/;

/** @throws FinalError */
export function requireArtifact(name: string, type: string, node: string, others: readonly ArtifactRow[]): void {
  if (!NAME.test(name))
    throw new FinalError(
      `"${String(name).slice(0, 120)}" is not a valid name for an artifact of "${node}"; use 1 to 100 letters, digits or any of . _ @ + = , -`,
    );
  if (!TYPE.test(type))
    throw new FinalError(`"${String(type).slice(0, 120)}" is not a media type; use one such as "text/csv"`);
  // The node's own file from an earlier epoch is replaced.
  const other = others.find((row) => row.name === name && row.node !== node);
  if (other) throw new FinalError(`The artifact "${name}" of "${node}" has the same name as one of "${other.node}"`);
}

/**
 * Writes all parts under an id of their own, so that an existing file with this name stays whole.
 * @param requireCurrent throws once the attempt has ended, because its stream may continue.
 * @returns the row to commit, which makes the parts a file.
 * @throws FinalError above one gigabyte.
 */
export async function writeArtifact(
  rows: ArtifactRows,
  graphId: string,
  name: string,
  data: ArtifactData,
  requireCurrent: () => void,
): Promise<Pick<ArtifactRow, "bytes" | "sha256"> & { upload: string }> {
  const upload = name + UPLOAD_MARK + randomUUID();
  const hash = createHash("sha256");
  let bytes = 0;
  let at = 0;
  try {
    for await (const part of inParts(data)) {
      hash.update(part);
      bytes += part.byteLength;
      if (bytes > MAX_BYTES) throw new FinalError(`The artifact "${name}" is larger than ${MAX_BYTES} bytes`);
      requireCurrent();
      await rows.writePart(graphId, upload, at++, part);
    }
  } catch (error) {
    // Remaining parts are deleted with the next file of this name, when the run is loaded again, or with the run.
    await rows.dropParts(graphId, upload).catch(() => undefined);
    throw error;
  }
  return { bytes, sha256: hash.digest("hex"), upload };
}

/** The same bytes in parts of equal size. */
async function* inParts(data: ArtifactData): AsyncGenerator<Uint8Array> {
  let held: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunksOf(data)) {
    for (let from = 0; from < chunk.byteLength;) {
      const piece = chunk.subarray(from, from + PART_BYTES - size);
      held.push(piece);
      from += piece.byteLength;
      size += piece.byteLength;
      if (size < PART_BYTES) continue;
      yield Buffer.concat(held);
      [held, size] = [[], 0];
    }
  }
  if (size > 0) yield Buffer.concat(held);
}

async function* chunksOf(data: ArtifactData): AsyncGenerator<Uint8Array> {
  if (typeof data === "string") yield Buffer.from(data);
  else if (data instanceof Uint8Array) yield data;
  else yield* data as AsyncIterable<Uint8Array>;
}

/** The bytes of an artifact, part by part. */
export async function* readArtifact(rows: ArtifactRows, row: ArtifactRow): AsyncGenerator<Uint8Array> {
  const { graphId, name, bytes } = row;
  for (let at = 0; at * PART_BYTES < bytes; at++) {
    const part = await rows.part(graphId, partsOf(row), at);
    if (!part)
      throw new Error(
        `Part ${at} of the artifact "${name}" of ${graphId} is missing: the artifact was replaced, or its run deleted`,
      );
    yield part;
  }
}
