/** Paths of the installed package, found from any of its modules in `out/` and `out/bundle`. */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder with the package's package.json. */
export const PACKAGE_ROOT = nearestPackage(dirname(fileURLToPath(import.meta.url)));

/** The built browser assets. */
export const ASSETS_DIR = join(PACKAGE_ROOT, "out/assets");

/** The browser assets of development mode. */
export const DEV_ASSETS_DIR = join(PACKAGE_ROOT, "out/assets-dev");

function nearestPackage(folder: string): string {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, "package.json"))) return at;
    if (at === dirname(at)) throw new Error(`Found no package.json above ${folder}. Reinstall the package.`);
  }
}
