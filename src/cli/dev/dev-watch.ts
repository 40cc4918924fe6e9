/** Tells edits of the source from edits of public files, and both from what the app itself writes. */
import { extname, join, relative, sep } from "node:path";
import type { DevHost } from "../../web/compiler/dev/dev-host.ts";
import { QUIET_MS } from "./dev-reloader.ts";

export interface WatchOptions {
  host: Pick<DevHost, "onChange">;
  /** Folder of the app. */
  root: string;
  /** Folders that the app writes: its database would reload it for ever. */
  written: readonly string[];
  onCode: () => void;
  /** @param path of the stylesheet, as pages name it. */
  onStyle: (path: string) => void;
}

/** @returns stops it. */
export function watch({ host, root, written, onCode, onStyle }: WatchOptions): () => void {
  const publicDir = join(root, "public");
  const timers = new Map<string, NodeJS.Timeout>();
  const stop = host.onChange((file) => {
    if (written.some((folder) => isInside(folder, file))) return;
    if (isBySide(file)) return;
    // Types change nothing that runs; those of routes are written by the host itself.
    if (file.endsWith(".d.ts")) return;
    if (!isInside(publicDir, file)) return onCode();
    // Public files are read anew each time; only styles stay on a page that is open.
    if (extname(file) !== ".css") return;
    clearTimeout(timers.get(file));
    const tell = (): void => onStyle(`/${relative(publicDir, file).split(sep).join("/")}`);
    timers.set(file, setTimeout(tell, QUIET_MS));
  });
  return () => {
    stop();
    for (const timer of timers.values()) clearTimeout(timer);
  };
}

/**
 * Whether programs write files of that name beside a source, and nobody by hand: `svc dev > dev.log` in the app's folder would
 * reload itself with each line that tells of a reload.
 */
export function isBySide(file: string): boolean {
  return /\.(?:log|out|pid|lock|tmp|part|swp|swx|sqlite3?|db)(?:-(?:wal|shm|journal))?$|~$/i.test(file);
}

function isInside(folder: string, file: string): boolean {
  const path = relative(folder, file);
  return !path.startsWith("..") && path !== "";
}
