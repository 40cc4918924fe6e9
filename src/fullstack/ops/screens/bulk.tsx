/** The same step for many runs: chosen under the list, told how many it is, confirmed, done. */
import { SvcError, type Entry } from "../../../index.ts";
import type { BulkReport, Snapshot, Steering } from "../../../graph.ts";
import { RUNS_PATH } from "../access.ts";
import { operatorRoute, type Step, type StepResult } from "../operator-route.ts";
import type { Look, Screens } from "../look.ts";
import { screen } from "../screen.tsx";
import { BULK_STEPS, readBulk, type BulkChoice } from "../views/bulk.ts";
import { chipsOf, graphQueryOf, queryText } from "../views/runs-query.ts";
import { countText } from "../views/text.ts";
import { BulkPreview, LISTED } from "./bulk-preview.tsx";
import { Confirm, isConfirmed } from "./confirm.tsx";
import { holdBulk } from "./held.tsx";
import { Empty, StepButton } from "./parts.tsx";

export function bulkScreens(screens: Screens): Entry[] {
  return [
    screen<BulkData>(screens, "/runs/bulk", {
      title: "Many runs at once",
      section: "Runs",
      load: loadBulk,
      view: (data, look) => <Bulk data={data} look={look} />,
    }),
    operatorRoute(screens, "/runs/bulk", bulkRun(screens)),
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
export function BulkBar({ total, look }: { total: number; look: Look }) {
  const canAct = look.visitor.role === "operator";
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
  /** The first of them, as they are now. */
  runs: Snapshot[];
}

async function loadBulk({ ctx, app: { engine }, nowMs, redact }: Look): Promise<BulkData> {
  const choice = readBulk(ctx.query, redact);
  if (choice.ids) {
    const found = await Promise.all(choice.ids.slice(0, LISTED).map((id) => engine.snapshot(id)));
    return { choice, count: choice.ids.length, runs: found.filter((run) => run !== undefined) };
  }
  const filter = graphQueryOf(choice.filter, nowMs);
  const [report, { items: runs }] = await Promise.all([
    engine.bulk(choice.step, { filter, isDryRun: true }),
    engine.list({ ...filter, limit: LISTED }),
  ]);
  return { choice, count: report.matched, runs };
}

const EFFECTS: Readonly<Record<BulkChoice["step"], string>> = {
  pause: "What runs goes on to its end; nothing new begins until they are resumed.",
  resume: "Those that are paused go on where they stopped.",
  cancel: "What runs is aborted, and what can be taken back is taken back. A cancelled run does not go on.",
  retry: "Those that have failed run again from what is not done. What is done stays done.",
};

function Bulk({ data: { choice, count, runs }, look }: { data: BulkData; look: Look }) {
  const { step, ids, filter } = choice;
  const list = `${RUNS_PATH}?${queryText(filter)}`;
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
      <h1>{`${step[0]?.toUpperCase()}${step.slice(1)} ${countText(count)} run${count === 1 ? "" : "s"}?`}</h1>
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
        look={look}
        action="/runs/bulk"
        count={count}
        fields={{ ...filter, step, list, ...(ids && { runs: ids.join(",") }) }}
        leaveHref={list}
      >
        <StepButton
          look={look}
          label={`${step[0]?.toUpperCase()}${step.slice(1)} ${countText(count)}`}
          tone={step === "cancel" ? "bad" : "main"}
        />
      </Confirm>
      <BulkPreview runs={runs} count={count} step={step} look={look} />
    </>
  );
}

function bulkRun({ undo, redact }: Screens): (step: Step) => Promise<StepResult> {
  return async ({ app, fields, steering, nowMs }) => {
    const choice = readBulk(new URLSearchParams(fields), redact);
    const { step, filter } = choice;
    const expected = Number(fields["expected"]);
    if (!isConfirmed(fields)) return { tone: "bad", text: `Nothing was done: ${expected} had to be typed to confirm.` };
    const run = await workOf(app, choice, steering, nowMs);
    if (undo !== false) {
      const work = { step, count: expected || 0, query: queryText(filter), run };
      return { tone: "good", text: "", to: await holdBulk(app, undo, work, steering) };
    }
    const { changed, refused } = await run();
    return bulkTold(step, changed, refused);
  };
}

interface Taken {
  changed: number;
  refused: number;
}

/** Takes those that were ticked, one by one, or those that fit as it was confirmed: what is started later is not among them. */
async function workOf(
  { engine }: Step["app"],
  { step, ids, filter }: BulkChoice,
  steering: Steering,
  nowMs: number,
): Promise<() => Promise<Taken>> {
  if (ids)
    return async () => {
      const taken = { changed: 0, refused: 0 };
      for (const id of ids) taken[(await isTaken(engine[step](id, steering))) ? "changed" : "refused"]++;
      return taken;
    };
  const query = { ...graphQueryOf(filter, nowMs), nowMs };
  const { items, nextCursor } = await engine.list({ ...query, limit: 1 });
  // Ids grow with their age: all that are there now are below the newest, or it.
  const newest = items[0] === undefined ? nextCursor : items[0].graph_id + ABOVE;
  return async () => {
    const taken = { changed: 0, refused: 0 };
    for (let cursor = newest; cursor !== undefined;) {
      const report: BulkReport = await engine.bulk(step, { ...steering, filter: query, cursor });
      taken.changed += report.changed;
      taken.refused += report.refused;
      cursor = report.next_cursor ?? undefined;
    }
    return taken;
  };
}

/** Sorts behind all that ids are made of. */
const ABOVE = "~";

/** Whether a run allowed its step. @throws what is neither a refusal nor a run that is gone: what was steered until then is. */
async function isTaken(step: Promise<unknown>): Promise<boolean> {
  try {
    await step;
    return true;
  } catch (error) {
    if (error instanceof SvcError && (error.code === "SVC_TRANSITION" || error.code === "SVC_NOT_FOUND")) return false;
    throw error;
  }
}

function bulkTold(step: string, changed: number, refused: number): { tone: "good"; text: string } {
  const left = refused === 0 ? "" : ` ${countText(refused)} did not allow it.`;
  return { tone: "good", text: `${step[0]?.toUpperCase()}${step.slice(1)}: ${countText(changed)} done.${left}` };
}
