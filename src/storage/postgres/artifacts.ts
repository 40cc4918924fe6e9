/** Artifacts of workers, in PostgreSQL. */
import type { ArtifactRow, ArtifactRows, UploadKey } from "../contract/artifacts.ts";
import { toArtifact } from "../contract/columns.ts";
import type { Database } from "./database.ts";

export class PostgresArtifacts implements ArtifactRows {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async writePart(graphId: string, upload: string, at: number, data: Uint8Array): Promise<void> {
    await this.#database.run(
      "INSERT INTO svc.artifact_part (graph_id, id, at, data) VALUES ($1, $2, $3, $4) ON CONFLICT (graph_id, id, at) DO UPDATE SET data = excluded.data",
      graphId,
      upload,
      at,
      data,
    );
  }

  async part(graphId: string, upload: string, at: number): Promise<Uint8Array | undefined> {
    const row = await this.#database.row(
      "SELECT data FROM svc.artifact_part WHERE graph_id = $1 AND id = $2 AND at = $3",
      graphId,
      upload,
      at,
    );
    return row && new Uint8Array(row["data"] as unknown as Uint8Array);
  }

  async dropParts(graphId: string, upload: string): Promise<void> {
    await this.#database.run("DELETE FROM svc.artifact_part WHERE graph_id = $1 AND id = $2", graphId, upload);
  }

  async uploads(graphIds: readonly string[]): Promise<UploadKey[]> {
    const rows = await this.#database.rows(
      "SELECT DISTINCT graph_id, id FROM svc.artifact_part WHERE graph_id = ANY ($1::text[])",
      [...graphIds],
    );
    return rows.map((row) => ({ graphId: String(row["graph_id"]), upload: String(row["id"]) }));
  }

  async artifacts(graphId: string): Promise<ArtifactRow[]> {
    const rows = await this.#database.rows("SELECT * FROM svc.artifact WHERE graph_id = $1 ORDER BY id", graphId);
    return rows.map(toArtifact);
  }
}
