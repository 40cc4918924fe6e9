/** Two runs of one graph side by side: how long each node took, what it came to, and where input and output differ. */
import { notFound, SvcError, type Entry } from "../../../index.ts";
import type { Json, NodeDetail, Snapshot } from "../../../graph.ts";
import { RUNS_PATH } from "../access.ts";
import type { Look, Screens } from "../look.ts";
import { screen } from "../screen.tsx";
import {
  differencesOf,
  isComparable,
  isDifferent,
  nodePairs,
  pairsText,
  type NodePair,
  type NodeSide,
} from "../views/compare.ts";
import { graphLooks } from "../views/looks.ts";
import { redacted } from "../views/payload.ts";
import { changeText, countText, durationText, shortId } from "../views/text.ts";
import { Empty, Mark, Time } from "./parts.tsx";
import { Heads } from "./heads.tsx";

/** Pairs of nodes that are listed: those that differ first. */
const MOST_PAIRS = 200;
/** Runs to choose from. */
const CHOICE = 20;

interface CompareData {
  one: Snapshot;
  /** Undefined: it is still to be chosen, among these. */
  other: Snapshot | undefined;
  choice: readonly Snapshot[];
  pairs: readonly NodePair[];
  /** Whose input and output is compared; undefined: those of the runs. */
  node: string | undefined;
  given: readonly [one: Json, other: Json];
  gave: readonly [one: Json, other: Json];
}

export function compareScreens(screens: Screens): Entry[] {
  return [
    screen<CompareData>(screens, "/runs/compare", {
      title: ({ one }) => `Compare ${one.worker}`,
      section: "Runs",
      load: loadCompare,
      view: (data, look) =>
        data.other === undefined ? (
          <Choose data={data} look={look} />
        ) : (
          <Compare data={data} other={data.other} look={look} />
        ),
    }),
  ];
}

/** Address of the comparison; without another one, of the choice of it. */
export function compareHref(one: string, other?: string, node?: string): string {
  const query = new URLSearchParams({
    run: one,
    ...(other !== undefined && { with: other }),
    ...(node !== undefined && { node }),
  });
  return `${RUNS_PATH}/compare?${query.toString()}`;
}

async function loadCompare({ ctx, app, nowMs }: Look): Promise<CompareData> {
  const { engine } = app;
  const ids = [...ctx.query.getAll("run"), ...ctx.query.getAll("with")].filter((id) => id !== "");
  if (ids.length === 0 || ids.length > 2)
    throw new SvcError("SVC_INVALID", `Two runs are compared; ${ids.length} were ticked`);
  const runs = await Promise.all(
    ids.map(async (id) => (await engine.snapshot(id)) ?? notFound(`There is no run "${id.slice(0, 80)}"`)),
  );
  const [one, other] = runs as [Snapshot, Snapshot | undefined];
  if (!other) {
    const { items } = await engine.list({ worker: one.worker, limit: CHOICE + 1 });
    const choice = items.filter(({ graph_id: id }) => id !== one.graph_id);
    return { one, other, choice, pairs: [], node: undefined, given: [null, null], gave: [null, null] };
  }
  if (!isComparable(one, other))
    throw new SvcError("SVC_INVALID", `Runs of one graph are compared; these are of ${one.worker} and ${other.worker}`);
  const [ones, others] = (await Promise.all(
    [one, other].map(async (run) => inOrder(await engine.nodes(run.graph_id))),
  )) as [NodeDetail[], NodeDetail[]];
  const node = ctx.query.get("node") || undefined;
  const sides =
    node === undefined
      ? ([one, other] as const)
      : ([ones.find(({ id }) => id === node), others.find(({ id }) => id === node)] as const);
  return {
    one,
    other,
    choice: [],
    pairs: nodePairs(ones, others, nowMs),
    node,
    given: [sides[0]?.input ?? null, sides[1]?.input ?? null],
    gave: [sides[0]?.result ?? null, sides[1]?.result ?? null],
  };
}

