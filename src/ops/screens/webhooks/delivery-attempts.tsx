/** The attempts of a delivery: when each began, where its time went, and what the receiver said. */
import type { App } from "../../../index.ts";
import type { OpsContext } from "../../ops-context.ts";
import { bytesText, durationText } from "../../views/format.ts";
import { Heads } from "../table-head.tsx";
import { Time } from "../parts.tsx";

type Attempt = Awaited<ReturnType<App["webhooks"]["delivery"]>>["attempts"][number];

/** Characters of an answer that stand in its row; the rest opens. */
const SHOWN = 300;

export function DeliveryAttempts({ attempts, opsContext }: { attempts: readonly Attempt[]; opsContext: OpsContext }) {
  return (
    <div class="scroll">
      <table>
        <Heads columns={["No.", "Began", ["Took", "number"], "Where the time went", "Answer", "What it said"]} />
        <tbody>
          {attempts.map((attempt) => (
            <tr key={attempt.number}>
              <td data-label="No.">{attempt.number}</td>
              <td data-label="Began">
                <Time ms={attempt.started_ms} opsContext={opsContext} />
              </td>
              <td data-label="Took" class="number">
                {durationText(attempt.duration_ms)}
              </td>
              <td data-label="Time" class="quiet">
                {Object.entries(attempt.timings)
                  .map(([name, ms]) => `${name.replace("_", " ")} ${durationText(ms)}`)
                  .join(", ") || "over a kept connection"}
              </td>
              <td data-label="Answer">
                <Answer attempt={attempt} />
              </td>
              <td data-label="Said">
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

/** The status, and what is wrong with it where the number doesn't say so. */
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
  if (response === null || response === "") return <span class="quiet">nothing</span>;
  if (response.length <= SHOWN) return <code>{response}</code>;
  return (
    <details>
      <summary>
        <code>{response.slice(0, SHOWN)}</code>{" "}
        <span class="quiet">{`… all ${bytesText(Buffer.byteLength(response))}`}</span>
      </summary>
      <pre class="wrap" tabindex={0} role="region" aria-label={`Answer ${number}`}>
        <code>{response}</code>
      </pre>
    </details>
  );
}

/** What may be a credential was hidden when it was written. */
function AnswerHeaders({ attempt: { number, response_headers: headers } }: { attempt: Attempt }) {
  const entries = Object.entries(headers);
  if (entries.length === 0) return null;
  return (
    <details>
      <summary>{`${entries.length} header${entries.length === 1 ? "" : "s"}`}</summary>
      <pre class="wrap" tabindex={0} role="region" aria-label={`Headers of answer ${number}`}>
        <code>{entries.map(([name, value]) => `${name}: ${value}`).join("\n")}</code>
      </pre>
    </details>
  );
}
