/** Deliveries: the filtered list, and one delivery with its attempts, the exact signed text, and how to verify the signature. */
import type { Entry } from "../../../index.ts";
import { PATHS, VARIABLES } from "../../../internal.ts";
import { DELIVERY_HEADERS } from "../../../webhooks.ts";
import { OPS_PATH } from "../../operator-access.ts";
import { operatorRoute } from "../../operator-route.ts";
import type { OpsContext, Screens } from "../../ops-context.ts";
import { screen } from "../../screen.tsx";
import { commandsOf, quoted } from "../../views/cli-commands.ts";
import { hostsOf, type Hosts } from "../../views/hosts.ts";
import { shownBody } from "../../views/runs/payload.ts";
import { VERIFY_SNIPPETS } from "../../views/webhooks/verify-snippets.ts";
import { countText } from "../../views/format.ts";
import { CommandsPanel, Mark, Pager, StepButton, StepForm, Time } from "../parts.tsx";
import { ChipList, type Chip } from "../chips.tsx";
import { DeliveryAttempts } from "./delivery-attempts.tsx";
import { DeliveriesTable, looksOf, type Answers, type DeliveryView } from "./deliveries-table.tsx";

const DELIVERIES = `${OPS_PATH}/deliveries`;
const PAGE = "50";
const STATUSES = ["pending", "delivered", "failed"] as const;
const EVENTS = ["graph.done", "graph.failed", "graph.paused", "ping"] as const;
const FIELDS = ["status", "event", "graph_id"] as const;

type Webhooks = OpsContext["app"]["webhooks"];
type DeliveryList = Awaited<ReturnType<Webhooks["deliveries"]>>;
type Delivery = Awaited<ReturnType<Webhooks["delivery"]>>;

interface ListData extends DeliveryList {
  filter: Record<string, string>;
  hosts: Hosts;
  answers: Answers;
}

export function deliveryScreens(screens: Screens): Entry[] {
  return [
    screen<ListData>(screens, "/deliveries", {
      title: "Deliveries",
      section: "Webhooks",
      load: async ({ ctx, app }) => {
        const filter: Record<string, string> = {};
        for (const field of FIELDS) {
          const given = ctx.query.get(field)?.trim();
          if (given) filter[field] = given;
        }
        const webhook = ctx.query.get("webhook") || undefined;
        const cursor = ctx.query.get("cursor");
        const query = new URLSearchParams({ ...filter, limit: PAGE, ...(cursor && { cursor }) });
        const [list, hosts] = await Promise.all([app.webhooks.deliveries(query, webhook), hostsOf(app.webhooks)]);
        const answers = await app.webhooks.lastAnswers(list.deliveries.map(({ id }) => id));
        return { ...list, filter: { ...filter, ...(webhook !== undefined && { webhook }) }, hosts, answers };
      },
      follows: () => ["webhooks"],
      isActive: ({ deliveries }) => deliveries.some(isPending),
      view: (data, opsContext) => <List data={data} opsContext={opsContext} />,
    }),
    screen<Delivery>(screens, "/deliveries/:id", {
      title: ({ id }) => `Delivery ${id.slice(-6)}`,
      section: "Webhooks",
      load: ({ ctx, app }) => app.webhooks.delivery(ctx.params["id"] ?? ""),
      follows: () => ["webhooks"],
      isActive: isPending,
      view: (delivery, opsContext) => <One delivery={delivery} opsContext={opsContext} />,
    }),
    operatorRoute(screens, "/deliveries/:id/replay", async ({ app, params, auditContext }) => {
      const { delivery_id: id } = await app.webhooks.replay(params["id"] ?? "");
      await app.operations.record("delivery.replay", id, auditContext);
      return { tone: "good", text: "The delivery is queued again under the same ID." };
    }),
    operatorRoute(screens, "/deliveries/:id/give-up", async ({ app, params, auditContext }) => {
      const { id } = await app.webhooks.giveUp(params["id"] ?? "");
      await app.operations.record("delivery.give-up", id, auditContext);
      return { tone: "good", text: "The delivery is abandoned: svc does not retry it unless you resend it." };
    }),
  ];
}

function isPending({ status }: Pick<DeliveryView, "status">): boolean {
  return status === "pending";
}

/** Why a delivery cannot be abandoned. */
const ENDED: Readonly<Record<DeliveryView["status"], string | undefined>> = {
  pending: undefined,
  delivered: "Already delivered",
  failed: "Already failed, without further retries",
};

function List({ data, opsContext }: { data: ListData; opsContext: OpsContext }) {
  const { deliveries, total, next_cursor: next, filter, hosts, answers } = data;
  return (
    <>
      <div class="title">
        <h1>Deliveries</h1>
        <p class="quiet">{`${countText(total)} total`}</p>
      </div>
      <form method="get" action={DELIVERIES} class="filters" role="search" aria-label="Filter deliveries">
        <label>
          Status
          <select name="status">
            <option value="">all</option>
            {STATUSES.map((status) => (
              <option value={status} selected={filter["status"] === status} key={status}>
                {status}
              </option>
            ))}
          </select>
        </label>
        <label>
          Event
          <select name="event">
            <option value="">all</option>
            {EVENTS.map((event) => (
              <option value={event} selected={filter["event"] === event} key={event}>
                {event}
              </option>
            ))}
          </select>
        </label>
        <label>
          Run
          <input name="graph_id" value={filter["graph_id"] ?? ""} autocomplete="off" spellcheck={false} data-key="/" />
        </label>
        {filter["webhook"] === undefined ? null : <input type="hidden" name="webhook" value={filter["webhook"]} />}
        <button type="submit" class="button" data-tone="main">
          Filter
        </button>
      </form>
      <ChipList chips={chipsOf(filter, hosts)} />
      <div data-live="deliveries">
        <DeliveriesTable deliveries={deliveries} opsContext={opsContext} hosts={hosts} answers={answers} />
        <Pager
          href={next === null ? undefined : `${DELIVERIES}?${new URLSearchParams({ ...filter, cursor: next })}`}
          text={`${countText(deliveries.length)} of ${countText(total)}`}
        />
      </div>
      <CommandsPanel commands={commandsOf(opsContext.origin, "GET", endpointOf(filter))} />
    </>
  );
}

