/** Our version, read once from our own package.json, and the `User-Agent` of deliveries: `svc-webhooks/<version>`. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { PACKAGE_ROOT } from "../../platform/package/package-root.ts";

/** `0.1.0` */
export const VERSION = (JSON.parse(readFileSync(join(PACKAGE_ROOT, "package.json"), "utf8")) as { version: string })
  .version;

export const USER_AGENT = `svc-webhooks/${VERSION}`;
