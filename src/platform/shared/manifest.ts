/** Describes the browser chunks of a build: written by the compiler, read by pages and endpoints. */
export interface Manifest {
  /** Hash over all chunks; pages contain it so that a page of an older build can be recognized. */
  build: string;
  /** Path of a TSX file relative to the app root -> name of its chunk without `.js`, e.g. `counter-1a2b3c4d`. */
  chunks: Record<string, string>;
  /** Names of the server actions that browser code calls. The app refuses to boot if one is not registered. */
  actions: string[];
  /** Chunks that call actions, directly or through an import. Undefined, as in development: any chunk may call actions. */
  callers?: string[];
  /**
   * Chunk that creates components -> other chunks and parts of the runtime that it imports. Pages name them beside the chunk, so that the browser
   * fetches all of them at once. Undefined, as in development: it finds them when the chunk has arrived.
   */
  needs?: Record<string, string[]>;
  /** Actions of them that browser code reads as streams; undefined if there are none. */
  streams?: string[];
  /** Whether the app was not built: its pages render, but their browser code does not exist. */
  isUnbuilt?: true;
  /** Stylesheets that the app's modules import; undefined if there are none. */
  styles?: ImportedStyles | undefined;
}

/** Stylesheets that modules import. The numbers are indexes of `files`, in ascending order. */
export interface ImportedStyles {
  /** URLs, in the order in which pages link them. */
  files: string[];
  /** Stylesheets of every page. */
  always: number[];
  /** Path of a module with components, relative to the app root -> the stylesheets that the module and its imports need. */
  modules: Record<string, number[]>;
}

/** The manifest of an app that runs from its source outside of production, as in tests of components. */
export const UNBUILT_MANIFEST: Manifest = { build: "0", chunks: {}, actions: [], isUnbuilt: true };

/** Name of the chunk of every module of an unbuilt app. */
export const UNBUILT_CHUNK = "not-built";

/** The manifest of an app without browser code. */
export const EMPTY_MANIFEST: Manifest = { build: "0", chunks: {}, actions: [] };
