/** Sorts changes of files: edits of the source, edits of public files, and files that are no part of the app. */
import { basename, extname, join, relative, sep } from "node:path";
import type { DevHost } from "../../web/compiler/dev/dev-host.ts";
import { QUIET_MS } from "./dev-reloader.ts";

export interface WatchOptions {
  host: Pick<DevHost, "onChange">;
  /** Folder of the app. */
  root: string;
  /** Folders that the app writes. A reload for each change of its database would never end. */
  written: readonly string[];
  onCode: () => void;
  /** Called when a file changes that is read only when `svc dev` starts. @param name of the file */
  onSettings: (name: string) => void;
  /** @param path address of the stylesheet in pages. */
  onStyle: (path: string) => void;
}

/** Files in the root that svc reads at its start. */
const SETTINGS = /^(?:\.env(?:\.[\w.-]+)?|vite\.config\.[cm]?[jt]s)$/;

/** @returns stops watching. */
export function watch({ host, root, written, onCode, onSettings, onStyle }: WatchOptions): () => void {
  const publicDir = join(root, "public");
  const timers = new Map<string, NodeJS.Timeout>();
  /** One save may be several events. */
  const later = (key: string, run: () => void): void => {
    clearTimeout(timers.get(key));
    timers.set(key, setTimeout(run, QUIET_MS));
  };
  const report = (url: string): void => later(url, () => onStyle(url));
  const stop = host.onChange(({ file, isUsed, styles }) => {
    if (written.some((folder) => isInside(folder, file))) return;
    if (isBySide(file)) return;
    // Type files change no running code, and the host itself writes those of the routes.
    if (file.endsWith(".d.ts")) return;
    if (SETTINGS.test(relative(root, file))) return later(file, () => onSettings(basename(file)));
    for (const url of styles) report(url);
    if (isUsed) onCode();
    if (!isInside(publicDir, file)) return;
    // Public files are read for each request. Only stylesheets stay in an open page.
    if (extname(file) === ".css") report(`/${relative(publicDir, file).split(sep).join("/")}`);
  });
  return () => {
    stop();
    for (const timer of timers.values()) clearTimeout(timer);
  };
}

/**
 * Whether a program, and not a person, writes files with this name beside the source. Without this, `svc dev > dev.log` in the app's
 * folder would reload the app for every line that reports a reload.
 */
export function isBySide(file: string): boolean {
  return /\.(?:log|out|pid|lock|tmp|part|swp|swx|sqlite3?|db)(?:-(?:wal|shm|journal))?$|~$/i.test(file);
}

function isInside(folder: string, file: string): boolean {
  const path = relative(folder, file);
  return !path.startsWith("..") && path !== "";
}
