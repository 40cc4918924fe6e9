/** Bulk actions on runs: chosen below the list, previewed with a count, confirmed, applied. */
import type { Entry } from "../../../index.ts";
import type { Snapshot } from "../../../graph.ts";
import { RUNS_PATH } from "../../operator-access.ts";
import { LONG_FORM_BYTES, operatorRoute, type Step, type StepResult } from "../../operator-route.ts";
import type { OpsContext, Screens } from "../../ops-context.ts";
import { screen } from "../../screen.tsx";
import { BULK_STEPS, readBulk, type BulkChoice } from "../../views/bulk/bulk.ts";
import { bulkCommands } from "../../views/cli-commands.ts";
import { chipsOf, endpointQueryOf, graphQueryOf, queryText } from "../../views/runs/runs-query.ts";
import { BulkProgress } from "../../views/bulk/bulk-progress.ts";
import { countText } from "../../views/format.ts";
import { AFTER_ALL_IDS, fitting, ticked } from "./bulk-actions.ts";
import { BulkPreview, LISTED } from "./bulk-preview.tsx";
import { Confirm, isConfirmed } from "./confirm.tsx";
import { deferBulk } from "./deferred.tsx";
import { CommandsPanel, Empty, StepButton } from "../parts.tsx";

export function bulkScreens(screens: Screens): Entry[] {
  return [
    screen<BulkData>(screens, "/runs/bulk", {
      title: "Bulk action",
      section: "Runs",
      load: loadBulk,
      view: (data, opsContext) => <Bulk data={data} opsContext={opsContext} />,
    }),
    operatorRoute(screens, "/runs/bulk", bulkRun(screens), LONG_FORM_BYTES),
  ];
}

/** Below the list, for readers too: compares two ticked runs. */
export function CompareBar() {
  return (
    <p class="compare">
      <button type="submit" class="button" formaction={`${RUNS_PATH}/compare`}>
        Compare selected runs
      </button>
    </p>
  );
}

/** Below the list: choose the runs and the action. */
export function BulkBar({ total, opsContext }: { total: number; opsContext: OpsContext }) {
  const canAct = opsContext.visitor.role === "operator";
  return (
    <fieldset class="bulk" disabled={!canAct}>
      <legend>Bulk actions</legend>
      <label class="check">
        <input type="radio" name="which" value="chosen" checked /> selected runs
      </label>
      <label class="check">
        <input type="radio" name="which" value="all" />{" "}
        {total === 1 ? "the 1 matching run" : `all ${countText(total)} matching runs`}
      </label>
      <span class="buttons">
        {BULK_STEPS.map((step) => (
          <button type="submit" class="button" name="step" value={step} key={step}>
            {`${step[0]?.toUpperCase()}${step.slice(1)}…`}
          </button>
        ))}
      </span>
      {canAct ? (
        <p class="quiet">Next, you see a preview with the count.</p>
      ) : (
        <p class="quiet">Read-only access: the operator role is required.</p>
      )}
    </fieldset>
  );
}

interface BulkData {
  choice: BulkChoice;
  count: number;
  /** Whether there are more runs, which were not counted. */
  isMore: boolean;
  /** The newest matching run: the action excludes runs started later. */
  newest: string | undefined;
  /** The first runs of the action, in their current state. */
  runs: Snapshot[];
}

async function loadBulk({ ctx, app: { engine }, nowMs, redact }: OpsContext): Promise<BulkData> {
  const choice = readBulk(ctx.query, redact);
  if (choice.ids) {
    const found = await Promise.all(choice.ids.slice(0, LISTED).map((id) => engine.snapshot(id)));
    const runs = found.filter((run) => run !== undefined);
    return { choice, count: choice.ids.length, isMore: false, newest: undefined, runs };
  }
  const filter = graphQueryOf(choice.filter, nowMs);
  const { items: runs } = await engine.list({ ...filter, limit: LISTED });
  const newest = runs[0]?.graph_id;
  const { matched, next_cursor: next } = await engine.bulk(choice.step, {
    filter,
    isDryRun: true,
    cursor: (newest ?? "") + AFTER_ALL_IDS,
  });
  return { choice, count: matched, isMore: next !== null, newest, runs };
}

