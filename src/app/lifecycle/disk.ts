/** Free space on the store's disk. A remote database knows its own. */
import { statfs } from "node:fs/promises";
import { dirname } from "node:path";

/** @returns bytes that this process may still write beside the database file; null without a file, or if the system does not report it */
export async function freeDiskOf(databaseUrl: string): Promise<number | null> {
  const file = /^sqlite:(.+)$/.exec(databaseUrl)?.[1];
  if (file === undefined || file === ":memory:") return null;
  const reported = await statfs(dirname(file)).catch(() => undefined);
  return reported === undefined ? null : reported.bavail * reported.bsize;
}
