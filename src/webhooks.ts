/** `svckit/webhooks`: verifies received webhooks. Sending them is part of the app (`svckit`). */

export { verify, type VerifyOptions } from "./webhooks/signing/verify.ts";
export type { WebhookPayload } from "./webhooks/outbox/payload.ts";
export { DELIVERY_HEADERS } from "./platform/shared/wire.ts";
export type { WebhookEvent } from "./platform/shared/wire.ts";
