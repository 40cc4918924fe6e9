/** What an app's entry exports: checked, since it is the user's file. */
import { existsSync } from "node:fs";
import { pathToFileURL } from "node:url";
import type { App } from "../app/app-types.ts";
import { SvcError } from "../platform/shared/errors.ts";

/** @param entry what `svc build` wrote. @throws SvcError `SVC_CONFIG` where there is none. */
export function requireBuilt(entry: string): void {
  if (!existsSync(entry)) throw new SvcError("SVC_CONFIG", `${entry} does not exist; run "svc build" first`);
}

/** The app that `svc build` wrote. @param name for the message. @throws SvcError `SVC_CONFIG` where there is none, and as `appOf` */
export async function loadBuilt(entry: string, name = entry): Promise<App> {
  requireBuilt(entry);
  return appOf((await import(pathToFileURL(entry).href)) as { default?: unknown }, name);
}

/** @param entry for the message. @throws SvcError `SVC_DEFINITION` when its default export is no app. */
export function appOf(module: { default?: unknown }, entry: string): App {
  if (isApp(module.default)) return module.default;
  throw new SvcError("SVC_DEFINITION", `${entry} must "export default createApp({ … })"; its default export is no app`);
}

/** By shape: the app's `svc` need not be the very copy that this command runs from. */
function isApp(value: unknown): value is App {
  const methods = ["start", "boot", "fetch", "handler", "close"];
  return (
    typeof value === "object" &&
    value !== null &&
    methods.every((name) => typeof Reflect.get(value, name) === "function")
  );
}
