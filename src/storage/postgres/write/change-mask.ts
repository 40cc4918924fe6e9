/**
 * Which columns a change names: a number with a bit for each, because a column that is named without a value becomes empty. It travels as
 * a JSON number and is a bigint in PostgreSQL, so it has as many bits as both can hold exactly.
 */
const MOST_COLUMNS = Math.log2(Number.MAX_SAFE_INTEGER + 1);

/** @throws RangeError if there are more columns than bits. */
export function maskable(names: readonly string[]): readonly string[] {
  if (names.length <= MOST_COLUMNS) return names;
  throw new RangeError(
    `A mask has ${MOST_COLUMNS} bits, and there are ${names.length} columns that a change may contain`,
  );
}

/** Bit of the column at a position. */
export function bitAt(position: number): number {
  return 2 ** position;
}

/** The assignments of an update: named columns get the value of the record `r`, the others keep that of the table `t`. */
export function assignments(names: readonly string[]): string {
  return names
    .map((name, at) => `${name} = CASE WHEN r.mask & ${bitAt(at)} <> 0 THEN r.${name} ELSE t.${name} END`)
    .join(", ");
}