/** As they began; items of a fan-out together, by their numbers. */
function inOrder(nodes: readonly NodeDetail[]): NodeDetail[] {
  const begun = new Map<string, number>();
  for (const { id, started_ms: ms } of nodes)
    begun.set(outerName(id), Math.min(begun.get(outerName(id)) ?? Infinity, ms ?? Infinity));
  const at = ({ id }: NodeDetail): number => begun.get(outerName(id)) ?? Infinity;
  return nodes.toSorted((a, b) => (at(a) === at(b) ? NUMBERED.compare(a.id, b.id) : at(a) - at(b)));
}

const NUMBERED = new Intl.Collator("en", { numeric: true });

function outerName(id: string): string {
  return id.split(/[/#]/, 1)[0] as string;
}

function Compare({ data, other, look }: { data: CompareData; other: Snapshot; look: Look }) {
  const { one, pairs, node } = data;
  return (
    <>
      <div class="title">
        <h1>{`Compare two runs of ${one.worker}`}</h1>
        <p class="links">
          <a href={compareHref(other.graph_id, one.graph_id, node)}>Swap</a>
          <a href={compareHref(one.graph_id)}>Another one</a>
        </p>
      </div>
      <div class="pair" data-live="runs">
        <RunCard letter="A" run={one} look={look} />
        <RunCard letter="B" run={other} look={look} />
      </div>
      <section aria-labelledby="nodes" data-live="nodes">
        <div class="head">
          <h2 id="nodes">Nodes</h2>
          <p class="quiet">{pairsText(pairs)}</p>
        </div>
        <Pairs data={data} other={other} />
      </section>
      <section aria-labelledby="payloads">
        <div class="head">
          <h2 id="payloads">{node === undefined ? "Input and output of the runs" : `Input and output of ${node}`}</h2>
          {node === undefined ? (
            <p class="quiet">choose a node above for its own</p>
          ) : (
            <a href={compareHref(one.graph_id, other.graph_id)}>Those of the runs</a>
          )}
        </div>
        <Differences name="Input" values={data.given} look={look} />
        <Differences name="Output" values={data.gave} look={look} />
      </section>
    </>
  );
}

function RunCard({ letter, run, look }: { letter: string; run: Snapshot; look: Look }) {
  const { graph_id: id, started_ms: startedMs, finished_ms: finishedMs, version, epoch, error } = run;
  return (
    <div class="panel stack-tight">
      <p class="pair-head">
        <span class="pair-letter">{letter}</span>
        <a class="id" href={`${RUNS_PATH}/${id}`} title={id} data-row>
          {shortId(id)}
        </a>
        <Mark looks={graphLooks(run, look.nowMs)} />
      </p>
      <dl class="facts">
        <div>
          <dt>Accepted</dt>
          <dd>
            <Time ms={run.created_ms} look={look} />
          </dd>
        </div>
        <div>
          <dt>Duration</dt>
          <dd>{startedMs === null ? "–" : durationText((finishedMs ?? look.nowMs) - startedMs)}</dd>
        </div>
        {version === null ? null : (
          <div>
            <dt>Version</dt>
            <dd>{version}</dd>
          </div>
        )}
        {epoch === 1 ? null : (
          <div>
            <dt>Run</dt>
            <dd>{`the ${epoch}. time`}</dd>
          </div>
        )}
      </dl>
      {error ? <p class="note-whole">{error.message}</p> : null}
    </div>
  );
}

function Pairs({ data: { one, pairs, node }, other }: { data: CompareData; other: Snapshot }) {
  const longest = Math.max(1, ...pairs.flatMap((pair) => [pair.one?.tookMs ?? 0, pair.other?.tookMs ?? 0]));
  const isLong = pairs.length > MOST_PAIRS;
  const listed = isLong
    ? pairs.toSorted((a, b) => Number(isDifferent(b)) - Number(isDifferent(a))).slice(0, MOST_PAIRS)
    : pairs;
  return (
    <>
      <div class="scroll">
        <table>
          <Heads columns={["Node", "A", "B", ["B against A", "number"], "Input", "Output"]} />
          <tbody>
            {listed.map((pair) => (
              <tr aria-current={pair.id === node ? "true" : undefined} key={pair.id}>
                <th scope="row" data-label="Node">
                  <a href={compareHref(one.graph_id, other.graph_id, pair.id)} data-row>
                    {pair.id}
                  </a>
                </th>
                <td data-label="A">
                  <SideCell side={pair.one} longest={longest} />
                </td>
                <td data-label="B">
                  <SideCell side={pair.other} longest={longest} />
                </td>
                <td data-label="B against A" class="number">
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
        <p class="quiet">{`Of ${countText(pairs.length)} nodes ${countText(MOST_PAIRS)}: those that differ first.`}</p>
      ) : null}
    </>
  );
}

function SideCell({ side, longest }: { side: NodeSide | undefined; longest: number }) {
  if (!side) return <span class="quiet">not there</span>;
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

/** `+1.20 s, +40 %`; what is within a millisecond is the same. */
function tookChange({ one, other }: NodePair): string {
  const before = one?.tookMs ?? null;
  const after = other?.tookMs ?? null;
  if (before === null || after === null) return "–";
  const byMs = after - before;
  if (Math.abs(byMs) <= 1) return "as long";
  const percent = changeText(after, before);
  return `${byMs > 0 ? "+" : "−"}${durationText(Math.abs(byMs))}${percent === undefined ? "" : `, ${percent}`}`;
}

function Differences({
  name,
  values: [one, other],
  look,
}: {
  name: string;
  values: readonly [Json, Json];
  look: Look;
}) {
  const hide = { keys: look.redact, isRevealed: false };
  const { items, isCut } = differencesOf(redacted(one, hide), redacted(other, hide));
  if (items.length === 0) return <p class="quiet">{`${name}: the same in both, as far as it is not hidden.`}</p>;
  return (
    <>
      <div class="scroll">
        <table class="differences">
          <caption class="unseen">{`${name}: where it differs`}</caption>
          <Heads columns={[name, "A", "B"]} />
          <tbody>
            {items.map(({ path, one: before, other: after }) => (
              <tr key={path}>
                <th scope="row" data-label={name}>
                  <code>{path === "" ? "all of it" : path}</code>
                </th>
                <td data-label="A">
                  <JsonText text={before} />
                </td>
                <td data-label="B">
                  <JsonText text={after} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {isCut ? <p class="quiet">{`The first ${countText(items.length)} differences.`}</p> : null}
    </>
  );
}

function JsonText({ text }: { text: string | undefined }) {
  return text === undefined ? <span class="quiet">nothing</span> : <code>{text}</code>;
}

function Choose({ data: { one, choice }, look }: { data: CompareData; look: Look }) {
  return (
    <>
      <h1>{`Compare ${shortId(one.graph_id)} with which?`}</h1>
      {choice.length === 0 ? (
        <Empty title={`There is no other run of ${one.worker}`}>
          <p>
            <a href={`${RUNS_PATH}/${one.graph_id}`}>Back to the run</a>
          </p>
        </Empty>
      ) : (
        <div class="scroll">
          <table>
            <Heads columns={["Compare with", "Status", "Started", "Duration"]} />
            <tbody>
              {choice.map((run) => (
                <tr key={run.graph_id}>
                  <th scope="row" data-label="Compare with">
                    <a class="id" href={compareHref(one.graph_id, run.graph_id)} title={run.graph_id} data-row>
                      {shortId(run.graph_id)}
                    </a>
                  </th>
                  <td data-label="Status">
                    <Mark looks={graphLooks(run, look.nowMs)} />
                  </td>
                  <td data-label="Started">
                    <Time ms={run.created_ms} look={look} />
                  </td>
                  <td data-label="Duration">
                    {run.started_ms === null ? "–" : durationText((run.finished_ms ?? look.nowMs) - run.started_ms)}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </>
  );
}
