/** What a build tells the server about its browser chunks: written by the compiler, read by pages and endpoints. */
export interface Manifest {
  /** Hash over all chunks; pages carry it so that an old page can be told from a new one. */
  build: string;
  /** Path of a TSX file relative to the app root -> name of its chunk without `.js`, e.g. `counter-1a2b3c4d`. */
  chunks: Record<string, string>;
  /** Names of the server actions that browser code calls; the app refuses to boot when one is not registered. */
  actions: string[];
  /** Chunks with code that calls actions, of itself or of what it imports. Undefined, as in development: any may. */
  callers?: string[];
  /** Those of them that it takes to stream, where there are any. */
  streams?: string[];
}

/** The manifest of an app without browser code. */
export const EMPTY_MANIFEST: Manifest = { build: "0", chunks: {}, actions: [] };
