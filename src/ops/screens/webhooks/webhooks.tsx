/** Webhooks: who is told of what, whether it arrives and how soon it is answered. */
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
/** Each has its latest answers read, a hundred deliveries of them, at every look. */
const PAGE = "25";
const LAST = 20;

interface HooksData {
  rows: Receiver[];
  /** Registered in all. */
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
          {opsContext.app.hasDemo ? <a href={PATHS.demoInbox}>Inbox of the demo</a> : null}
        </p>
      </div>
      {rows.length === 0 ? (
        <Empty title="Nobody is told yet">
          <p>A webhook is a URL that hears of graphs that are done, have failed or are paused. Add one below.</p>
        </Empty>
      ) : (
        <div data-live="hooks">
          <div class="scroll">
            <HooksTable rows={rows} opsContext={opsContext} />
          </div>
          {total > rows.length ? (
            <Pager
              href={next === null ? undefined : `${HOOKS}?${new URLSearchParams({ cursor: next }).toString()}`}
              text={`${countText(rows.length)} of ${countText(total)}, those first that are here longest`}
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
          "Hears of",
          ["Arrived, 24 h", "number"],
          "Last answer",
          ["Median, 99 %", "number"],
          ["Waiting", "number"],
          ["Steps", "steps"],
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
              {hook.secret_set ? null : <p class="note">not signed: no secret is set</p>}
            </td>
            <td data-label="Hears of">{hook.events.join(", ")}</td>
            <td data-label="Arrived" class="number">
              {delivered + failed === 0 ? "–" : `${shareText(delivered, delivered + failed)} of ${delivered + failed}`}
            </td>
            <td data-label="Last answer">
              <LastResponseText figures={figures} opsContext={opsContext} />
            </td>
            <td data-label="Median, 99 %" class="number">
              {latencyText(figures)}
            </td>
            <td data-label="Waiting" class="number">
              {pending}
            </td>
            <td data-label="">
              <StepForm opsContext={opsContext} action={`/webhooks/${hook.id}/ping`} class="actions">
                <StepButton
                  opsContext={opsContext}
                  label="Ping"
                  name={`Ping ${new URL(hook.url).host}`}
                  refusal={hook.enabled ? undefined : "It is off: enable it first"}
                />
              </StepForm>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
