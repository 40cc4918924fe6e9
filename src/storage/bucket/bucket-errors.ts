/** Says why a request to the bucket failed, and what to do. The answers of S3 name a code, and sometimes the right region. */
import { SvcError } from "../../platform/shared/errors.ts";
import { VARIABLES } from "../../platform/shared/wire.ts";
import type { BucketConfig } from "./bucket-url.ts";

export interface FailedAnswer {
  status: number;
  /** XML. */
  text: string;
  /** That of the bucket, if the server reports it. */
  region: string | undefined;
}

const CREDENTIALS = `${VARIABLES.awsAccessKeyId} and ${VARIABLES.awsSecretAccessKey}`;
/** Codes of S3 for a request that was signed for another region. */
const OTHER_REGION = [
  "AuthorizationHeaderMalformed",
  "PermanentRedirect",
  "IncorrectEndpoint",
  "IllegalLocationConstraintException",
];
const NOT_SIGNED = ["InvalidAccessKeyId", "SignatureDoesNotMatch", "ExpiredToken", "InvalidToken"];

/** Whether the same request may succeed a moment later. */
export function isTransient(status: number): boolean {
  return status >= 500 || status === 429 || status === 408;
}

/** @returns the content of the first element with this name */
export function nameIn(xml: string, element: string): string | undefined {
  return new RegExp(`<${element}>([^<]*)</${element}>`).exec(xml)?.[1];
}

export function bucketError(config: BucketConfig, method: string, found: Error | FailedAnswer): SvcError {
  const { bucket, origin } = config;
  if (!(found instanceof Error)) return new SvcError("SVC_BUCKET", problemOf(config, method, found));
  // fetch hides the reason in its cause.
  const { message } = found.cause instanceof Error && found.cause.message !== "" ? found.cause : found;
  return new SvcError(
    "SVC_BUCKET",
    `The bucket "${bucket}" can't be reached at ${origin}: ${message}. Check the address and the network`,
    { cause: found },
  );
}

function problemOf(config: BucketConfig, method: string, { status, text, region }: FailedAnswer): string {
  const { bucket, origin, region: own } = config;
  const code = nameIn(text, "Code") ?? "";
  const right = region ?? nameIn(text, "Region");
  const at = `${origin} (${status}${code === "" ? "" : ` ${code}`})`;
  if (OTHER_REGION.includes(code) || (right !== undefined && right !== own))
    return `The bucket "${bucket}" is ${right === undefined ? "in another region" : `in the region "${right}"`}, not in "${own}", says ${at}. Set the region and the endpoint in ${VARIABLES.payloadBucket}`;
  if (NOT_SIGNED.includes(code))
    return `The credentials for the bucket "${bucket}" are not accepted by ${at}. Check ${CREDENTIALS}`;
  if (status === 403)
    return `The credentials do not allow ${method} in the bucket "${bucket}", says ${at}. Allow s3:GetObject, s3:PutObject, s3:DeleteObject and s3:ListBucket`;
  if (code === "NoSuchBucket")
    return `The bucket "${bucket}" does not exist, says ${at}. Create it, or correct ${VARIABLES.payloadBucket}`;
  return `The bucket "${bucket}" refused ${method}: ${at}. Look into the log of the storage`;
}
