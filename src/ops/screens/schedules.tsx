/** Schedules: next start, last run, run now, pause. */
import type { Entry } from "../../index.ts";
import { PATHS } from "../../internal.ts";
import type { ScheduleView } from "../../graph.ts";
import { OPS_PATH } from "../operator-access.ts";
import { operatorRoute } from "../operator-route.ts";
import type { OpsContext, Screens } from "../ops-context.ts";
import { screen } from "../screen.tsx";
import { commandsOf } from "../views/cli-commands.ts";
import { momentText } from "../views/format.ts";
import { CommandsPanel, Empty, StepButton, StepForm, Time } from "./parts.tsx";
import { Heads } from "./table-head.tsx";

export function scheduleScreens(screens: Screens): Entry[] {
  return [
    screen<ScheduleView[]>(screens, "/schedules", {
      title: "Schedules",
      section: "Schedules",
      follows: () => ["controls"],
      load: ({ app }) => app.engine.schedule.list(),
      view: (schedules, opsContext) => <Schedules schedules={schedules} opsContext={opsContext} />,
    }),
    ...(["pause", "resume"] as const).map((step) =>
      operatorRoute(screens, `/schedules/:name/${step}`, async ({ app, params, auditContext }) => {
        const { name, next_ms: nextMs } = await app.engine.schedule[step](params["name"] ?? "", auditContext);
        const next = nextMs === null ? "" : ` Next: ${momentText(nextMs)}.`;
        return { tone: "good", text: `The schedule ${name} ${step === "pause" ? "is paused." : "is resumed."}${next}` };
      }),
    ),
    operatorRoute(screens, "/schedules/:name/trigger", async ({ app, params, auditContext }) => {
      const { graph_id: id } = await app.engine.schedule.trigger(params["name"] ?? "", auditContext);
      return { tone: "good", text: `Started manually: ${id}`, to: `${OPS_PATH}/runs/${id}` };
    }),
  ];
}

function Schedules({ schedules, opsContext }: { schedules: ScheduleView[]; opsContext: OpsContext }) {
  return (
    <>
      <div class="title">
        <h1>Schedules</h1>
      </div>
      {schedules.length === 0 ? (
        <Empty title="No schedules">
          <p>A schedule starts a graph or a worker at the times of a cron expression:</p>
          <pre tabindex={0}>
            <code>{`createFullStackApp({
  schedules: [{ name: "nightly", cron: "30 2 * * *", timeZone: "Europe/Berlin", worker: "report" }],
});`}</code>
          </pre>
        </Empty>
      ) : (
        <div class="scroll" data-live="schedules">
          <SchedulesTable schedules={schedules} opsContext={opsContext} />
        </div>
      )}
      <CommandsPanel commands={commandsOf(opsContext.origin, "GET", PATHS.schedules, "svc graph schedules")} />
    </>
  );
}

function SchedulesTable({ schedules, opsContext }: { schedules: ScheduleView[]; opsContext: OpsContext }) {
  return (
    <table>
      <Heads columns={["Schedule", "Cron", "Starts", "Next", "Last", "If missed or busy", ["Actions", "steps"]]} />
      <tbody>
        {schedules.map((schedule) => (
          <tr key={schedule.name}>
            <th scope="row" data-label="Schedule">
              {schedule.name} <span class="tag">{schedule.source === "app" ? "in code" : "by API"}</span>
            </th>
            <td data-label="Cron">
              <code>{schedule.cron}</code> <span class="quiet">{schedule.time_zone}</span>
            </td>
            <td data-label="Starts" class="name">
              <a href={`${OPS_PATH}/runs?worker=${encodeURIComponent(schedule.worker)}`} data-row>
                {schedule.worker}
              </a>
            </td>
            <td data-label="Next">
              {schedule.paused ? <span data-tone="held">paused</span> : null}
              {schedule.next_ms === null ? null : <Time ms={schedule.next_ms} opsContext={opsContext} />}
            </td>
            <td data-label="Last">
              {schedule.last_graph_id === null ? (
                <span class="quiet">never</span>
              ) : (
                <a href={`${OPS_PATH}/runs/${schedule.last_graph_id}`}>
                  <Time ms={schedule.last_ms ?? 0} opsContext={opsContext} />
                </a>
              )}
            </td>
            <td data-label="If missed or busy" class="quiet">
              {`${LATE[schedule.catch_up]}; ${BUSY[schedule.overlap]}`}
            </td>
            <td data-label="">
              <StepForm opsContext={opsContext} action={`/schedules/${schedule.name}/trigger`} class="actions">
                <StepButton opsContext={opsContext} label="Run now" name={`Run now: ${schedule.name}`} />
                <StepButton
                  opsContext={opsContext}
                  label={schedule.paused ? "Resume" : "Pause"}
                  name={`${schedule.paused ? "Resume" : "Pause"} ${schedule.name}`}
                  action={`/schedules/${schedule.name}/${schedule.paused ? "resume" : "pause"}`}
                />
              </StepForm>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const BUSY: Readonly<Record<ScheduleView["overlap"], string>> = {
  skip: "skipped while the last run is active",
  allow: "may overlap the last run",
  buffer: "waits for the end of the last run",
  cancel: "cancels the last run",
};

const LATE: Readonly<Record<ScheduleView["catch_up"], string>> = {
  none: "missed starts are skipped",
  last: "runs once for missed starts",
  all: "runs for every missed start",
};
