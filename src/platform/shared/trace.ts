/**
 * W3C Trace Context (https://www.w3.org/TR/trace-context/): parses and formats the headers `traceparent` and `tracestate`.
 * Pure functions; callers create the ids.
 */

/** Position of an operation in a trace. */
export interface Trace {
  /** 32 lower-case hex digits. */
  readonly traceId: string;
  /** Id of this operation: 16 lower-case hex digits. */
  readonly spanId: string;
  /** Id of the operation that caused it; undefined if the trace starts here. */
  readonly parentId: string | undefined;
  /** Whether spans of this trace are recorded. */
  readonly isSampled: boolean;
  /** `tracestate` as received, to be passed on. */
  readonly state: string | undefined;
}

/** Version, trace id, parent id, flags. A later version may append more after a dash. */
const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const SAMPLED = 1;
const VENDOR = "[a-z0-9][a-z0-9_\\-*/]{0,255}(?:@[a-z][a-z0-9_\\-*/]{0,13})?";
const MEMBER = new RegExp(
  `^(${VENDOR})=[\\x20-\\x2b\\x2d-\\x3c\\x3e-\\x7e]{0,255}[\\x21-\\x2b\\x2d-\\x3c\\x3e-\\x7e]$`,
);
const MAX_MEMBERS = 32;
/** Length that must be propagated at least. A longer value is dropped as a whole, because a cut could split a member. */
const MAX_STATE_LENGTH = 512;

/** @returns undefined for an invalid or missing header; the trace then starts here. */
export function readTraceparent(
  header: string | undefined,
): { traceId: string; parentId: string; isSampled: boolean } | undefined {
  const match = TRACEPARENT.exec(header ?? "");
  if (!match) return undefined;
  const [, version, traceId = "", parentId = "", flags = "", rest] = match;
  if (version === "ff" || (version === "00" && rest !== undefined)) return undefined;
  if (/^0+$/.test(traceId) || /^0+$/.test(parentId)) return undefined;
  return { traceId, parentId, isSampled: (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED };
}

/** @returns undefined for an invalid or missing list, which is then not propagated. */
export function readTracestate(header: string | undefined): string | undefined {
  if (header === undefined || header.length > MAX_STATE_LENGTH) return undefined;
  const members = header
    .split(",")
    .map((member) => member.trim())
    .filter((member) => member !== "");
  const keys = members.map((member) => MEMBER.exec(member)?.[1]);
  const isValid = keys.every((key) => key !== undefined) && new Set(keys).size === keys.length;
  return isValid && members.length > 0 && members.length <= MAX_MEMBERS ? members.join(",") : undefined;
}

/** The `traceparent` header for outgoing calls of this operation. */
export function traceparent({ traceId, spanId, isSampled }: Pick<Trace, "traceId" | "spanId" | "isSampled">): string {
  return `00-${traceId}-${spanId}-${isSampled ? "01" : "00"}`;
}

/** Decides by the trace id alone, so that all processes decide alike. @param ratio 0 records nothing, 1 everything */
export function isSampledBy(ratio: number, traceId: string): boolean {
  if (ratio >= 1) return true;
  // 52 bits of the random part, which a number represents exactly.
  return Number.parseInt(traceId.slice(-13), 16) / 2 ** 52 < ratio;
}
