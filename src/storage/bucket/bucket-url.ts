/** The bucket for large payloads, as in the variable `SVC_PAYLOAD_BUCKET`. */
import { PART_BYTES } from "../contract/artifacts.ts";

export interface BucketPlace {
  /** Endpoint without a final slash: `https://s3.eu-central-1.amazonaws.com`. */
  origin: string;
  bucket: string;
  /** Begins the name of each object; with a final slash. One database has one prefix. */
  prefix: string;
  /** Undefined: that of `AWS_REGION`. */
  region: string | undefined;
  /** Larger parts of artifacts, in bytes, are objects. */
  above: number;
  /** Larger values of runs, in bytes of JSON, are objects. Undefined: none. */
  values: number | undefined;
  /** False: objects are read, and nothing is written or deleted. */
  isWriting: boolean;
}

export interface BucketConfig extends BucketPlace {
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
  /** Of temporary credentials. */
  sessionToken: string | undefined;
  /** Pauses before further tries; default three, four seconds together. */
  retryMs?: readonly number[];
}

/** A small part costs less in the database than a request. */
const ABOVE = 64 * 1024;
/** A request for a small value costs more than its row. */
const VALUES = 256 * 1024;
const LEAST_VALUES = 1024;
const PARAMETERS = ["region", "above", "values", "write"];
const SEGMENT = /^[\w.-]{1,100}$/;
const EXAMPLE = "https://s3.eu-central-1.amazonaws.com/my-bucket/shop?region=eu-central-1";

/**
 * @param text `https://endpoint/bucket/prefix?region=…&above=…&values=…&write=off`
 * @throws Error whose message follows the name of the variable
 */
export function readBucketUrl(text: string): BucketPlace {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !["https:", "http:"].includes(url.protocol))
    throw new Error(`is not a URL with https: or http:, such as ${EXAMPLE}`);
  if (url.username !== "" || url.password !== "")
    throw new Error("contains credentials; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY instead");
  const [bucket, ...folders] = url.pathname.split("/").filter((segment) => segment !== "");
  if (bucket === undefined || folders.length === 0 || ![bucket, ...folders].every(isSegment))
    throw new Error(
      `must name a bucket and a prefix for this database, of letters, digits, dots, dashes and underscores, such as ${EXAMPLE}`,
    );
  const unknown = [...url.searchParams.keys()].find((name) => !PARAMETERS.includes(name));
  if (unknown !== undefined) throw new Error(`has an unknown parameter "${unknown}"; use ${PARAMETERS.join(", ")}`);
  return {
    origin: url.origin,
    bucket,
    prefix: `${folders.join("/")}/`,
    region: url.searchParams.get("region") ?? undefined,
    above: readAbove(url.searchParams.get("above")),
    values: readValues(url.searchParams.get("values")),
    isWriting: readWrite(url.searchParams.get("write")),
  };
}

function isSegment(segment: string): boolean {
  return SEGMENT.test(segment) && segment !== "." && segment !== "..";
}

function readAbove(given: string | null): number {
  if (given === null) return ABOVE;
  const value = /^\d{1,6}$/.test(given) ? Number(given) : Number.NaN;
  if (value < PART_BYTES) return value;
  throw new Error(
    `has above=${given}; it must be a number of bytes from 0 to ${PART_BYTES - 1}, because artifacts are stored in parts of ${PART_BYTES} bytes`,
  );
}

function readValues(given: string | null): number | undefined {
  if (given === null) return VALUES;
  if (given === "off") return undefined;
  const value = /^\d{1,9}$/.test(given) ? Number(given) : Number.NaN;
  if (value >= LEAST_VALUES) return value;
  throw new Error(`has values=${given}; it must be off, or a number of bytes from ${LEAST_VALUES}`);
}

function readWrite(given: string | null): boolean {
  if (given === null || given === "on") return true;
  if (given === "off") return false;
  throw new Error(`has write=${given}; it must be on or off`);
}
