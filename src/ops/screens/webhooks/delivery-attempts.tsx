/** The attempts of a delivery: start, timings, and the receiver's response. */
import type { App } from "../../../index.ts";
import type { OpsContext } from "../../ops-context.ts";
import { bytesText, durationText } from "../../views/format.ts";
import { Heads } from "../table-head.tsx";
import { Time } from "../parts.tsx";

type Attempt = Awaited<ReturnType<App["webhooks"]["delivery"]>>["attempts"][number];

/** Characters of a response in its row; the rest is in a fold. */
const SHOWN = 300;

export function DeliveryAttempts({ attempts, opsContext }: { attempts: readonly Attempt[]; opsContext: OpsContext }) {
  return (
    <div class="scroll">
      <table>
        <Heads columns={["No.", "Started", ["Duration", "number"], "Timing", "Response", "Response body"]} />
        <tbody>
          {attempts.map((attempt) => (
            <tr key={attempt.number}>
              <td data-label="No.">{attempt.number}</td>
              <td data-label="Started">
                <Time ms={attempt.started_ms} opsContext={opsContext} />
              </td>
              <td data-label="Duration" class="number">
                {durationText(attempt.duration_ms)}
              </td>
              <td data-label="Timing" class="quiet">
                {Object.entries(attempt.timings)
                  .map(([name, ms]) => `${name.replace("_", " ")} ${durationText(ms)}`)
                  .join(", ") || "reused connection"}
              </td>
              <td data-label="Response">
                <Answer attempt={attempt} />
              </td>
              <td data-label="Response body">
                <AnswerText attempt={attempt} />
                <AnswerHeaders attempt={attempt} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The status, and the error unless the status already says it. */
function Answer({ attempt: { status_code: status, error } }: { attempt: Attempt }) {
  if (status === null) return <>{error ?? "none"}</>;
  if (error === null || error === `answered ${status}`) return <>{status}</>;
  return (
    <>
      {status} <span class="quiet">{error}</span>
    </>
  );
}

function AnswerText({ attempt: { number, response } }: { attempt: Attempt }) {
  if (response === null || response === "") return <span class="quiet">empty</span>;
  if (response.length <= SHOWN) return <code>{response}</code>;
  return (
    <details>
      <summary>
        <code>{response.slice(0, SHOWN)}</code>{" "}
        <span class="quiet">{`… ${bytesText(Buffer.byteLength(response))} in total`}</span>
      </summary>
      <pre class="wrap" tabindex={0} role="region" aria-label={`Response ${number}`}>
        <code>{response}</code>
      </pre>
    </details>
  );
}

/** Headers that may contain credentials were redacted when they were stored. */
function AnswerHeaders({ attempt: { number, response_headers: headers } }: { attempt: Attempt }) {
  const entries = Object.entries(headers);
  if (entries.length === 0) return null;
  return (
    <details>
      <summary>{`${entries.length} header${entries.length === 1 ? "" : "s"}`}</summary>
      <pre class="wrap" tabindex={0} role="region" aria-label={`Headers of response ${number}`}>
        <code>{entries.map(([name, value]) => `${name}: ${value}`).join("\n")}</code>
      </pre>
    </details>
  );
}
