/** Our version, read once from our own package.json, and the `User-Agent` of deliveries: `svc-webhooks/<version>`. */
import { readFileSync } from "node:fs";

/** Two folders up from `out/webhooks/`. */
const MANIFEST = new URL("../../../package.json", import.meta.url);

/** `0.1.0` */
export const VERSION = (JSON.parse(readFileSync(MANIFEST, "utf8")) as { version: string }).version;

export const USER_AGENT = `svc-webhooks/${VERSION}`;
