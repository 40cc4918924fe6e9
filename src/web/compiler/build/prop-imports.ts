/**
 * Finds the props that imported components use in some way, such as those that they show only once (analyze/kept-props.ts), through re-exports
 * and components that pass props on.
 */
import type { PlacesByName, PlacesOfComponent, PropPlace } from "../analyze/prop-places.ts";
import type { SourceFile } from "../diagnostics.ts";
import { importsOf } from "../parse/imports.ts";
import { parse } from "../parse/parse.ts";
import { reexportsOf } from "./reexports.ts";

/** What the search asks of the plugin. */
export interface ImportsSource<Place extends PropPlace> {
  /** @returns absolute path of the app's module behind an import; undefined for packages and other files */
  moduleOf(source: string, importer: string): Promise<string | undefined>;
  fileOf(module: string): Promise<SourceFile>;
  /** @returns what the module's own components use; undefined if it has errors */
  compiled(module: string, file: SourceFile, imported: PlacesByName<Place>): Promise<PlacesByName<Place> | undefined>;
}

export class PropImports<Place extends PropPlace> {
  readonly #source: ImportsSource<Place>;
  readonly #known = new Map<string, PlacesByName<Place>>();

  constructor(source: ImportsSource<Place>) {
    this.#source = source;
  }

  /** @returns what imported components use, by their local names in the module */
  async of(module: string, file: SourceFile, seen: ReadonlySet<string> = new Set()): Promise<PlacesByName<Place>> {
    const found = new Map<string, PlacesOfComponent<Place>>();
    const inner = new Set([...seen, module]);
    for (const { source, imported, local } of importsOf(parse(file))) {
      if (!/^[A-Z]/.test(local)) continue;
      const from = await this.#source.moduleOf(source, module);
      const used = from === undefined ? undefined : (await this.#exports(from, inner)).get(imported);
      if (used) found.set(local, used);
    }
    return found;
  }

  /** What the exports of a module use. @param seen modules that wait for the answer, so one that imports itself has none there */
  async #exports(module: string, seen: ReadonlySet<string>): Promise<PlacesByName<Place>> {
    const known = this.#known.get(module);
    if (known) return known;
    if (seen.has(module)) return new Map();
    const file = await this.#source.fileOf(module);
    const found = new Map<string, PlacesOfComponent<Place>>();
    for (const { exported, imported, source } of reexportsOf(parse(file))) {
      const from = await this.#source.moduleOf(source, module);
      if (from === undefined) continue;
      const inner = await this.#exports(from, new Set([...seen, module]));
      for (const [name, used] of inner) {
        if (imported === "*") found.set(name, used);
        else if (imported === name) found.set(exported, used);
      }
    }
    if (/\.[jt]sx$/.test(module)) {
      const own = await this.#source.compiled(module, file, await this.of(module, file, seen));
      for (const [name, used] of own ?? []) found.set(name, used);
    }
    // Inside of a circle of imports the answer may lack what the first module of the circle uses.
    if (seen.size <= 1) this.#known.set(module, found);
    return found;
  }
}
