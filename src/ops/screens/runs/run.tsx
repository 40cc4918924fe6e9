/** The screen of one run: actions, timeline, and the input and output of each node. */
import { notFound, type Entry } from "../../../index.ts";
import { PATHS } from "../../../internal.ts";
import type { Snapshot } from "../../../graph.ts";
import { FlowAssets } from "../../widgets/flow-assets.tsx";
import { FlowGraph } from "../../widgets/flow-graph.tsx";
import { readFlow } from "../../widgets/load-widgets.ts";
import { summaryText } from "../../widgets/graph-view.ts";
import { RUNS_PATH } from "../../operator-access.ts";
import type { OpsContext, Screens } from "../../ops-context.ts";
import { screen } from "../../screen.tsx";
import { attemptsOf } from "../../views/runs/attempts.ts";
import { commandsOf } from "../../views/cli-commands.ts";
import { fingerprint } from "../../views/runs/failures.ts";
import { mayChange } from "../../views/status-style.ts";
import { graphQueryOf, queryText, type RunsFilter } from "../../views/runs/runs-query.ts";
import { readRunQuery, runQueryText } from "../../views/runs/run-query.ts";
import { stepViews } from "../../views/runs/allowed-actions.ts";
import { countText } from "../../views/format.ts";
import { timelineOf } from "../../views/runs/timeline.ts";
import { usageOf, usageText } from "../../views/usage.ts";
import { rangeEntries } from "../../views/runs/zoom.ts";
import { artifactRoutes, loadArtifacts } from "./artifacts.tsx";
import { AuditTable } from "../audit.tsx";
import { EventList, loadEvents } from "./events.tsx";
import { Inspector } from "./inspector.tsx";
import { CommandsPanel, Empty, StepButton, StepForm } from "../parts.tsx";
import { MissingRun, runOf } from "./missing-run.tsx";
import { PastNodes } from "./past-nodes.tsx";
import { RunHead } from "./run-head.tsx";
import { entryRoutes } from "../entry.ts";
import { isRevealedTo } from "./run-reveal.ts";
import { rawRoute } from "./raw.ts";
import type { RunData } from "../../run-data.ts";
import { readRunEvents } from "../../run-events.ts";
import { runRoutes } from "../../run-routes.ts";
import { loadSignalForms, SignalForms } from "./signal-forms.tsx";
import { TimelineChart } from "./timeline.tsx";
import { TimelineZoom } from "./timeline-zoom.tsx";

const AUDIT = 50;
/** Maximum number to which runs with the same failure are counted. */
const MAX_LIKES = 1000;

export function runScreens(screens: Screens): Entry[] {
  return [
    screen<RunData>(screens, "/runs/:id", {
      title: ({ run }) => `${run.worker} ${run.graph_id.slice(-6)}`,
      section: "Runs",
      // screen.tsx adds the script to each followed screen.
      head: () => <FlowAssets />,
      load: loadRun,
      follows: ({ run }) => [`graph:${run.graph_id}`],
      isActive: ({ run }) => mayChange(run),
      view: (data, opsContext) => <Run data={data} opsContext={opsContext} />,
    }),
    ...artifactRoutes(screens),
    rawRoute(screens),
    ...entryRoutes(screens),
    ...runRoutes(screens),
  ];
}

async function loadRun(opsContext: OpsContext): Promise<RunData> {
  const { ctx, app, visitor } = opsContext;
  const id = ctx.params["id"] ?? "";
  const query = readRunQuery(ctx.query);
  const run = await runOf(opsContext, id);
  const chosen = query.node === undefined ? undefined : nodeOf(run, query.node);
  // The run's error comes from a node, which may be gone.
  const failed = chosen ?? run.error?.node;
  const [events, shown, past, audit, flow, signalForms] = await Promise.all([
    readRunEvents(app.engine, id, run.last_seq),
    failed === undefined ? undefined : app.engine.node(id, failed),
    query.view === "past" ? app.engine.pastNodes(id) : [],
    query.view === "audit" ? app.operations.audit({ target: id, limit: AUDIT }) : undefined,
    readFlow(app, id, { nodeHref: `${RUNS_PATH}/${id}?node=:node` }),
    loadSignalForms(app, run),
  ]);
  const node = chosen === undefined ? undefined : shown;
  if (query.node !== undefined && node === undefined) notFound(`The run has no node "${query.node.slice(0, 80)}"`);
  if (!flow) throw new MissingRun(id, await app.engine.absence(id));
  const isRevealed = isRevealedTo(visitor, app, id, query.reveal);
  return {
    run,
    flow,
    events,
    page: query.view === "events" ? await loadEvents(opsContext, id, query, isRevealed) : undefined,
    node,
    artifacts: query.tab === "artifacts" ? await loadArtifacts(opsContext, id, query.node, isRevealed) : [],
    origin: shown?.origin ?? null,
    likes: run.error
      ? (await app.engine.list({ ...graphQueryOf(likesOf(run, run.error), opsContext.nowMs), limit: 1 })).total
      : undefined,
    past,
    signalForms,
    audit: audit?.items ?? [],
    query,
    isRevealed,
  };
}

