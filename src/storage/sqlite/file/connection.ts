/** A connection to a database file, with the settings that svc needs. */
import { loadDriver, type Driver } from "./driver.ts";

/** First, because the other settings may meet another connection at work. */
const PATIENCE = "busy_timeout=5000";
/** Affects only an empty new file; in any other it would be an unnecessary commit. */
const SHRINKS = "auto_vacuum=INCREMENTAL";

const PRAGMAS = [
  "journal_mode=WAL",
  // The log is synced after each commit nevertheless, in another thread (log-sync.ts).
  "synchronous=NORMAL",
  "foreign_keys=OFF",
  // 16 MB: a page that many commits change is copied into the file once for all of them.
  "wal_autocheckpoint=4000",
  // 16 MB: with the usual 2, a group with inserts into many indexes writes pages and reads them again.
  "cache_size=-16384",
];

/** @param file path, or `:memory:` */
export async function connect(file: string): Promise<Driver> {
  const DriverClass = await loadDriver();
  const driver = new DriverClass(file);
  const setUp = (pragma: string): unknown => driver.prepare(`PRAGMA ${pragma}`).all();
  setUp(PATIENCE);
  if (driver.prepare("PRAGMA page_count").get()?.["page_count"] === 0) setUp(SHRINKS);
  PRAGMAS.forEach(setUp);
  return driver;
}

/** Ends the open transaction. Never throws. */
export function rollBack(driver: Driver): void {
  try {
    driver.exec("ROLLBACK");
  } catch {
    // After a full disk or a fault, SQLite rolls back by itself; the earlier error has the reason.
  }
}

/** Whether commits go into a log that svc syncs. Otherwise SQLite syncs each commit itself. */
export function isLogged(driver: Driver): boolean {
  if (driver.prepare("PRAGMA journal_mode").get()?.["journal_mode"] === "wal") return true;
  driver.prepare("PRAGMA synchronous=FULL").all();
  return false;
}
