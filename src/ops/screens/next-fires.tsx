/** The next runs of the schedules. */
import type { App } from "../../index.ts";
import type { ScheduleView, Snapshot } from "../../graph.ts";
import { OPS_PATH } from "../operator-access.ts";
import type { OpsContext } from "../ops-context.ts";
import { graphStyle } from "../views/status-style.ts";
import { Empty, Mark, StepButton, StepForm, Time } from "./parts.tsx";
import { Heads } from "./table-head.tsx";

const NEXT_FIRES = 10;

export interface NextFire {
  schedule: ScheduleView;
  /** The last run it started, if it still exists. */
  last: Snapshot | undefined;
}

/** The schedules that fire next. */
export function nextFires(schedules: readonly ScheduleView[], engine: App["engine"]): Promise<NextFire[]> {
  const next = schedules
    .filter(({ next_ms: nextMs }) => nextMs !== null)
    .sort((a, b) => (a.next_ms ?? 0) - (b.next_ms ?? 0))
    .slice(0, NEXT_FIRES);
  return Promise.all(
    next.map(async (schedule) => {
      const { last_graph_id: id } = schedule;
      return { schedule, last: id === null ? undefined : await engine.snapshot(id) };
    }),
  );
}

export function NextFires({ fires, opsContext }: { fires: readonly NextFire[]; opsContext: OpsContext }) {
  if (fires.length === 0)
    return (
      <Empty title="No upcoming schedules">
        <p>
          Schedules start graphs at fixed times: <code>{"createApp({ schedules: [{ name, cron, worker }] })"}</code>
        </p>
      </Empty>
    );
  return (
    <div class="scroll">
      <table>
        <Heads columns={["Schedule", "Next", "Last", ["Actions", "steps"]]} />
        <tbody>
          {fires.map(({ schedule, last }) => (
            <tr key={schedule.name}>
              <th scope="row" data-label="Schedule">
                {schedule.name}
              </th>
              <td data-label="Next">
                <Time ms={schedule.next_ms ?? 0} opsContext={opsContext} />
              </td>
              <td data-label="Last">
                <Last schedule={schedule} run={last} opsContext={opsContext} />
              </td>
              <td data-label="">
                <StepForm opsContext={opsContext} action={`/schedules/${schedule.name}/trigger`} class="actions">
                  <StepButton opsContext={opsContext} label="Run now" name={`Run now: ${schedule.name}`} />
                  <StepButton
                    opsContext={opsContext}
                    label="Pause"
                    name={`Pause ${schedule.name}`}
                    action={`/schedules/${schedule.name}/pause`}
                  />
                </StepForm>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The last run and its time. */
function Last({
  schedule,
  run,
  opsContext,
}: {
  schedule: ScheduleView;
  run: Snapshot | undefined;
  opsContext: OpsContext;
}) {
  if (schedule.last_graph_id === null) return <span class="quiet">never</span>;
  const time = <Time ms={schedule.last_ms ?? 0} opsContext={opsContext} />;
  if (run === undefined) return <span class="quiet">{time}, deleted</span>;
  return (
    <>
      <Mark looks={graphStyle(run, opsContext.nowMs)} /> <a href={`${OPS_PATH}/runs/${run.graph_id}`}>{time}</a>
    </>
  );
}
