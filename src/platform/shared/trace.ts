/**
 * W3C Trace Context (https://www.w3.org/TR/trace-context/): which trace a piece of work belongs to, read from and written
 * into the headers `traceparent` and `tracestate`. Pure; where ids come from is their callers'.
 */

/** Where a piece of work stands in a trace. */
export interface Trace {
  /** 32 lower-case hex digits. */
  readonly traceId: string;
  /** Of this piece of work: 16 lower-case hex digits. */
  readonly spanId: string;
  /** Of what caused it; undefined where the trace begins here. */
  readonly parentId: string | undefined;
  /** Whether spans of this trace are recorded. */
  readonly isSampled: boolean;
  /** `tracestate` as it came, to be passed on. */
  readonly state: string | undefined;
}

/** Version, trace id, parent id, flags; a later version may have more behind a dash. */
const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const SAMPLED = 1;
const VENDOR = "[a-z0-9][a-z0-9_\\-*/]{0,255}(?:@[a-z][a-z0-9_\\-*/]{0,13})?";
const MEMBER = new RegExp(
  `^(${VENDOR})=[\\x20-\\x2b\\x2d-\\x3c\\x3e-\\x7e]{0,255}[\\x21-\\x2b\\x2d-\\x3c\\x3e-\\x7e]$`,
);
const MAX_MEMBERS = 32;
/** The least that must be passed on; longer ones are dropped whole, since cutting one could cut a member. */
const MAX_STATE_LENGTH = 512;

/** @returns undefined for anything that is not a valid header: the trace then begins here. */
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

/** @returns undefined for a list that is not valid: then it is not passed on. */
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

/** The header for what this piece of work calls. */
export function traceparent({ traceId, spanId, isSampled }: Pick<Trace, "traceId" | "spanId" | "isSampled">): string {
  return `00-${traceId}-${spanId}-${isSampled ? "01" : "00"}`;
}

/** Decides by the id alone, so that every process decides alike. @param ratio 0 records nothing, 1 all */
export function isSampledBy(ratio: number, traceId: string): boolean {
  if (ratio >= 1) return true;
  // 52 bits of the random part: as many as a number holds exactly.
  return Number.parseInt(traceId.slice(-13), 16) / 2 ** 52 < ratio;
}