/** A fan-out has no row of its own: selects its first failed item, or else its first running one. */
function nodeOf({ nodes }: Snapshot, name: string): string {
  const items = nodes.filter(({ id }) => id.startsWith(`${name}/`));
  const notable = items.find(({ status }) => status === "failed") ?? items.find(({ status }) => status === "running");
  return nodes.some(({ id }) => id === name) ? name : ((notable ?? items[0])?.id ?? name);
}

function Run({ data, opsContext }: { data: RunData; opsContext: OpsContext }) {
  const { run, query } = data;
  const id = run.graph_id;
  const { ends, endsText } = data.events;
  const usage = usageOf(ends);
  return (
    <>
      <div data-live="head">
        <RunHead
          run={run}
          nodes={summaryText(data.flow.view)}
          usage={usage && [usageText(usage), endsText].filter(Boolean).join(", ")}
          opsContext={opsContext}
        />
      </div>
      <div class="stack-tight" data-live="steps">
        <StepForm opsContext={opsContext} action={`/runs/${id}/pause`} class="steps" isByButton>
          <label>
            Reason (recorded in the audit trail)
            <input name="note" maxlength={500} autocomplete="off" />
          </label>
          {stepViews(run.phase, opsContext.visitor.role).map(({ step, label, refusal }) => (
            <StepButton
              opsContext={opsContext}
              label={label}
              refusal={refusal}
              action={`/runs/${id}/${step}`}
              tone={step === "cancel" || step === "terminate" ? "bad" : undefined}
              shortcut={SHORTCUTS[step]}
              key={step}
            />
          ))}
        </StepForm>
        <Refusals run={run} opsContext={opsContext} />
      </div>
      <div data-live="trouble">
        <Trouble data={data} />
      </div>
      <div data-live="signal">
        <SignalForms data={data} opsContext={opsContext} />
        <EventWaits run={data.run} />
      </div>
      <div class="panel">
        <FlowGraph flow={data.flow} title="Nodes" show="picture" />
      </div>
      <div class="split" data-split="Width of the run's views">
        <div class="stack-loose" id="views" data-live="view">
          <nav class="tabs" aria-label="Views of the run">
            {viewsOf(run).map(([view, label]) => (
              <a
                href={runQueryText(query, { view }) || `${RUNS_PATH}/${id}`}
                aria-current={query.view === view ? "page" : undefined}
                key={view}
              >
                {label}
              </a>
            ))}
          </nav>
          <div>
            <Main data={data} opsContext={opsContext} />
          </div>
        </div>
        <aside
          class="panel inspector"
          id="node"
          aria-label={data.node ? `Node ${data.node.id}` : "Whole run"}
          data-live="node"
        >
          <Inspector data={data} opsContext={opsContext} attempts={data.node ? attemptsOf(ends, data.node.id) : []} />
        </aside>
      </div>
      <CommandsPanel commands={commandsOf(opsContext.origin, "GET", `${PATHS.graphs}/${id}`, `svc graph show ${id}`)} />
    </>
  );
}

/** The reasons as text for everyone, not only as tooltips of the buttons. */
function Refusals({ run, opsContext }: { run: Snapshot; opsContext: OpsContext }) {
  const refused = stepViews(run.phase, opsContext.visitor.role).filter(({ refusal }) => refusal !== undefined);
  if (refused.length === 0) return null;
  return (
    <details class="refusals">
      <summary>{`Why ${refused.map(({ label }) => label.toLowerCase()).join(", ")} ${refused.length === 1 ? "is" : "are"} disabled`}</summary>
      <ul>
        {refused.map(({ step, label, refusal }) => (
          <li key={step}>{`${label}: ${refusal ?? ""}.`}</li>
        ))}
      </ul>
    </details>
  );
}

const SHORTCUTS: Readonly<Record<string, string>> = { pause: "p", resume: "p", cancel: "c", retry: "t" };

