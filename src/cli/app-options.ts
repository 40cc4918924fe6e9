/** Options that several commands share: the app's folder, the address to listen on, the running app. */
import { resolve } from "node:path";
import { VARIABLES } from "../platform/shared/wire.ts";
import { folderOf } from "../web/compiler/build/app-path.ts";
import { UsageError, type Environment } from "./command.ts";

export const ROOT = {
  root: { type: "string", value: "<folder>", help: "folder of the app (default: the current one)" },
} as const;

export const LISTEN = {
  host: { type: "string", value: "<address>", help: "address to listen on (default: HOST, else 127.0.0.1)" },
  port: { type: "string", value: "<number>", help: "port to listen on (default: PORT, else 3000)" },
} as const;

export const RUNNING_APP = {
  url: {
    type: "string",
    value: "<url>",
    help: `address of the app (default: ${VARIABLES.siteUrl}, else http://127.0.0.1 with PORT or 3000)`,
  },
} as const;

export const KEY_NOTE = `The key of the operator endpoints is read from ${VARIABLES.execApiKey}.`;

/** @returns absolute path of the app's folder, without symbolic links. */
export function appRoot(root: string | undefined, cwd: string): string {
  return folderOf(resolve(cwd, root ?? "."));
}

/** @throws UsageError for a value that is not a port. */
export function readPort(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= 65_535) return port;
  throw new UsageError(`--port is "${text}". It must be a whole number from 0 to 65535.`);
}

/** @returns address of the running app: the option, else from the environment. @throws UsageError for an invalid address. */
export function appUrl(given: string | undefined, env: Environment): string {
  const url = given ?? (env[VARIABLES.siteUrl] || `http://127.0.0.1:${env[VARIABLES.port] || 3000}`);
  if (/^https?:\/\/./i.test(url) && URL.canParse(url)) return url;
  const name = given === undefined ? VARIABLES.siteUrl : "--url";
  throw new UsageError(`${name} is "${url}". It must be an address such as http://127.0.0.1:3000.`);
}
