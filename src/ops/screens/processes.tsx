/** The processes that share the database: their hosts, roles and heartbeats. */
import type { ProcessView } from "../../ops.ts";
import type { OpsContext } from "../ops-context.ts";
import { SLOW_MS } from "../views/processes.ts";
import { bytesText, countText, delayText, durationText } from "../views/format.ts";
import { Time } from "./parts.tsx";
import { Heads } from "./table-head.tsx";

/** Each process writes a heartbeat every second. After this time the row shows the silence as a warning. */
const SILENT_MS = 5000;
/** Maximum number of names in a cell; the others are only counted. */
const MOST_NAMES = 4;

const ROLES: Readonly<Record<string, string>> = {
  all: "pages and workers",
  web: "pages",
  worker: "workers",
};

export function ProcessesTable({
  processes,
  opsContext,
}: {
  processes: readonly ProcessView[];
  opsContext: OpsContext;
}) {
  return (
    <div class="scroll">
      <table>
        <Heads
          columns={[
            "Process",
            "State",
            "Role",
            "Workers",
            ["Event-loop lag p99", "number"],
            ["Memory", "number"],
            "Build",
            "Started",
          ]}
        />
        <tbody>
          {processes.map((process) => (
            <tr key={process.id}>
              <th scope="row" data-label="Process">
                <code>{process.host}</code>
              </th>
              <td data-label="State">
                {process.silent_ms > SILENT_MS ? (
                  <span class="state" data-tone="warn">{`silent for ${durationText(process.silent_ms)}`}</span>
                ) : (
                  <span class="state" data-tone="good">
                    online
                  </span>
                )}
              </td>
              <td data-label="Role">{ROLES[process.role] ?? process.role}</td>
              <td data-label="Workers" title={process.workers.join(", ")}>
                {namesText(process)}
              </td>
              <td data-label="Event-loop lag p99" class="number">
                {isSlow(process) ? (
                  <span class="state" data-tone="warn">
                    {delayText(process.loop_p99_ms)}
                  </span>
                ) : (
                  delayText(process.loop_p99_ms)
                )}
              </td>
              <td data-label="Memory" class="number">
                {process.memory_bytes === null ? "–" : bytesText(process.memory_bytes)}
              </td>
              <td data-label="Build">
                <code>{process.build}</code>
              </td>
              <td data-label="Started">
                <Time ms={process.started_ms} opsContext={opsContext} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function isSlow({ loop_p99_ms: ms }: ProcessView): boolean {
  return ms !== null && ms >= SLOW_MS;
}

function namesText({ role, workers }: ProcessView): string {
  if (role === "web" || workers.length === 0) return "–";
  const left = workers.length - MOST_NAMES;
  return left > 1 ? `${workers.slice(0, MOST_NAMES).join(", ")} and ${countText(left)} more` : workers.join(", ");
}
