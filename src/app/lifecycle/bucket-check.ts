/** The readiness check of the bucket of payloads. */
import type { BucketConfig } from "../../storage/bucket/bucket-url.ts";
import type { ReadyChecks } from "./readiness.ts";

const BUCKET_CHECK = "svc-bucket";

/**
 * Fails until the bucket has answered once. A bucket that fails later does not take all processes out of service, because pages and most
 * runs don't need it.
 */
export function bucketChecks({ payloadBucket }: { payloadBucket: BucketConfig | undefined }): ReadyChecks {
  if (!payloadBucket) return {};
  let hasAnswered = false;
  return {
    [BUCKET_CHECK]: async () => {
      if (hasAnswered) return;
      const { BucketClient } = await import("../../storage/bucket/bucket-client.ts");
      // Probes are repeated anyway.
      await new BucketClient({ ...payloadBucket, retryMs: [] }).check();
      hasAnswered = true;
    },
  };
}
