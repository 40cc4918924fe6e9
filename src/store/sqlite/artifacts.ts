/** Files that workers leave, in SQLite. */
import type { ArtifactRow, ArtifactRows } from "../artifacts.ts";
import { toArtifact } from "../columns.ts";
import type { Database } from "./database.ts";
import type { Statement } from "./driver.ts";

/** Both drivers take and give bytes; no other table has any. */
interface BytesStatement {
  run(graphId: string, name: string, at: number, data: Uint8Array): unknown;
  get(graphId: string, name: string, at: number): { data: Uint8Array } | undefined;
}

const ofBytes = (statement: Statement): BytesStatement => statement as unknown as BytesStatement;

export class SqliteArtifacts implements ArtifactRows {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async writePart(graphId: string, name: string, at: number, data: Uint8Array): Promise<void> {
    await this.#database.write(() => {
      const statement = this.#database.sql(
        "INSERT OR REPLACE INTO artifact_part (graph_id, id, at, data) VALUES (?, ?, ?, ?)",
      );
      ofBytes(statement).run(graphId, name, at, data);
    });
  }

  async part(graphId: string, name: string, at: number): Promise<Uint8Array | undefined> {
    const statement = this.#database.sql("SELECT data FROM artifact_part WHERE graph_id = ? AND id = ? AND at = ?");
    return ofBytes(statement).get(graphId, name, at)?.data;
  }

  async artifacts(graphId: string): Promise<ArtifactRow[]> {
    return this.#database.sql("SELECT * FROM artifact WHERE graph_id = ? ORDER BY id").all(graphId).map(toArtifact);
  }
}
