/** Name and version of the installed package, from its package.json. So a fork under another name works unchanged. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { PACKAGE_ROOT } from "./package-root.ts";

const manifest = JSON.parse(readFileSync(join(PACKAGE_ROOT, "package.json"), "utf8")) as {
  name: string;
  version: string;
};

/** `svckit` */
export const PACKAGE_NAME = manifest.name;

/** `0.1.0` */
export const VERSION = manifest.version;
