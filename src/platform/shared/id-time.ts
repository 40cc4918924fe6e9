/** The timestamp in ids that sort by age: ten characters of Crockford's base32, enough for 35,000 years. */

/** Crockford's base32: no I, L, O, U. Its characters sort by value. */
export const BASE32 = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const TIME_LENGTH = 10;

/** @param nowMs Unix milliseconds. */
export function idTime(nowMs: number): string {
  let time = "";
  for (let rest = nowMs, at = 0; at < TIME_LENGTH; at++, rest = Math.floor(rest / 32)) time = BASE32[rest % 32] + time;
  return time;
}

const GRAPH_ID = new RegExp(`^g_([${BASE32}]{${TIME_LENGTH}})[${BASE32}]{16}$`);

/** The creation time in a run's id, in Unix milliseconds; undefined if the text is not such an id. */
export function graphIdTime(graphId: string): number | undefined {
  const time = GRAPH_ID.exec(graphId)?.[1];
  return time === undefined ? undefined : Array.from(time).reduce((ms, one) => ms * 32 + BASE32.indexOf(one), 0);
}

/** The lowest id of a run created at this time: ids of all earlier runs sort below it. */
export function lowestGraphId(nowMs: number): string {
  return `g_${idTime(Math.max(0, Math.trunc(nowMs)))}`;
}
