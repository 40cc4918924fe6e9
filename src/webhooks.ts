/** `svc/webhooks`: for those who receive webhooks. Sending them is part of the app (`svc`). */
export { verify, type VerifyOptions } from "./webhooks/verify.ts";
export type { WebhookPayload } from "./webhooks/payload.ts";
export { DELIVERY_HEADERS } from "./shared/wire.ts";
export type { WebhookEvent } from "./shared/wire.ts";
