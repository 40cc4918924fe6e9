/**
 * A confirmed bulk action that starts after a few seconds, and can be undone until then. The page reloads itself when there is news, with
 * script and without.
 */
import { notFound, type App, type Entry } from "../../../index.ts";
import type { AuditContext } from "../../../graph.ts";
import { OPS_PATH, RUNS_PATH } from "../../operator-access.ts";
import type { OpsContext, Screens } from "../../ops-context.ts";
import { operatorRoute, type Step, type StepResult } from "../../operator-route.ts";
import { screen } from "../../screen.tsx";
import type { BulkStep } from "../../views/bulk/bulk.ts";
import {
  GRACE_MS,
  DEFERRED,
  deferredStepOf,
  type DeferredState,
  type DeferredStep,
} from "../../views/bulk/deferred.ts";
import { BulkProgress } from "../../views/bulk/bulk-progress.ts";
import { durationText } from "../../views/format.ts";
import type { Run } from "./bulk-actions.ts";
import { DeferredProgress, runsText, takenText } from "./deferred-progress.tsx";
import { StepButton, StepForm } from "../parts.tsx";

/** Interval between two checks for progress, and the delay of the first check after the start. */
const CHECK_AGAIN_MS = 2000;
const SETTLED_MS = 500;
/** Maximum number of audit rows of one action. */
const ROWS = 10;

interface DeferredData extends DeferredStep {
  id: string;
}

export function deferredScreens(screens: Screens): Entry[] {
  return [
    screen<DeferredData>(screens, "/held/:id", {
      title: ({ step, count }) => `${nounOf(step)} ${runsText(count)}`,
      section: "Runs",
      head: (_nonce, data) => <AutoReload state={data?.state} />,
      load: loadDeferred,
      follows: () => ["graphs"],
      view: (data, opsContext) => <DeferredView data={data} opsContext={opsContext} />,
    }),
    operatorRoute(screens, "/held/:id/undo", undo),
  ];
}

export interface BulkWork {
  step: BulkStep;
  count: number;
  /** Whether there are more runs, which were not counted. */
  isMore: boolean;
  /** The query of the list where the action was chosen. */
  query: string;
  run: Run;
}

/** Defers an action. @returns the path of the page where it can be undone and its result appears */
export async function deferBulk(
  app: App,
  undoIn: string | number,
  { step, count, isMore, query, run }: BulkWork,
  auditContext: AuditContext,
): Promise<string> {
  const { operations } = app;
  const { id, dueMs } = operations.hold(undoIn, async ({ signal, notify }) => {
    const taken = new BulkProgress();
    const watch = { signal, report: () => notify({ ...taken.toJSON(), at_ms: operations.nowMs() }) };
    try {
      const isWhole = await run(taken, watch);
      await operations.record(isWhole ? DEFERRED.done : DEFERRED.stopped, id, auditContext, taken.toJSON());
    } catch (error) {
      await operations.record(DEFERRED.failed, id, auditContext, {
        message: (error as Error).message,
        ...taken.toJSON(),
      });
      throw error;
    }
  });
  const data = { step, count, ...(isMore && { is_more: true }), query, due_ms: dueMs };
  await operations.record(DEFERRED.deferred, id, auditContext, data).catch(async (error: unknown) => {
    // An action without an audit row would be invisible, and could not be undone.
    await operations.undo(id);
    throw error;
  });
  return `${OPS_PATH}/held/${id}`;
}

async function loadDeferred({ ctx, app, nowMs }: OpsContext): Promise<DeferredData> {
  const id = ctx.params["id"] ?? "";
  const read = async (): Promise<DeferredStep> => {
    // Read the progress first, so that the audit rows are at least as new.
    const progress = await app.operations.progressOf(id);
    const { items } = await app.operations.audit({ target: id, limit: ROWS });
    return (
      deferredStepOf(items, nowMs, progress) ??
      notFound("There is no such bulk action. Its audit entries may have been removed")
    );
  };
  const deferred = await read();
  const { state } = deferred;
  if (state.kind !== "due" || state.sinceMs < GRACE_MS) return { ...deferred, id };
  // Long overdue. Undoing it here guarantees that no process will start it later.
  const undone = await app.operations.undo(id);
  if (undone === "now") await app.operations.record(DEFERRED.lost, id, { by: "app" });
  const now = await read();
  return { ...now, id, ...(undone && now.state.kind === "due" && { state: { kind: "lost" } }) };
}

