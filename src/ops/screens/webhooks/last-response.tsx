/** The last response of a receiver and its time: a status, or why there was none. */
import type { OpsContext } from "../../ops-context.ts";
import type { Receiver } from "../../views/webhooks/receiver.ts";
import { Time } from "../parts.tsx";

export function LastResponseText({
  figures: { last },
  opsContext,
}: {
  figures: Receiver["figures"];
  opsContext: OpsContext;
}) {
  if (last === null) return <span class="quiet">none yet</span>;
  const { status_code: status, error, started_ms: startedMs } = last;
  const isGood = status !== null && status >= 200 && status < 300;
  return (
    <>
      <span class="state" data-tone={isGood ? "good" : "bad"}>
        {status ?? error ?? "no response"}
      </span>{" "}
      <span class="quiet">
        <Time ms={startedMs} opsContext={opsContext} />
      </span>
    </>
  );
}
