/** What the clock starts next. */
import type { ScheduleView } from "../../../graph.ts";
import { OPS_PATH } from "../access.ts";
import type { Look } from "../look.ts";
import { Empty, StepButton, StepForm, Time } from "./parts.tsx";
import { Heads } from "./heads.tsx";

const NEXT_FIRES = 6;

/** Those that come first. */
export function nextFires(schedules: readonly ScheduleView[]): ScheduleView[] {
  return schedules
    .filter(({ next_ms: nextMs }) => nextMs !== null)
    .sort((a, b) => (a.next_ms ?? 0) - (b.next_ms ?? 0))
    .slice(0, NEXT_FIRES);
}

export function NextFires({ schedules, look }: { schedules: readonly ScheduleView[]; look: Look }) {
  if (schedules.length === 0)
    return (
      <Empty title="No schedule is due">
        <p>
          Schedules start graphs by the clock: <code>{"createApp({ schedules: [{ name, cron, worker }] })"}</code>
        </p>
      </Empty>
    );
  return (
    <div class="scroll">
      <table>
        <Heads columns={["Schedule", "Next", "Last", ["Steps", "steps"]]} />
        <tbody>
          {schedules.map((schedule) => (
            <tr key={schedule.name}>
              <th scope="row" data-label="Schedule">
                {schedule.name}
              </th>
              <td data-label="Next">
                <Time ms={schedule.next_ms ?? 0} look={look} />
              </td>
              <td data-label="Last">
                {schedule.last_graph_id === null ? (
                  <span class="quiet">never</span>
                ) : (
                  <a href={`${OPS_PATH}/runs/${schedule.last_graph_id}`}>
                    <Time ms={schedule.last_ms ?? 0} look={look} />
                  </a>
                )}
              </td>
              <td data-label="">
                <StepForm look={look} action={`/schedules/${schedule.name}/trigger`} class="actions">
                  <StepButton look={look} label="Run now" name={`Run now: ${schedule.name}`} />
                </StepForm>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