async function undo({ app, params, auditContext }: Step): Promise<StepResult> {
  const id = params["id"] ?? "";
  const { items } = await app.operations.audit({ target: id, operation: DEFERRED.deferred, limit: 1 });
  if (items.length === 0) notFound("There is no such bulk action");
  const undone = await app.operations.undo(id);
  if (!undone) return { tone: "bad", text: "Too late: the action has started." };
  // If several visitors undo it at once, only one call returns "now".
  if (undone === "now") await app.operations.record(DEFERRED.undone, id, auditContext);
  return { tone: "good", text: "" };
}

/** When to check again; undefined: there will be no news. */
function nextCheckMs({ kind, ...state }: DeferredState): number | undefined {
  if ("leftMs" in state) return state.leftMs + SETTLED_MS;
  return kind === "due" ? CHECK_AGAIN_MS : undefined;
}

/** Reloads the page without script. */
function AutoReload({ state }: { state: DeferredState | undefined }) {
  const inMs = state && nextCheckMs(state);
  if (inMs === undefined) return null;
  return (
    <noscript>
      <meta http-equiv="refresh" content={String(Math.ceil(inMs / 1000))} />
    </noscript>
  );
}

function DeferredView({ data, opsContext }: { data: DeferredData; opsContext: OpsContext }) {
  const { step, count, state, query, by } = data;
  return (
    <div data-live="held">
      <div class="panel held" data-state={state.kind} data-due={nextCheckMs(state)}>
        <div role="status">
          <h1>{headingOf(data)}</h1>
          {state.kind === "due" ? null : <p>{textOf(state, step, count)}</p>}
        </div>
        {state.kind === "held" ? (
          <p
            class="held-bar"
            style={`--left:${state.leftMs}ms;--share:${(state.leftMs / state.wholeMs).toFixed(3)}`}
            aria-hidden="true"
          ></p>
        ) : null}
        {state.kind === "due" ? <p>{textOf(state, step, count)}</p> : null}
        <DeferredProgress deferred={data} />
        <p class="quiet">{`Confirmed by ${by}.`}</p>
        <div class="buttons">
          {state.kind === "held" ? (
            <StepForm opsContext={opsContext} action={`/held/${data.id}/undo`}>
              <StepButton opsContext={opsContext} label="Undo" tone="main" />
            </StepForm>
          ) : null}
          {state.kind === "held" || state.kind === "due" ? (
            <a class="button" href={opsContext.here}>
              Refresh
            </a>
          ) : null}
          <a class="button" href={query === "" ? RUNS_PATH : `${RUNS_PATH}?${query}`}>
            Back to the list
          </a>
        </div>
      </div>
    </div>
  );
}

const NOUNS: Readonly<Record<BulkStep, string>> = {
  pause: "Pausing",
  resume: "Resuming",
  cancel: "Cancelling",
  retry: "Retrying",
};

function nounOf(step: BulkStep): string {
  return NOUNS[step];
}

function headingOf({ step, count, state }: DeferredStep): string {
  const what = `${nounOf(step)} ${runsText(count)}`;
  if (state.kind === "held")
    return `${what} in ${durationText(Math.ceil(state.leftMs / 1000) * 1000).replace(".00", "")}`;
  if (state.kind === "undone") return `${what}: undone`;
  if (state.kind === "done") return `${what}: done`;
  if (state.kind === "failed" || state.kind === "stopped") return `${what} stopped early`;
  return state.kind === "lost" ? `${what}: not run` : `${what} …`;
}

function textOf(state: DeferredState, step: BulkStep, count: number): string {
  switch (state.kind) {
    case "held":
      return "You can undo it until then; nothing has changed yet. If the server process exits before, the action does not run.";
    case "due":
      return Math.min(state.sinceMs, state.heard?.agoMs ?? Infinity) < GRACE_MS
        ? `Running for ${durationText(state.sinceMs)}. The result will appear here.`
        : `Started, but ${state.heard ? `no progress was reported for ${durationText(state.heard.agoMs)}` : "no progress was reported yet"}. If its process has exited, the runs changed until then stay changed; the list shows the rest.`;
    case "undone":
      return `Nothing was changed: ${state.by} undid it.`;
    case "done":
      return `${takenText(state.taken)}${count > state.taken.count ? " The others had been deleted or no longer matched the filters." : ""}`;
    case "stopped":
      return `The action stopped because its process shut down. ${takenText(state.taken)} Start the action again to ${step} the others.`;
    case "failed":
      return `${state.message}. The runs changed until then stay changed; the list shows the rest.`;
    case "lost":
      return `The process exited before the action started. Nothing was changed; start the action again to ${step} them.`;
  }
}
