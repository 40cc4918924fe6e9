/** `User-Agent` of webhook requests. */
import { VERSION } from "../../platform/package/manifest.ts";

/** `svc-webhooks/<version>` */
export const USER_AGENT = `svc-webhooks/${VERSION}`;
