/**
 * Browser chunks of a running development host. A chunk is built on its first request, and again after an edit of a file that it
 * contains.
 */
import { build } from "vite";
import { invariant } from "../../../platform/shared/errors.ts";
import { unwrapErrors } from "../build/build-errors.ts";
import { baseName, browserConfig, fromRoot } from "../build/build.ts";
import { shortHash } from "../build/manifest.ts";
import { VIEWS_QUERY } from "../emit/emit-child-views.ts";
import { LIVE_QUERY } from "../emit/derived-values.ts";
import { browserEntries, type AppModules } from "../build/app-modules.ts";
import { CLIENT_QUERY } from "../plugin.ts";
import { DEV_ASSET_OUTPUT } from "../styles/asset-config.ts";
import { Positions, type Position } from "../parse/source-positions.ts";

interface Built {
  code: string;
  /** Absolute paths of the files that it contains. */
  inputs: ReadonlySet<string>;
  positions: Positions;
}

/** Number of earlier chunks to keep: open pages may still request them, or throw from them. */
const KEPT_CHUNKS = 200;

export class DevChunks {
  readonly #root: string;
  readonly #modules: AppModules;
  /** TSX file -> number of edits that may have changed its chunk. */
  readonly #versions = new Map<string, number>();
  readonly #built = new Map<string, Promise<Built>>();
  readonly #inputs = new Map<string, ReadonlySet<string>>();
  /** Chunks by name, including those from before the last edits. */
  readonly #kept = new Map<string, Built>();

  constructor(root: string, modules: AppModules) {
    this.#root = root;
    this.#modules = modules;
  }

  /** Module -> name of its chunk. */
  names(): Map<string, string> {
    return new Map([...browserEntries(this.#modules)].map(([file, module]) => [module, this.#nameOf(file, module)]));
  }

  /** @param file undefined if any import may now resolve to another file. */
  changed(file: string | undefined): void {
    const known = new Set([...browserEntries(this.#modules).keys(), ...this.#built.keys(), ...this.#versions.keys()]);
    if (file !== undefined) known.add(file);
    for (const chunk of known) {
      // The files of a chunk that was never built, or failed, are unknown.
      // Which props are live, and which children are created, depends on all files.
      const isOfAll = chunk.endsWith(LIVE_QUERY) || chunk.endsWith(VIEWS_QUERY);
      if (file !== undefined && chunk !== file && !isOfAll && this.#inputs.get(chunk)?.has(file) === false) continue;
      this.#versions.set(chunk, (this.#versions.get(chunk) ?? 0) + 1);
      this.#built.delete(chunk);
      this.#inputs.delete(chunk);
    }
  }

  /** @throws SvcError from the compiler. */
  async code(name: string): Promise<string | undefined> {
    const kept = this.#kept.get(name);
    const [file, module] =
      [...browserEntries(this.#modules)].find((each) => stemOf(this.#nameOf(...each)) === stemOf(name)) ?? [];
    if (file === undefined || module === undefined) return kept?.code;
    // A page from before the last edit may request a chunk that was never built. It gets the current one and follows the edit in a
    // moment. Without a response, its event and all later ones would wait forever.
    if (kept && this.#nameOf(file, module) !== name) return kept.code;
    const building = this.#built.get(file) ?? buildChunk(this.#root, file, this.#modules);
    this.#built.set(file, building);
    const built = await building;
    if (this.#built.get(file) === building) this.#inputs.set(file, built.inputs);
    this.#keep(name, built);
    return built.code;
  }

  sourceOf(name: string, line: number, column: number): Position | undefined {
    return this.#kept.get(name)?.positions.sourceOf(line, column);
  }

  #nameOf(file: string, module: string): string {
    // Only the end of the name changes while the file keeps its name.
    return `${baseName(module)}-${shortHash(module)}-${this.#versions.get(file) ?? 0}`;
  }

  #keep(name: string, built: Built): void {
    this.#kept.delete(name);
    this.#kept.set(name, built);
    for (const [oldest] of this.#kept) {
      if (this.#kept.size <= KEPT_CHUNKS) break;
      this.#kept.delete(oldest);
    }
  }
}

/** Name of a chunk without its edit count. */
const stemOf = (name: string): string => name.replace(/-\d+$/, "");

/** One chunk with its helpers inlined. Shared helpers are duplicated, which is acceptable in development. */
async function buildChunk(root: string, file: string, modules: AppModules): Promise<Built> {
  const config = browserConfig(root, modules);
  const output = await unwrapErrors(() =>
    build({
      ...config,
      // Of the server too: `import.meta.env` is the same on both sides.
      mode: "development",
      build: {
        ...config.build,
        write: false,
        minify: false,
        sourcemap: true,
        rolldownOptions: {
          ...config.build?.rolldownOptions,
          input: file + CLIENT_QUERY,
          preserveEntrySignatures: "strict",
          // Modules that a handler imports later have no chunk of their own here.
          output: { ...DEV_ASSET_OUTPUT, codeSplitting: false, format: "es", sourcemapPathTransform: fromRoot(root) },
        },
      },
    }),
  );
  const [result] = Array.isArray(output) ? output : "output" in output ? [output] : [];
  const chunk = result?.output.find((item) => item.type === "chunk");
  invariant(chunk?.type === "chunk" && chunk.map, "a build of one entry gives one chunk and its map");
  const map = chunk.map.toString();
  return {
    code: `${chunk.code.replace(/\n\/\/# sourceMappingURL=.*\n?$/, "\n")}//# sourceMappingURL=data:application/json;base64,${Buffer.from(map).toString("base64")}\n`,
    inputs: new Set(chunk.moduleIds.map((id) => id.split("?")[0] ?? id)),
    positions: new Positions(map, root),
  };
}
