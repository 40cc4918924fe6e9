/** Files that workers leave, in memory. */
import { partsOf, UPLOAD_MARK, type ArtifactRow } from "../contract/artifacts.ts";

export class MemoryArtifacts {
  readonly #rows = new Map<string, ArtifactRow[]>();
  /** By graph and upload. */
  readonly #parts = new Map<string, Map<string, Uint8Array[]>>();

  writePart(graphId: string, upload: string, at: number, data: Uint8Array): void {
    const uploads = this.#parts.get(graphId) ?? new Map<string, Uint8Array[]>();
    const parts = uploads.get(upload) ?? [];
    parts[at] = data.slice();
    this.#parts.set(graphId, uploads.set(upload, parts));
  }

  part(graphId: string, upload: string, at: number): Uint8Array | undefined {
    return this.#parts.get(graphId)?.get(upload)?.[at];
  }

  add(rows: readonly ArtifactRow[]): void {
    for (const row of rows) {
      const { graphId, name } = row;
      const others = this.artifacts(graphId).filter((other) => other.name !== name);
      this.#rows.set(graphId, [...others, row]);
      this.#drop(graphId, (id) => id !== partsOf(row) && (id === name || id.startsWith(name + UPLOAD_MARK)));
    }
  }

  dropParts(graphId: string, upload: string): void {
    this.#drop(graphId, (id) => id === upload);
  }

  /** Parts that belong to no file. */
  dropLoose(graphId: string): void {
    const kept = new Set(this.artifacts(graphId).map(partsOf));
    this.#drop(graphId, (id) => !kept.has(id));
  }

  #drop(graphId: string, isGone: (id: string) => boolean): void {
    const uploads = this.#parts.get(graphId);
    for (const id of uploads?.keys() ?? []) if (isGone(id)) uploads?.delete(id);
  }

  artifacts(graphId: string): ArtifactRow[] {
    return [...(this.#rows.get(graphId) ?? [])].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  delete(graphId: string): void {
    this.#rows.delete(graphId);
    this.#parts.delete(graphId);
  }
}
