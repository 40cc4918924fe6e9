/** Files that workers leave, in memory. */
import type { ArtifactRow } from "../artifacts.ts";

export class MemoryArtifacts {
  readonly #rows = new Map<string, ArtifactRow[]>();
  readonly #parts = new Map<string, Map<string, Uint8Array>>();

  writePart(graphId: string, name: string, at: number, data: Uint8Array): void {
    const parts = this.#parts.get(graphId) ?? new Map<string, Uint8Array>();
    this.#parts.set(graphId, parts.set(`${at} ${name}`, data.slice()));
  }

  part(graphId: string, name: string, at: number): Uint8Array | undefined {
    return this.#parts.get(graphId)?.get(`${at} ${name}`);
  }

  add(rows: readonly ArtifactRow[]): void {
    for (const row of rows) {
      const others = this.artifacts(row.graphId).filter(({ name }) => name !== row.name);
      this.#rows.set(row.graphId, [...others, row]);
    }
  }

  artifacts(graphId: string): ArtifactRow[] {
    return [...(this.#rows.get(graphId) ?? [])].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  delete(graphId: string): void {
    this.#rows.delete(graphId);
    this.#parts.delete(graphId);
  }
}
