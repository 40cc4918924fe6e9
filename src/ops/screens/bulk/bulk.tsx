/** The same step for many runs: chosen under the list, told how many it is, confirmed, done. */
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
import { ABOVE, fitting, ticked } from "./bulk-actions.ts";
import { BulkPreview, LISTED } from "./bulk-preview.tsx";
import { Confirm, isConfirmed } from "./confirm.tsx";
import { deferBulk } from "./deferred.tsx";
import { CommandsPanel, Empty, StepButton } from "../parts.tsx";

export function bulkScreens(screens: Screens): Entry[] {
  return [
    screen<BulkData>(screens, "/runs/bulk", {
      title: "Many runs at once",
      section: "Runs",
      load: loadBulk,
      view: (data, opsContext) => <Bulk data={data} opsContext={opsContext} />,
    }),
    operatorRoute(screens, "/runs/bulk", bulkRun(screens), LONG_FORM_BYTES),
  ];
}

/** Under the list, for those who may only look too: two that are ticked, beside each other. */
export function CompareBar() {
  return (
    <p class="compare">
      <button type="submit" class="button" formaction={`${RUNS_PATH}/compare`}>
        Compare the two that are ticked
      </button>
    </p>
  );
}

/** Under the list: which runs, and which step. */
export function BulkBar({ total, opsContext }: { total: number; opsContext: OpsContext }) {
  const canAct = opsContext.visitor.role === "operator";
  return (
    <fieldset class="bulk" disabled={!canAct}>
      <legend>The same for many</legend>
      <label class="check">
        <input type="radio" name="which" value="chosen" checked /> those that are ticked
      </label>
      <label class="check">
        <input type="radio" name="which" value="all" /> {`all ${countText(total)} that the filters fit`}
      </label>
      <span class="buttons">
        {BULK_STEPS.map((step) => (
          <button type="submit" class="button" name="step" value={step} key={step}>
            {`${step[0]?.toUpperCase()}${step.slice(1)}…`}
          </button>
        ))}
      </span>
      {canAct ? (
        <p class="quiet">First you are told how many it is.</p>
      ) : (
        <p class="quiet">You may look, not change: the operator role is needed.</p>
      )}
    </fieldset>
  );
}

interface BulkData {
  choice: BulkChoice;
  count: number;
  /** Whether there are more, which were not counted. */
  isMore: boolean;
  /** The newest that the filters fit: what is started later is not meant. */
  newest: string | undefined;
  /** The first of them, as they are now. */
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
    cursor: (newest ?? "") + ABOVE,
  });
  return { choice, count: matched, isMore: next !== null, newest, runs };
}

const EFFECTS: Readonly<Record<BulkChoice["step"], string>> = {
  pause: "What runs goes on to its end; nothing new begins until they are resumed.",
  resume: "Those that are paused go on where they stopped.",
  cancel: "What runs is aborted, and what can be taken back is taken back. A cancelled run does not go on.",
  retry: "Those that have failed run again from what is not done. What is done stays done.",
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
        <Empty title="No run was ticked, or none fits the filters">
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
          ? "Those that you have ticked."
          : `All that fit: ${
              chipsOf(filter)
                .map(({ label, value }) => `${label} ${value}`)
                .join(", ") || "every run there is"
            }.`}{" "}
        Runs that don't allow it are left as they are, and counted.
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
        label={ids ? "Copy as command" : "Copy as command, for all that fit when it runs"}
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
    if (!isConfirmed(fields)) return { tone: "bad", text: `Nothing was done: ${expected} had to be typed to confirm.` };
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

/** What was confirmed is not what would be done: it is shown again. */
function grown({ step, filter }: BulkChoice, expected: number): StepResult {
  return {
    tone: "bad",
    text: `Nothing was done: ${countText(expected)} ${expected === 1 ? "was" : "were"} to be confirmed, and by now more of them fit. This is how many.`,
    to: `${RUNS_PATH}/bulk?${queryText(filter, { which: "all", step })}`,
  };
}

function bulkReported(step: string, { changed, refused }: BulkProgress): { tone: "good"; text: string } {
  const left = refused === 0 ? "" : ` ${countText(refused)} did not allow it.`;
  return { tone: "good", text: `${step[0]?.toUpperCase()}${step.slice(1)}: ${countText(changed)} done.${left}` };
}
