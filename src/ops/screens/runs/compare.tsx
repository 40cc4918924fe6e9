/** Two runs of one graph side by side: their nodes, and the differences of their inputs and outputs. */
import { SvcError, type Entry } from "../../../index.ts";
import type { Json, NodeDetail, Snapshot } from "../../../graph.ts";
import { RUNS_PATH } from "../../operator-access.ts";
import type { OpsContext, Screens } from "../../ops-context.ts";
import { screen } from "../../screen.tsx";
import { inOrder, nodePairs, isComparable, pairsText, type NodePair, type RunNodes } from "../../views/runs/compare.ts";
import { graphStyle } from "../../views/status-style.ts";
import { compareHref } from "../../views/navigation-targets.ts";
import { durationText, ordinalText, shortId } from "../../views/format.ts";
import { Differences } from "./differences.tsx";
import { Heads } from "../table-head.tsx";
import { runOf } from "./missing-run.tsx";
import { PairsTable } from "./pairs-table.tsx";
import { Empty, Mark, Time } from "../parts.tsx";

/** Number of runs to choose from. */
const CHOICE = 20;

interface CompareData {
  one: Snapshot;
  /** Undefined: not chosen yet; `choice` lists the candidates. */
  other: Snapshot | undefined;
  choice: readonly Snapshot[];
  pairs: readonly NodePair[];
  /** The node whose input and output are compared; undefined: those of the runs. */
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
      follows: ({ one, other }) => [one, ...(other ? [other] : [])].map((run) => `graph:${run.graph_id}` as const),
      view: (data, opsContext) =>
        data.other === undefined ? (
          <Choose data={data} opsContext={opsContext} />
        ) : (
          <Compare data={data} other={data.other} opsContext={opsContext} />
        ),
    }),
  ];
}

async function loadCompare(opsContext: OpsContext): Promise<CompareData> {
  const { ctx, app, nowMs } = opsContext;
  const { engine } = app;
  const ids = [...ctx.query.getAll("run"), ...ctx.query.getAll("with")].filter((id) => id !== "");
  if (ids.length === 0 || ids.length > 2)
    throw new SvcError("SVC_INVALID", `Select two runs to compare, not ${ids.length}`);
  const runs = await Promise.all(ids.map(async (id) => runOf(opsContext, id)));
  const [one, other] = runs as [Snapshot, Snapshot | undefined];
  if (!other) {
    const { items } = await engine.list({ worker: one.worker, limit: CHOICE + 1 });
    const choice = items.filter(({ graph_id: id }) => id !== one.graph_id);
    return { one, other, choice, pairs: [], node: undefined, given: [null, null], gave: [null, null] };
  }
  if (!isComparable(one, other))
    throw new SvcError("SVC_INVALID", `Select two runs of the same graph, not of ${one.worker} and ${other.worker}`);
  const [ones, others] = (await Promise.all(
    [one, other].map(async (run) => inOrder(await engine.nodes(run.graph_id), run.edges)),
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
    pairs: nodePairs(runNodes(one, ones, nowMs), runNodes(other, others, nowMs)),
    node,
    given: [sides[0]?.input ?? null, sides[1]?.input ?? null],
    gave: [sides[0]?.result ?? null, sides[1]?.result ?? null],
  };
}

function runNodes({ finished_ms: finishedMs }: Snapshot, nodes: readonly NodeDetail[], nowMs: number): RunNodes {
  return { nodes, untilMs: finishedMs ?? nowMs, hasEnded: finishedMs !== null };
}

function Compare({ data, other, opsContext }: { data: CompareData; other: Snapshot; opsContext: OpsContext }) {
  const { one, pairs, node } = data;
  return (
    <>
      <div class="title">
        <h1>{`Compare two runs of ${one.worker}`}</h1>
        <p class="links">
          <a href={compareHref(other.graph_id, one.graph_id, node)}>Swap</a>
          <a href={compareHref(one.graph_id)}>Choose another run</a>
        </p>
      </div>
      <div class="pair" data-live="runs">
        <RunCard letter="A" run={one} opsContext={opsContext} />
        <RunCard letter="B" run={other} opsContext={opsContext} />
      </div>
      <section aria-labelledby="nodes" data-live="nodes">
        <div class="head">
          <h2 id="nodes">Nodes</h2>
          <p class="quiet">{pairsText(pairs)}</p>
        </div>
        <PairsTable pairs={pairs} chosen={node} hrefOf={(id) => compareHref(one.graph_id, other.graph_id, id)} />
      </section>
      <section aria-labelledby="payloads">
        <div class="head">
          <h2 id="payloads">{node === undefined ? "Input and output of the runs" : `Input and output of ${node}`}</h2>
          {node === undefined ? (
            <p class="quiet">select a node above to compare its own</p>
          ) : (
            <a href={compareHref(one.graph_id, other.graph_id)}>Compare the runs' own</a>
          )}
        </div>
        <Differences name="Input" values={data.given} opsContext={opsContext} />
        <Differences name="Output" values={data.gave} opsContext={opsContext} />
      </section>
    </>
  );
}

function RunCard({ letter, run, opsContext }: { letter: string; run: Snapshot; opsContext: OpsContext }) {
  const { graph_id: id, started_ms: startedMs, finished_ms: finishedMs, version, epoch, error } = run;
  return (
    <div class="panel stack-tight">
      <p class="pair-head">
        <span class="pair-letter">{letter}</span>
        <a class="id" href={`${RUNS_PATH}/${id}`} title={id} data-row>
          {shortId(id)}
        </a>
        <Mark looks={graphStyle(run, opsContext.nowMs)} />
      </p>
      <dl class="facts">
        <div>
          <dt>Accepted</dt>
          <dd>
            <Time ms={run.created_ms} opsContext={opsContext} />
          </dd>
        </div>
        <div>
          <dt>Duration</dt>
          <dd>{startedMs === null ? "–" : durationText((finishedMs ?? opsContext.nowMs) - startedMs)}</dd>
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
            <dd>{`${ordinalText(epoch)} execution`}</dd>
          </div>
        )}
      </dl>
      {error ? <p class="note-whole">{error.message}</p> : null}
    </div>
  );
}

function Choose({ data: { one, choice }, opsContext }: { data: CompareData; opsContext: OpsContext }) {
  return (
    <>
      <h1>{`Compare ${shortId(one.graph_id)} with…`}</h1>
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
                    <Mark looks={graphStyle(run, opsContext.nowMs)} />
                  </td>
                  <td data-label="Started">
                    <Time ms={run.created_ms} opsContext={opsContext} />
                  </td>
                  <td data-label="Duration">
                    {run.started_ms === null
                      ? "–"
                      : durationText((run.finished_ms ?? opsContext.nowMs) - run.started_ms)}
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
