/** Loads and validates the app that an entry module exports. */
import { existsSync } from "node:fs";
import { pathToFileURL } from "node:url";
import type { App } from "../app/app-types.ts";
import { SvcError } from "../platform/shared/errors.ts";

/** @param entry path of the built module. @throws SvcError `SVC_CONFIG` if it does not exist. */
export function requireBuilt(entry: string): void {
  if (!existsSync(entry)) throw new SvcError("SVC_CONFIG", `${entry} does not exist; run "svc build" first`);
}

/** Loads a built app. @param name for messages. @throws SvcError `SVC_CONFIG` if there is no build; as `appOf` */
export async function loadBuilt(entry: string, name = entry): Promise<App> {
  requireBuilt(entry);
  return appOf((await import(pathToFileURL(entry).href)) as { default?: unknown }, name);
}

/** @param entry for the message. @throws SvcError `SVC_DEFINITION` if the default export is not an app. */
export function appOf(module: { default?: unknown }, entry: string): App {
  if (isApp(module.default)) return module.default;
  throw new SvcError(
    "SVC_DEFINITION",
    `${entry} must "export default createApp({ … })"; its default export is not an app`,
  );
}

/** Recognised by shape: the app may import another copy of svc than this command. */
function isApp(value: unknown): value is App {
  const methods = ["start", "boot", "fetch", "handler", "close"];
  return (
    typeof value === "object" &&
    value !== null &&
    methods.every((name) => typeof Reflect.get(value, name) === "function")
  );
}
