/** Deliveries as table rows: status, receiver and last response. */
import type { App } from "../../../index.ts";
import type { FlowStatus } from "../../widgets/status.ts";
import { OPS_PATH } from "../../operator-access.ts";
import type { OpsContext } from "../../ops-context.ts";
import type { Hosts } from "../../views/hosts.ts";
import { durationText, shortId } from "../../views/format.ts";
import { Heads } from "../table-head.tsx";
import { Empty, Mark, Time } from "../parts.tsx";

type Webhooks = App["webhooks"];
export type DeliveryView = Awaited<ReturnType<Webhooks["deliveries"]>>["deliveries"][number];
export type Answers = Awaited<ReturnType<Webhooks["lastAnswers"]>>;
type LastAnswer = NonNullable<ReturnType<Answers["get"]>>;

const DELIVERIES = `${OPS_PATH}/deliveries`;

const LOOKS: Readonly<Record<DeliveryView["status"], FlowStatus>> = {
  pending: "retrying",
  delivered: "done",
  failed: "failed",
};

export function looksOf({ status, attempt_count: attempts }: DeliveryView) {
  if (status === "pending" && attempts === 0) return { status: "queued" as const, word: "waiting" };
  return { status: LOOKS[status], word: status === "pending" ? "retrying" : status };
}

interface DeliveriesTableProps {
  deliveries: readonly DeliveryView[];
  opsContext: OpsContext;
  /** Default: no receiver column, because all deliveries have the same receiver. */
  hosts?: Hosts;
  /** The last response of each delivery. Default: no response column. */
  answers?: Answers;
}

export function DeliveriesTable({ deliveries, opsContext, hosts, answers }: DeliveriesTableProps) {
  if (deliveries.length === 0)
    return (
      <Empty title="No deliveries">
        <p>When a run is done, fails or is paused, svc notifies the registered webhooks. The deliveries appear here.</p>
      </Empty>
    );
  return (
    <div class="scroll">
      <table>
        <Heads
          columns={[
            "Status",
            "Delivery",
            ...(hosts ? ["Receiver"] : []),
            "Event",
            "Run",
            "Created",
            "Attempts",
            ...(answers ? ["Response"] : []),
            "Next",
          ]}
        />
        <tbody>
          {deliveries.map((delivery) => (
            <tr key={delivery.id}>
              <td data-label="Status">
                <Mark looks={looksOf(delivery)} />
              </td>
              <td data-label="Delivery">
                <a class="id" href={`${DELIVERIES}/${delivery.id}`} title={delivery.id} data-row>
                  {shortId(delivery.id)}
                </a>
              </td>
              {hosts === undefined ? null : (
                <td data-label="Receiver">
                  <a href={`${OPS_PATH}/webhooks/${delivery.webhook_id}`}>
                    {hosts.get(delivery.webhook_id) ?? shortId(delivery.webhook_id)}
                  </a>
                </td>
              )}
              <td data-label="Event">{delivery.event}</td>
              <td data-label="Run">
                <Run delivery={delivery} />
              </td>
              <td data-label="Created">
                <Time ms={delivery.created_ms} opsContext={opsContext} />
              </td>
              <td data-label="Attempts">
                <Dots delivery={delivery} />
              </td>
              {answers === undefined ? null : (
                <td data-label="Response">
                  <Answer answer={answers.get(delivery.id)} />
                </td>
              )}
              <td data-label="Next">
                {delivery.next_attempt_ms === null ? null : (
                  <Time ms={delivery.next_attempt_ms} opsContext={opsContext} />
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Run({ delivery: { event, graph_id: id } }: { delivery: DeliveryView }) {
  if (event === "ping") return <span class="quiet">–</span>;
  return (
    <a class="id" href={`${OPS_PATH}/runs/${id}`} title={id}>
      {shortId(id)}
    </a>
  );
}

/** A dot per attempt. All have failed, except the last one of a successful delivery. */
function Dots({ delivery: { attempt_count: count, status } }: { delivery: DeliveryView }) {
  const shown = Math.min(count, 10);
  return (
    <span class="dots" role="img" aria-label={`${count} attempt${count === 1 ? "" : "s"}`}>
      {Array.from({ length: shown }, (_, at) => (
        <i class="dot" data-tone={status === "delivered" && at === shown - 1 ? "good" : "bad"} key={at}></i>
      ))}
    </span>
  );
}

/** The response status, or the error, and the duration. */
function Answer({ answer }: { answer: LastAnswer | undefined }) {
  if (answer === undefined) return <span class="quiet">none yet</span>;
  const { status_code: status, error, duration_ms: tookMs } = answer;
  return (
    <span title={error ?? undefined}>
      {status ?? error ?? "none"} <span class="quiet">{`in ${durationText(tookMs)}`}</span>
    </span>
  );
}
