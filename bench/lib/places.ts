/** Where the benches' files are. */
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

export const root = resolve(fileURLToPath(import.meta.url), "../../../..");
/** Other frameworks, with a package.json of their own. */
export const peersDir = join(root, "bench/peers");
/** The app that is svc's side. */
export const appDir = join(root, "bench/app");
/** The same for bench:http. */
export const httpAppDir = join(root, "bench/http-app");
/** The same for bench:site. */
export const siteAppDir = join(root, "bench/site-app");
/** Everything the benches build; inside the package, so that built servers find `svc`. */
export const buildDir = join(root, "out/bench-built");
