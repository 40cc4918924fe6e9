/** What is left of the disk that the store writes to. Where the store is elsewhere, its own server knows. */
import { statfs } from "node:fs/promises";
import { dirname } from "node:path";

/** @returns bytes that this process may still write beside the database's file; null where it has none, or the system does not tell */
export async function freeDiskOf(databaseUrl: string): Promise<number | null> {
  const file = /^sqlite:(.+)$/.exec(databaseUrl)?.[1];
  if (file === undefined || file === ":memory:") return null;
  const told = await statfs(dirname(file)).catch(() => undefined);
  return told === undefined ? null : told.bavail * told.bsize;
}
