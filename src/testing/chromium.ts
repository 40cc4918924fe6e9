/** Which browser to test with: nothing is downloaded, what is there is used. */
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { SvcError } from "../shared/errors.ts";

/** What a launcher such as playwright-core's `chromium.launch` takes. */
export interface ChromiumLaunch {
  executablePath: string;
  args: string[];
}

/** Where a browser is looked for; tests replace it. */
export interface ChromiumPlaces {
  env: Readonly<Record<string, string | undefined>>;
  exists: (path: string) => boolean;
  /** Path of the browser that an npm package unpacks; undefined when the package isn't installed. */
  packaged: () => Promise<string | undefined>;
}

const COMMANDS = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "chrome"];
const MAC_APPS = [
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
];
/** The sandbox needs user namespaces, which containers often refuse; the pages under test are one's own. */
const ARGS = ["--no-sandbox"];
const PACKAGE = "@sparticuz/chromium";

/**
 * Finds a Chromium: `$SVC_CHROMIUM`, else one on the PATH, else the one in the package `@sparticuz/chromium`.
 * @throws SvcError `SVC_CONFIG` when there is none, or `$SVC_CHROMIUM` names no file.
 */
export async function findChromium(places: ChromiumPlaces = SYSTEM): Promise<ChromiumLaunch> {
  const named = places.env["SVC_CHROMIUM"];
  if (named !== undefined && named !== "") {
    if (places.exists(named)) return { executablePath: named, args: ARGS };
    throw new SvcError(
      "SVC_CONFIG",
      `SVC_CHROMIUM is "${named}", but there is no such file. Give the path of a Chromium or Chrome, or unset it.`,
    );
  }
  const executablePath = installed(places) ?? (await places.packaged());
  if (executablePath !== undefined) return { executablePath, args: ARGS };
  throw new SvcError(
    "SVC_CONFIG",
    `No Chromium found: SVC_CHROMIUM is not set, none of ${COMMANDS.join(", ")} is on the PATH, and ${PACKAGE} is not installed. Set SVC_CHROMIUM, or run npm install --save-dev ${PACKAGE}.`,
  );
}

function installed({ env, exists }: ChromiumPlaces): string | undefined {
  const folders = (env["PATH"] ?? "").split(delimiter).filter(Boolean);
  const onPath = COMMANDS.flatMap((command) => folders.map((folder) => join(folder, command)));
  return [...onPath, ...MAC_APPS].find(exists);
}

async function packaged(): Promise<string | undefined> {
  // A variable name, so that the package stays a choice of the user's and no compiler asks for its types.
  const name: string = PACKAGE;
  try {
    const { default: chromium } = (await import(name)) as { default: { executablePath(): Promise<string> } };
    return await chromium.executablePath();
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND") return undefined;
    throw error;
  }
}

const SYSTEM: ChromiumPlaces = { env: process.env, exists: existsSync, packaged };
