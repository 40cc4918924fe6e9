/** Paths of the benches. */
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

export const root = resolve(fileURLToPath(import.meta.url), "../../../..");
/** Other frameworks, each with its own package.json. */
export const peersDir = join(root, "bench/peers");
/** svc's app. */
export const appDir = join(root, "bench/app");
/** The same for bench:http. */
export const httpAppDir = join(root, "bench/http-app");
/** The same for bench:site. */
export const siteAppDir = join(root, "bench/site-app");
/** Output of all builds; inside the package, so that built servers resolve `svckit`. */
export const buildDir = join(root, "out/bench-built");
