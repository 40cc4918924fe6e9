/** The manifest of a build: which chunk belongs to which TSX file (shared/manifest.ts). */
import { createHash } from "node:crypto";
import type { Manifest } from "../shared/manifest.ts";

/**
 * @param chunks path of a TSX file -> chunk name without `.js`; names hold content hashes.
 * @returns a manifest whose `build` changes with any chunk.
 */
export function createManifest(chunks: ReadonlyMap<string, string>, actions: Iterable<string>): Manifest {
  const sorted = [...chunks].sort(([left], [right]) => (left < right ? -1 : 1));
  return {
    build: shortHash(JSON.stringify(sorted)),
    chunks: Object.fromEntries(sorted),
    actions: [...new Set(actions)].sort(),
  };
}

/** 8 hexadecimal digits. */
export function shortHash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 8);
}