/** The deliveries of one webhook have their own endpoint. */
function endpointOf({ webhook, ...filter }: Record<string, string>): string {
  const path = webhook === undefined ? PATHS.deliveries : `${PATHS.webhooks}/${encodeURIComponent(webhook)}/deliveries`;
  const query = new URLSearchParams(filter).toString();
  return query === "" ? path : `${path}?${query}`;
}

const LABELS: Readonly<Record<string, string>> = { graph_id: "run", webhook: "receiver" };

function chipsOf(filter: Record<string, string>, hosts: Hosts): Chip[] {
  return Object.entries(filter).map(([name, value]) => {
    const { [name]: _, ...rest } = filter;
    const query = new URLSearchParams(rest).toString();
    return {
      label: LABELS[name] ?? name,
      value: name === "webhook" ? (hosts.get(value) ?? value) : value,
      href: query === "" ? DELIVERIES : `${DELIVERIES}?${query}`,
    };
  });
}

function One({ delivery, opsContext }: { delivery: Delivery; opsContext: OpsContext }) {
  const { id, event, graph_id: graphId, webhook_id: webhookId, body, attempts } = delivery;
  const { text, isWhole } = shownBody(body, opsContext.redact);
  return (
    <>
      <div class="stack-tight" data-live="facts">
        <nav class="crumbs" aria-label="Breadcrumbs">
          <a href={`${OPS_PATH}/webhooks`}>Webhooks</a> <span aria-hidden="true">›</span>{" "}
          <a href={`${OPS_PATH}/webhooks/${webhookId}`}>{webhookId}</a>
        </nav>
        <div class="title">
          <h1>{event}</h1>
          <Mark looks={looksOf(delivery)} />
          <code class="quiet">{id}</code>
        </div>
        <dl class="facts">
          <div>
            <dt>Created</dt>
            <dd>
              <Time ms={delivery.created_ms} opsContext={opsContext} />
            </dd>
          </div>
          <div>
            <dt>Run</dt>
            <dd>{event === "ping" ? "none" : <a href={`${OPS_PATH}/runs/${graphId}`}>{graphId}</a>}</dd>
          </div>
          {delivery.next_attempt_ms === null ? null : (
            <div>
              <dt>Next attempt</dt>
              <dd>
                <Time ms={delivery.next_attempt_ms} opsContext={opsContext} />
              </dd>
            </div>
          )}
        </dl>
      </div>
      <div data-live="steps">
        <StepForm opsContext={opsContext} action={`/deliveries/${id}/replay`} class="steps" isByButton>
          <label>
            Reason (recorded in the audit trail)
            <input name="note" maxlength={500} autocomplete="off" />
          </label>
          <StepButton opsContext={opsContext} label="Resend" shortcut="r" />
          <StepButton
            opsContext={opsContext}
            label="Abandon"
            tone="bad"
            action={`/deliveries/${id}/give-up`}
            refusal={ENDED[delivery.status]}
          />
          <a class="button" href={`${DELIVERIES}/${id}/replay`}>
            Preview request
          </a>
        </StepForm>
      </div>
      <section aria-labelledby="attempts">
        <h2 id="attempts">Attempts</h2>
        <div data-live="attempts">
          {attempts.length === 0 ? (
            <p class="quiet">No attempts yet.</p>
          ) : (
            <DeliveryAttempts attempts={attempts} opsContext={opsContext} />
          )}
        </div>
      </section>
      <div class="columns">
        <section aria-labelledby="body">
          <h2 id="body">{isWhole ? "Body, exactly as sent and signed" : "Body, with some values hidden"}</h2>
          <pre class="wrap" tabindex={0} role="region" aria-label="Body" data-copy>
            <code>{text}</code>
          </pre>
        </section>
        <section aria-labelledby="check">
          <h2 id="check">Verify the signature</h2>
          <p class="quiet">
            {`${DELIVERY_HEADERS.signature} signs the body only; ${DELIVERY_HEADERS.standardSignature} signs ID, timestamp and body, joined by dots.`}
          </p>
          <pre class="wrap" tabindex={0} role="region" aria-label="In a shell" data-copy>
            <code>{`printf %s ${isWhole ? quoted(body) : '"$BODY"'} | openssl dgst -sha256 -hmac "$${VARIABLES.webhookSecret}"`}</code>
          </pre>
          <pre class="wrap" tabindex={0} role="region" aria-label="In TypeScript" data-copy>
            <code>{`import { verify } from "svckit/webhooks";

const payload = verify({ body: rawBody, headers: request.headers, secret: process.env.${VARIABLES.webhookSecret} });`}</code>
          </pre>
          {VERIFY_SNIPPETS.map(({ language, text: code }) => (
            <details key={language}>
              <summary>{`In ${language}`}</summary>
              <pre tabindex={0} role="region" aria-label={`In ${language}`} data-copy>
                <code>{code}</code>
              </pre>
            </details>
          ))}
        </section>
      </div>
      <CommandsPanel commands={commandsOf(opsContext.origin, "GET", `${PATHS.deliveries}/${id}`)} />
    </>
  );
}
