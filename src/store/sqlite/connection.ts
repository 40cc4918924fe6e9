/** A connection to a database file, set up as each of ours is: that of the event loop, and that of the thread that writes. */
import { loadDriver, type Driver } from "./driver.ts";

const PRAGMAS = [
  // First, for what follows may meet another connection at work.
  "busy_timeout=5000",
  // Has an effect on a new file only, and there only before anything is in it.
  "auto_vacuum=INCREMENTAL",
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
  for (const pragma of PRAGMAS) driver.prepare(`PRAGMA ${pragma}`).all();
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
