/** `User-Agent` of webhook requests. */
import { VERSION } from "../../platform/package/version.ts";

/** `svc-webhooks/<version>` */
export const USER_AGENT = `svc-webhooks/${VERSION}`;
