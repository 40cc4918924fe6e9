/** Draws a series of numbers as an SVG path. Pure. */

export interface Sparkline {
  /** The line's `d`, in a box of 120 by 28. */
  line: string;
  /** The same, closed at the bottom. */
  area: string;
  most: number;
}

export const WIDTH = 120;
export const HEIGHT = 28;
/** Keeps the stroke from being clipped at its maximum. */
const MARGIN = 2;

/**
 * @param values null: no measurement. The line has a gap there, and a single value becomes a dash @param most the value at the top.
 * Default: the maximum
 */
export function sparkline(values: readonly (number | null)[], most = mostOf(values)): Sparkline {
  const step = values.length > 1 ? WIDTH / (values.length - 1) : 0;
  const heightOf = (value: number): number =>
    round(most === 0 ? HEIGHT - MARGIN : HEIGHT - MARGIN - (value / most) * (HEIGHT - 2 * MARGIN));
  const stretches: [x: number, y: number][][] = [];
  values.forEach((value, at) => {
    if (value === null) return;
    const point: [number, number] = [round(at * step), heightOf(value)];
    const isNext = at > 0 && values[at - 1] !== null;
    if (isNext) stretches.at(-1)?.push(point);
    else stretches.push([point]);
  });
  const drawn = stretches.map((points) => (points.length === 1 ? dashOf(points, step) : points));
  const lines = drawn.map((points) => `M${points.map(([x, y]) => `${x} ${y}`).join("L")}`);
  const areas = drawn.map((points, at) => `${lines[at]}L${points.at(-1)?.[0]} ${HEIGHT}L${points[0]?.[0]} ${HEIGHT}Z`);
  return { line: lines.join(""), area: areas.join(""), most };
}

export function mostOf(values: readonly (number | null)[]): number {
  return values.reduce<number>((most, value) => Math.max(most, value ?? 0), 0);
}

/** A point has no length, so it is drawn as a dash. */
function dashOf(points: readonly [x: number, y: number][], step: number): [number, number][] {
  return points.flatMap(([x, y]): [number, number][] => [
    [round(Math.max(0, x - step / 2)), y],
    [round(Math.min(WIDTH, x + step / 2)), y],
  ]);
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
