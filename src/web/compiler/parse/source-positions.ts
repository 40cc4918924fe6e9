/** Maps positions in generated code to the source, with source maps (ECMA-426). */
import { SourceMap, type SourceMapPayload } from "node:module";
import path from "node:path";

export interface Position {
  /** Absolute path of the source file. */
  file: string;
  /** From 1. */
  line: number;
  /** From 1. */
  column: number;
}

/** A source map (JSON), and the folder that its sources are relative to. */
export class Positions {
  readonly #map: SourceMap;
  readonly #folder: string;

  constructor(map: string, folder: string) {
    this.#map = new SourceMap(JSON.parse(map) as SourceMapPayload);
    this.#folder = folder;
  }

  /** @param line from 1. @param column from 1. */
  sourceOf(line: number, column: number): Position | undefined {
    const entry = this.#map.findEntry(line - 1, column - 1);
    if (!("originalSource" in entry) || entry.originalSource === undefined) return undefined;
    return {
      file: path.resolve(this.#folder, entry.originalSource.replace(/\?.*$/, "")),
      line: entry.originalLine + 1,
      column: entry.originalColumn + 1,
    };
  }
}
