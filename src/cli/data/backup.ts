/** `svc backup`: copies the app's SQLite file, also while the app runs. */
import { backUp } from "../../storage/sqlite/backup.ts";
import type { Output } from "../output.ts";

export interface BackupTask {
  /** Absolute path of the database. */
  file: string;
  /** Absolute path of the copy. */
  copy: string;
  json: boolean;
}

/** @throws SvcError `SVC_STORE` */
export async function backup({ file, copy, json }: BackupTask, output: Output): Promise<void> {
  const { bytes, graphs } = await backUp(file, copy);
  if (json) return output.line(JSON.stringify({ file, copy, bytes, graphs }));
  output.line(`${copy}: ${(bytes / 1e6).toFixed(1)} MB, ${graphs.toLocaleString("en")} runs, checked`);
}
