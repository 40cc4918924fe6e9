/** Webhooks: their events, success rates and response times. */
import type { Entry } from "../../../index.ts";
import { PATHS } from "../../../internal.ts";
import { OPS_PATH } from "../../operator-access.ts";
import type { OpsContext, Screens } from "../../ops-context.ts";
import { screen } from "../../screen.tsx";
import { commandsOf } from "../../views/cli-commands.ts";
import { latencyText, receiversOf, stateOf, type Receiver } from "../../views/webhooks/receiver.ts";
import { countText, shareText } from "../../views/format.ts";
import { DeliveriesTable, type DeliveryView } from "./deliveries-table.tsx";
import { Heads } from "../table-head.tsx";
import { LastResponseText } from "./last-response.tsx";
import { CommandsPanel, Empty, Pager, StepButton, StepForm } from "../parts.tsx";
import { DraftForm, webhookAddScreen } from "./webhook-add.tsx";
import { webhookEditScreens } from "./webhook-edit.tsx";
import { webhookSteps } from "./webhook-actions.ts";
import { webhookScreen } from "./webhook.tsx";

const HOOKS = `${OPS_PATH}/webhooks`;
/** Each row costs a read of its latest deliveries, up to a hundred. */
const PAGE = "25";
const LAST = 20;

interface HooksData {
  rows: Receiver[];
  /** Number of all webhooks. */
  total: number;
  next: string | null;
  deliveries: DeliveryView[];
}

export function webhookScreens(screens: Screens): Entry[] {
  return [
    screen<HooksData>(screens, "/webhooks", {
      title: "Webhooks",
      section: "Webhooks",
      load: loadHooks,
      follows: () => ["webhooks"],
      isActive: ({ rows }) => rows.some(({ pending }) => pending > 0),
      view: (data, opsContext) => <HooksList data={data} opsContext={opsContext} />,
    }),
    ...webhookAddScreen(screens),
    ...webhookEditScreens(screens),
    webhookScreen(screens),
    ...webhookSteps(screens),
  ];
}

async function loadHooks({ app, ctx, nowMs }: OpsContext): Promise<HooksData> {
  const { webhooks } = app;
  const cursor = ctx.query.get("cursor");
  const [{ webhooks: hooks, total, next_cursor: next }, { deliveries }] = await Promise.all([
    webhooks.list(new URLSearchParams({ limit: PAGE, ...(cursor && { cursor }) })),
    webhooks.deliveries(new URLSearchParams({ limit: String(LAST) })),
  ]);
  return { rows: await receiversOf(webhooks, hooks, nowMs), total, next, deliveries };
}

function HooksList({
  data: { rows, total, next, deliveries },
  opsContext,
}: {
  data: HooksData;
  opsContext: OpsContext;
}) {
  return (
    <>
      <div class="title">
        <h1>Webhooks</h1>
        <p class="links">
          <a href={`${OPS_PATH}/deliveries`}>All deliveries</a>
          {opsContext.app.hasDemo ? <a href={PATHS.demo}>Webhook demo</a> : null}
        </p>
      </div>
      {rows.length === 0 ? (
        <Empty title="No webhooks yet">
          <p>A webhook is a URL that svc notifies when a run is done, fails or is paused. Add one below.</p>
        </Empty>
      ) : (
        <div data-live="hooks">
          <div class="scroll">
            <HooksTable rows={rows} opsContext={opsContext} />
          </div>
          {total > rows.length ? (
            <Pager
              href={next === null ? undefined : `${HOOKS}?${new URLSearchParams({ cursor: next }).toString()}`}
              text={`${countText(rows.length)} of ${countText(total)}, oldest first`}
              label="Newer"
            />
          ) : null}
        </div>
      )}
      <section aria-labelledby="latest">
        <h2 id="latest">Latest deliveries</h2>
        <div data-live="deliveries">
          <DeliveriesTable
            deliveries={deliveries}
            opsContext={opsContext}
            hosts={new Map(rows.map(({ hook }) => [hook.id, new URL(hook.url).host]))}
          />
        </div>
      </section>
      <section aria-labelledby="add">
        <h2 id="add">Add a webhook</h2>
        <DraftForm opsContext={opsContext} />
      </section>
      <CommandsPanel commands={commandsOf(opsContext.origin, "GET", PATHS.webhooks)} />
    </>
  );
}

function HooksTable({ rows, opsContext }: { rows: readonly Receiver[]; opsContext: OpsContext }) {
  return (
    <table>
      <Heads
        columns={[
          "Receiver",
          "State",
          "Events",
          ["Delivered, 24 h", "number"],
          "Last response",
          ["Median, p99", "number"],
          ["Pending", "number"],
          ["Actions", "steps"],
        ]}
      />
      <tbody>
        {rows.map(({ hook, delivered, failed, pending, figures }) => (
          <tr key={hook.id}>
            <th scope="row" data-label="Receiver">
              <a href={`${HOOKS}/${hook.id}`} data-row>
                {new URL(hook.url).host}
              </a>
              <p class="note">{hook.description === "" ? new URL(hook.url).pathname : hook.description}</p>
            </th>
            <td data-label="State">
              <span class="state long" data-tone={stateOf(hook).tone}>
                {stateOf(hook).word}
              </span>
              {hook.secret_set ? null : <p class="note">not signed, because no secret is set</p>}
            </td>
            <td data-label="Events">{hook.events.join(", ")}</td>
            <td data-label="Delivered" class="number">
              {delivered + failed === 0 ? "–" : `${shareText(delivered, delivered + failed)} of ${delivered + failed}`}
            </td>
            <td data-label="Last response">
              <LastResponseText figures={figures} opsContext={opsContext} />
            </td>
            <td data-label="Median, p99" class="number">
              {latencyText(figures)}
            </td>
            <td data-label="Pending" class="number">
              {pending}
            </td>
            <td data-label="">
              <StepForm opsContext={opsContext} action={`/webhooks/${hook.id}/ping`} class="actions">
                <StepButton
                  opsContext={opsContext}
                  label="Ping"
                  name={`Ping ${new URL(hook.url).host}`}
                  refusal={hook.enabled ? undefined : "The webhook is disabled: enable it first"}
                />
              </StepForm>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
