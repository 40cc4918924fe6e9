/** The time in ids that sort by age: ten characters of Crockford's base32, enough for 35,000 years. */

/** Crockford's base32: no I, L, O, U. Its characters sort as they count. */
export const BASE32 = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const TIME_LENGTH = 10;

/** @param nowMs Unix milliseconds. */
export function idTime(nowMs: number): string {
  let time = "";
  for (let rest = nowMs, at = 0; at < TIME_LENGTH; at++, rest = Math.floor(rest / 32)) time = BASE32[rest % 32] + time;
  return time;
}

/** The lowest id that a graph made at this time can have: all made before sort below it. */
export function lowestGraphId(nowMs: number): string {
  return `g_${idTime(Math.max(0, Math.trunc(nowMs)))}`;
}
