/** A connection to a database file, with the settings that svc needs. */
import { loadDriver, type Driver } from "./driver.ts";

/** First, for what follows may meet another connection at work. */
const PATIENCE = "busy_timeout=5000";
/** Has an effect on a new file only, and there only before anything is in it; in any other it would be a commit that changes nothing. */
const SHRINKS = "auto_vacuum=INCREMENTAL";

const PRAGMAS = [
  "journal_mode=WAL",
  // The log is synced after each commit nevertheless, beside the event loop (log-sync.ts).
  "synchronous=NORMAL",
  "foreign_keys=OFF",
  // 16 MB: a page that many commits change is then copied into the file once for them all.
  "wal_autocheckpoint=4000",
  // 16 MB: with the usual 2, a group that inserts into many indexes writes pages out in its middle and reads them again.
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

/** Ends the transaction that is open. Never throws. */
export function rollBack(driver: Driver): void {
  try {
    driver.exec("ROLLBACK");
  } catch {
    // A full disk or a fault of it has SQLite roll back by itself; why, is told by the error before.
  }
}

/** Whether commits go into a log that we sync; where not, SQLite is to sync each commit itself. */
export function isLogged(driver: Driver): boolean {
  if (driver.prepare("PRAGMA journal_mode").get()?.["journal_mode"] === "wal") return true;
  driver.prepare("PRAGMA synchronous=FULL").all();
  return false;
}