const EFFECTS: Readonly<Record<BulkChoice["step"], string>> = {
  pause: "Running nodes finish; no new ones start until the runs are resumed.",
  resume: "Paused runs continue where they stopped.",
  cancel: "Running nodes are aborted and compensations run. A cancelled run cannot be resumed.",
  retry: "Failed runs restart the nodes that are not done. Completed nodes keep their results.",
};

function Bulk({
  data: { choice, count, isMore, newest, runs },
  opsContext,
}: {
  data: BulkData;
  opsContext: OpsContext;
}) {
  const { step, ids, filter } = choice;
  const list = `${RUNS_PATH}?${queryText(filter)}`;
  const counted = `${countText(count)}${isMore ? " or more" : ""}`;
  if (count === 0)
    return (
      <>
        <h1>Nothing to do</h1>
        <Empty title="No run is selected, or none matches the filters">
          <p>
            <a href={list}>Back to the list</a>
          </p>
        </Empty>
      </>
    );
  return (
    <>
      <h1>{`${step[0]?.toUpperCase()}${step.slice(1)} ${counted} run${count === 1 ? "" : "s"}?`}</h1>
      <p>{EFFECTS[step]}</p>
      <p class="quiet">
        {ids
          ? "The selected runs."
          : `All runs that match: ${
              chipsOf(filter)
                .map(({ label, value }) => `${label} ${value}`)
                .join(", ") || "no filter, so every run"
            }.`}{" "}
        Runs that do not allow the action stay unchanged and are counted.
      </p>
      <Confirm
        opsContext={opsContext}
        action="/runs/bulk"
        count={count}
        fields={{
          ...filter,
          step,
          list,
          ...(ids && { runs: ids.join(",") }),
          ...(newest !== undefined && { newest }),
          ...(isMore && { more: "1" }),
        }}
        leaveHref={list}
      >
        <StepButton
          opsContext={opsContext}
          label={`${step[0]?.toUpperCase()}${step.slice(1)} ${counted}`}
          tone={step === "cancel" ? "bad" : "main"}
        />
      </Confirm>
      <CommandsPanel
        commands={bulkCommands(
          opsContext.origin,
          { step, ids, filter: { ...filter } },
          endpointQueryOf(filter, opsContext.nowMs),
        )}
        label={ids ? "Copy as command" : "Copy as command (applies to all matching runs at that time)"}
      />
      <BulkPreview runs={runs} count={count} step={step} opsContext={opsContext} />
    </>
  );
}

function bulkRun({ undo, redact }: Screens): (step: Step) => Promise<StepResult> {
  return async ({ app, fields, auditContext, nowMs }) => {
    const choice = readBulk(new URLSearchParams(fields), redact);
    const { step, filter } = choice;
    const expected = Number(fields["expected"]) || 0;
    if (!isConfirmed(fields)) return { tone: "bad", text: `Nothing was changed. Type ${expected} to confirm.` };
    const work = choice.ids
      ? { isGrown: false, run: ticked(app, choice.step, choice.ids, auditContext) }
      : await fitting(
          app,
          choice,
          { expected, isMore: fields["more"] === "1", newest: fields["newest"] },
          auditContext,
          nowMs,
        );
    if (work.isGrown) return grown(choice, expected);
    const { run } = work;
    if (undo !== false) {
      const deferred = { step, count: expected, isMore: fields["more"] === "1", query: queryText(filter), run };
      return { tone: "good", text: "", to: await deferBulk(app, undo, deferred, auditContext) };
    }
    const taken = new BulkProgress();
    await run(taken);
    return bulkReported(step, taken);
  };
}

/** More runs match than were confirmed: shows the preview again. */
function grown({ step, filter }: BulkChoice, expected: number): StepResult {
  return {
    tone: "bad",
    text: `Nothing was changed: you confirmed ${countText(expected)}, but more runs match now. Check the new count.`,
    to: `${RUNS_PATH}/bulk?${queryText(filter, { which: "all", step })}`,
  };
}

function bulkReported(step: string, { changed, refused }: BulkProgress): { tone: "good"; text: string } {
  const left = refused === 0 ? "" : ` ${countText(refused)} did not allow it.`;
  return { tone: "good", text: `${step[0]?.toUpperCase()}${step.slice(1)}: ${countText(changed)} changed.${left}` };
}
