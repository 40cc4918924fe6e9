/** The `User-Agent` of deliveries: `svc-webhooks/<version>`, the version read once from our own package.json. */
import { readFileSync } from "node:fs";

/** Two folders up from `out/webhooks/`. */
const MANIFEST = new URL("../../package.json", import.meta.url);

const { version } = JSON.parse(readFileSync(MANIFEST, "utf8")) as { version: string };

export const USER_AGENT = `svc-webhooks/${version}`;
