/** Formats numbers, durations, sizes and times, the same on every screen. Pure. */

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** `840 ms`, `1.24 s`, `3 m 05 s`, `2 h 07 m`, `4 d 03 h`. */
export function durationText(ms: number): string {
  const whole = Math.max(0, Math.round(ms));
  if (whole < SECOND) return `${whole} ms`;
  // Anything longer would be rounded to 60.00 s.
  if (whole < 59_995) return `${(whole / SECOND).toFixed(whole < 10 * SECOND ? 2 : 1)} s`;
  if (whole < HOUR) return twoUnits(whole, MINUTE, "m", SECOND, "s");
  if (whole < DAY) return twoUnits(whole, HOUR, "h", MINUTE, "m");
  return twoUnits(whole, DAY, "d", HOUR, "h");
}

function twoUnits(ms: number, large: number, largeName: string, small: number, smallName: string): string {
  const all = Math.round(ms / small);
  const per = large / small;
  return `${Math.floor(all / per)} ${largeName} ${String(all % per).padStart(2, "0")} ${smallName}`;
}

/** One unit, for texts that change while they are read: `now`, `12 s`, `3 m`, `5 h`, `2 d`. */
function shortText(ms: number): string {
  const whole = Math.abs(ms);
  if (whole < SECOND) return "now";
  if (whole < MINUTE) return `${Math.floor(whole / SECOND)} s`;
  if (whole < HOUR) return `${Math.floor(whole / MINUTE)} m`;
  return whole < DAY ? `${Math.floor(whole / HOUR)} h` : `${Math.floor(whole / DAY)} d`;
}

/** `12 s ago`, `in 3 m`, `now`. */
export function agoText(ms: number, nowMs: number): string {
  const text = shortText(nowMs - ms);
  if (text === "now") return text;
  return ms > nowMs ? `in ${text}` : `${text} ago`;
}

/** `2026-03-29 06:00:00.000 UTC`, or the local time of another zone. */
export function momentText(ms: number, zone = "UTC"): string {
  if (zone === "UTC") return `${new Date(ms).toISOString().slice(0, 23).replace("T", " ")} UTC`;
  const part = partsOf(ms, zone);
  return `${part("year")}-${part("month")}-${part("day")} ${clockText(ms, zone)} ${part("timeZoneName")}`;
}

/** `06:00:00.000`. */
export function clockText(ms: number, zone = "UTC"): string {
  if (zone === "UTC") return new Date(ms).toISOString().slice(11, 23);
  const part = partsOf(ms, zone);
  return `${part("hour")}:${part("minute")}:${part("second")}.${part("fractionalSecond")}`;
}

/** Cached, because creating a formatter is slow. One entry per time zone in use. */
const FORMATS = new Map<string, Intl.DateTimeFormat>();

function partsOf(ms: number, zone: string): (type: string) => string {
  let format = FORMATS.get(zone);
  if (!format) {
    const digits = { year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit" } as const;
    const options = { ...digits, second: "2-digit", fractionalSecondDigits: 3, hourCycle: "h23" } as const;
    format = new Intl.DateTimeFormat("en-GB", { ...options, timeZone: zone, timeZoneName: "short" });
    FORMATS.set(zone, format);
  }
  const parts = format.formatToParts(ms);
  return (type) => parts.find((part) => part.type === type)?.value ?? "";
}

/** `1,204`. */
export function countText(count: number): string {
  return String(count).replaceAll(/\B(?=(\d{3})+(?!\d))/g, ",");
}

/** `1st`, `2nd`, `11th`, `23rd`. */
export function ordinalText(count: number): string {
  const suffixes: Partial<Record<Intl.LDMLPluralRule, string>> = { one: "st", two: "nd", few: "rd" };
  return countText(count) + (suffixes[ORDINALS.select(count)] ?? "th");
}

const ORDINALS = new Intl.PluralRules("en", { type: "ordinal" });

/** A delay: `0.4 ms`, `12 ms`; `–` if unknown. */
export function delayText(ms: number | null): string {
  if (ms === null) return "–";
  return ms < 10 ? `${ms.toFixed(1)} ms` : durationText(ms);
}

/** `812 B`, `4.1 KB`, `12 MB`. */
export function bytesText(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  const units = ["KB", "MB", "GB", "TB"];
  let value = bytes / 1000;
  let at = 0;
  while (value >= 1000 && at < units.length - 1) {
    value /= 1000;
    at++;
  }
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${units[at]}`;
}

/** `2.5 %`. Zero if `whole` is zero. */
export function shareText(part: number, whole: number): string {
  const share = whole === 0 ? 0 : (part / whole) * 100;
  return `${share === 0 || share >= 10 ? Math.round(share) : share.toFixed(1)} %`;
}

const TIMES_FROM = 10;

/** The change from `before` to `now`: `+12 %`, `−40 %`, `×31`; undefined if `before` is zero. */
export function changeText(now: number, before: number): string | undefined {
  if (before === 0) return undefined;
  // Large percentages are hard to read.
  if (now / before >= TIMES_FROM) return `×${Math.round(now / before)}`;
  const percent = Math.round((now / before - 1) * 100);
  return percent === 0 ? "±0 %" : `${percent > 0 ? "+" : "−"}${Math.abs(percent)} %`;
}

/** `g_01hz…9k3f`: enough of an ID to distinguish it from its neighbors. */
export function shortId(id: string): string {
  return id.length <= 16 ? id : `${id.slice(0, 8)}…${id.slice(-4)}`;
}
