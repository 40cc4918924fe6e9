/** State of a migration, stored as one row in both databases: no app starts on either side during it, and never on both afterwards. */
import { SvcError } from "../../platform/shared/errors.ts";
import { VARIABLES } from "../../platform/shared/wire.ts";

export interface MigrationState {
  /** Id of the migration, the same on both sides. */
  id: string;
  /** The source is `leaving`, then has `left`; the target is `arriving`, then has `arrived`. */
  state: "leaving" | "left" | "arriving" | "arrived";
  /** The other side in words. */
  peer: string;
  atMs: number;
  /** Progress of an arriving target. No key: the table has not begun. No table: all rows are copied. */
  cursor?: { table: string | undefined; after?: (string | number)[] };
}

/** Whether an app may start on it. */
export function isNotMoved(mark: MigrationState | undefined): boolean {
  return mark === undefined || mark.state === "arrived";
}

/**
 * @param url as on the command line, without a password. @throws SvcError `SVC_MOVE` if the data has moved away, or has not arrived
 * completely.
 */
export function requireNotMoved(mark: MigrationState | undefined, label: string, url: string): void {
  if (mark === undefined || isNotMoved(mark)) return;
  throw new SvcError("SVC_MOVE", capital(`${label} ${reasonOf(mark, url)}`));
}

function reasonOf({ state, peer, atMs }: MigrationState, url: string): string {
  const since = new Date(atMs).toISOString();
  const undo = `svc migrate --undo-mark --from ${url}`;
  if (state === "left")
    return `was moved to ${peer} at ${since}. With both in use, runs would execute twice. Set ${VARIABLES.databaseUrl} to the new database. To return to this one for good, run: ${undo}`;
  if (state === "leaving")
    return `is being moved to ${peer} since ${since}, and the copy is not complete. Run svc migrate again to continue. To stay here, drop the copy and run: ${undo}`;
  return `is being filled from ${peer} since ${since}, and the copy is not complete. Run svc migrate again to continue. To give it up, drop its schema.`;
}

/** Capitalizes a sentence. */
export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

export function toMigrationState(data: unknown): MigrationState | undefined {
  return typeof data === "string" ? (JSON.parse(data) as MigrationState) : undefined;
}
