/** The database of an app, for commands that work on it without the app. */
import { VARIABLES } from "../../platform/shared/wire.ts";
import type { Environment } from "../command.ts";

/** The app reads the same variables, and an empty one counts as unset (app/lifecycle/config.ts). */
export function databaseUrlOf(env: Environment): string {
  const set = (name: string): string | undefined => env[name]?.trim() || undefined;
  return set(VARIABLES.databaseUrl) ?? `sqlite:${set(VARIABLES.dataDir) ?? ".svc"}/svc.db`;
}