function viewsOf(run: Snapshot): (readonly ["timeline" | "events" | "audit" | "past", string])[] {
  return [
    ["timeline", "Timeline"],
    ["events", `Events ${countText(run.last_seq)}`],
    ["audit", "Audit trail"],
    ...(run.epoch > 1 ? [["past", "Earlier executions"] as const] : []),
  ];
}

/** The filter for runs with the same failure. */
function likesOf({ worker }: Snapshot, { message }: NonNullable<Snapshot["error"]>): RunsFilter {
  const text = stable(message);
  return { status: "failed", worker, ...(text !== "" && { error: text }) };
}

/** Colors of reasons that are no failure. */
const NOTICE_TONES: Readonly<Record<string, string>> = { cancelled: "void", parked: "held" };

function Trouble({ data: { run, node: chosen, origin, likes = 1 } }: { data: RunData }) {
  const { graph_id: id, error } = run;
  if (!error) return null;
  const { message, node } = error;
  // If another node is selected, the origin belongs to that node's error.
  const place = chosen === undefined || chosen.id === node ? origin?.place : undefined;
  return (
    <div class="notice" data-tone={NOTICE_TONES[error.reason] ?? "bad"}>
      <p>
        <strong>{message}</strong>
      </p>
      <p class="quiet">
        {node === undefined ? null : (
          <span>
            in <a href={`${RUNS_PATH}/${id}?${new URLSearchParams({ node, tab: "error" }).toString()}`}>{node}</a>
            {", "}
          </span>
        )}
        {place === undefined ? null : (
          <span>
            at <code>{place}</code>
            {", "}
          </span>
        )}
        <a href={`${RUNS_PATH}?${queryText(likesOf(run, error))}`}>
          {likes < 2 ? "only in this run" : `in ${countText(likes)}${likes < MAX_LIKES ? "" : " or more"} runs`}
        </a>
      </p>
    </div>
  );
}

/** The longest part of the message that runs with the same failure share. */
function stable(message: string): string {
  const pieces = fingerprint(message).split("#");
  return pieces.reduce((best, piece) => (piece.trim().length > best.length ? piece.trim() : best), "");
}

/** Events resume the run by themselves, so there is nothing to send. */
function EventWaits({ run }: { run: RunData["run"] }) {
  const waits = run.nodes.filter(({ kind, status }) => kind === "event" && status === "waiting");
  if (waits.length === 0 || run.finished_ms !== null) return null;
  return (
    <section class="panel" id="event-waits" aria-labelledby="event-waits-title">
      <h2 id="event-waits-title">{`Waiting for event: ${waits.map(({ id }) => id).join(", ")}`}</h2>
    </section>
  );
}

function Main({ data, opsContext }: { data: RunData; opsContext: OpsContext }) {
  const { run, events, query, page } = data;
  const id = run.graph_id;
  if (page) return <EventList data={data} page={page} opsContext={opsContext} />;
  if (query.view === "audit")
    return data.audit.length === 0 ? (
      <Empty title="No manual changes">
        <p>Manual changes to this run are recorded here with their actor, time, reason and address.</p>
      </Empty>
    ) : (
      <AuditTable rows={data.audit} opsContext={opsContext} isOfOne />
    );
  if (query.view === "past") return <PastNodes nodes={data.past} />;
  const timeline = timelineOf(run, events.first, opsContext.nowMs, query.range);
  const rows = query.hidesDone ? timeline.rows.filter(({ status }) => !isOver(status)) : timeline.rows;
  const hide = query.hidesDone ? "" : "done";
  return (
    <>
      <div class="timeline-tools">
        <TimelineZoom
          scale={timeline.scale}
          hrefOf={(range) => `${RUNS_PATH}/${id}${runQueryText(query, rangeEntries(range))}`}
        />
        {timeline.rows.some(({ status }) => isOver(status)) ? (
          <p class="links">
            <a href={`${RUNS_PATH}/${id}${runQueryText(query, { hide })}`}>
              {query.hidesDone ? "Show finished nodes" : "Hide finished nodes"}
            </a>
          </p>
        ) : null}
      </div>
      <TimelineChart
        timeline={{ ...timeline, rows }}
        chosen={data.node?.id}
        hrefOf={(node) => `${RUNS_PATH}/${id}${runQueryText(query, { node })}`}
      />
      {events.firstText === undefined ? null : <p class="quiet">{`Based on ${events.firstText}.`}</p>}
    </>
  );
}

/** Whether the node finished without a failure. */
function isOver(status: string): boolean {
  return status === "done" || status === "skipped";
}
