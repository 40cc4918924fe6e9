/** The nodes of two runs as rows: status and duration in both, the difference in duration, and whether input and output are equal. */
import { isDifferent, type NodePair, type NodeSide } from "../../views/runs/compare.ts";
import { changeText, countText, durationText } from "../../views/format.ts";
import { Heads } from "../table-head.tsx";
import { Mark } from "../parts.tsx";

/** Maximum number of rows, those with differences first. */
const MOST_PAIRS = 200;

export interface PairsTableProps {
  pairs: readonly NodePair[];
  /** The node whose input and output are shown below the table. */
  chosen: string | undefined;
  hrefOf: (node: string) => string;
}

export function PairsTable({ pairs, chosen, hrefOf }: PairsTableProps) {
  const longest = Math.max(1, ...pairs.flatMap((pair) => [pair.one?.tookMs ?? 0, pair.other?.tookMs ?? 0]));
  const isLong = pairs.length > MOST_PAIRS;
  const listed = isLong
    ? pairs.toSorted((a, b) => Number(isDifferent(b)) - Number(isDifferent(a))).slice(0, MOST_PAIRS)
    : pairs;
  return (
    <>
      <div class="scroll">
        <table>
          <Heads columns={["Node", "A", "B", ["B vs. A", "number"], "Input", "Output"]} />
          <tbody>
            {listed.map((pair) => (
              <tr aria-current={pair.id === chosen ? "true" : undefined} key={pair.id}>
                <th scope="row" data-label="Node">
                  <a href={hrefOf(pair.id)} data-row>
                    {pair.id}
                  </a>
                </th>
                <td data-label="A">
                  <SideCell side={pair.one} longest={longest} />
                </td>
                <td data-label="B">
                  <SideCell side={pair.other} longest={longest} />
                </td>
                <td data-label="B vs. A" class="number">
                  {tookChange(pair)}
                </td>
                <td data-label="Input">
                  <Sameness pair={pair} isOther={pair.isOtherInput} />
                </td>
                <td data-label="Output">
                  <Sameness pair={pair} isOther={pair.isOtherOutput} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {isLong ? (
        <p class="quiet">{`Showing ${countText(MOST_PAIRS)} of ${countText(pairs.length)} nodes, those with differences first.`}</p>
      ) : null}
    </>
  );
}

function SideCell({ side, longest }: { side: NodeSide | undefined; longest: number }) {
  if (!side) return <span class="quiet">missing</span>;
  const { looks, tookMs, attempts, message } = side;
  return (
    <span class="side" title={message}>
      <Mark looks={looks} />
      {tookMs === null ? null : (
        <span class="length">
          <span class="length-text">{durationText(tookMs)}</span>
          <span class="length-bar" style={`--share:${((tookMs / longest) * 100).toFixed(1)}%`}></span>
        </span>
      )}
      {attempts > 1 ? <span class="quiet">{`${attempts} attempts`}</span> : null}
    </span>
  );
}

function Sameness({ pair, isOther }: { pair: NodePair; isOther: boolean }) {
  if (pair.one === undefined || pair.other === undefined) return <span class="quiet">–</span>;
  return isOther ? (
    <span class="state" data-tone="warn">
      differs
    </span>
  ) : (
    <span class="quiet">same</span>
  );
}

/** `+1.20 s, +40 %`. Differences of up to a millisecond count as equal. */
function tookChange({ one, other }: NodePair): string {
  const before = one?.tookMs ?? null;
  const after = other?.tookMs ?? null;
  if (before === null || after === null) return "–";
  const byMs = after - before;
  if (Math.abs(byMs) <= 1) return "same";
  const percent = changeText(after, before);
  return `${byMs > 0 ? "+" : "−"}${durationText(Math.abs(byMs))}${percent === undefined ? "" : `, ${percent}`}`;
}
