/** A line of numbers as the path of an SVG: what a tile shows beside its figure. Pure. */

export interface Sparkline {
  /** For `d` of the line, in a box of 120 by 28. */
  line: string;
  /** The same, closed below. */
  area: string;
  most: number;
}

export const WIDTH = 120;
export const HEIGHT = 28;
/** So that the line is not cut where it is highest. */
const MARGIN = 2;

export function sparkline(values: readonly number[]): Sparkline {
  const most = Math.max(0, ...values);
  const step = values.length > 1 ? WIDTH / (values.length - 1) : 0;
  const points = values.map((value, at) => {
    const y = most === 0 ? HEIGHT - MARGIN : HEIGHT - MARGIN - (value / most) * (HEIGHT - 2 * MARGIN);
    return `${round(at * step)} ${round(y)}`;
  });
  const line = points.length === 0 ? "" : `M${points.join("L")}`;
  const area = line === "" ? "" : `${line}L${WIDTH} ${HEIGHT}L0 ${HEIGHT}Z`;
  return { line, area, most };
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
