/** Artifacts of workers, in SQLite. */
import { partsOf, UPLOAD_MARK, type ArtifactRow, type ArtifactRows, type UploadKey } from "../contract/artifacts.ts";
import { ARTIFACT_COLUMNS, insertSql, insertValues, toArtifact } from "../contract/columns.ts";
import type { Database } from "./database.ts";
import type { Statement } from "./file/driver.ts";

const INSERT = insertSql("artifact", ARTIFACT_COLUMNS).replace("INSERT", "INSERT OR REPLACE");

/** Parts of all other uploads of a file. Ids of an upload begin with the name and the separator; `?4` sorts after all of them. */
const DROP_OTHERS = `DELETE FROM artifact_part
  WHERE graph_id = ?1 AND id <> ?2 AND (id = ?3 OR (id > ?3 || '${UPLOAD_MARK}' AND id < ?4))`;
const AFTER_MARK = String.fromCharCode(UPLOAD_MARK.charCodeAt(0) + 1);

const DROP_LOOSE = `DELETE FROM artifact_part
  WHERE graph_id = ?1 AND id NOT IN (SELECT coalesce(upload, id) FROM artifact WHERE graph_id = ?1)`;

/** Within a transaction: replaces the file and deletes the parts of the old one. */
export function putArtifact(database: Database, row: ArtifactRow): void {
  const { graphId, name } = row;
  database.sql(INSERT).run(...insertValues(ARTIFACT_COLUMNS, row));
  database.sql(DROP_OTHERS).run(graphId, partsOf(row), name, name + AFTER_MARK);
}

/** Within a transaction. */
export function dropLooseParts(database: Database, graphId: string): void {
  database.sql(DROP_LOOSE).run(graphId);
}

/** Both drivers accept and return bytes; no other table has any. */
interface BytesStatement {
  run(graphId: string, upload: string, at: number, data: Uint8Array): unknown;
  get(graphId: string, upload: string, at: number): { data: Uint8Array } | undefined;
}

const ofBytes = (statement: Statement): BytesStatement => statement as unknown as BytesStatement;

export class SqliteArtifacts implements ArtifactRows {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async writePart(graphId: string, upload: string, at: number, data: Uint8Array): Promise<void> {
    await this.#database.write(() => {
      const statement = this.#database.sql(
        "INSERT OR REPLACE INTO artifact_part (graph_id, id, at, data) VALUES (?, ?, ?, ?)",
      );
      ofBytes(statement).run(graphId, upload, at, data);
    });
  }

  async part(graphId: string, upload: string, at: number): Promise<Uint8Array | undefined> {
    const statement = this.#database.sql("SELECT data FROM artifact_part WHERE graph_id = ? AND id = ? AND at = ?");
    return ofBytes(statement).get(graphId, upload, at)?.data;
  }

  async dropParts(graphId: string, upload: string): Promise<void> {
    await this.#database.write(() => {
      this.#database.sql("DELETE FROM artifact_part WHERE graph_id = ? AND id = ?").run(graphId, upload);
    });
  }

  async uploads(graphIds: readonly string[]): Promise<UploadKey[]> {
    const rows = this.#database
      .sql("SELECT DISTINCT graph_id, id FROM artifact_part WHERE graph_id IN (SELECT value FROM json_each(?))")
      .all(JSON.stringify(graphIds));
    return rows.map((row) => ({ graphId: String(row["graph_id"]), upload: String(row["id"]) }));
  }

  async artifacts(graphId: string): Promise<ArtifactRow[]> {
    return this.#database.sql("SELECT * FROM artifact WHERE graph_id = ? ORDER BY id").all(graphId).map(toArtifact);
  }
}
