/** One webhook: its events, response times, latest deliveries, and actions. */
import { notFound, type Entry } from "../../../index.ts";
import { PATHS } from "../../../internal.ts";
import { OPS_PATH } from "../../operator-access.ts";
import type { OpsContext, Screens } from "../../ops-context.ts";
import { screen } from "../../screen.tsx";
import { commandsOf } from "../../views/cli-commands.ts";
import { latencyText, receiversOf, stateOf, type Receiver } from "../../views/webhooks/receiver.ts";
import { DeliveriesTable, type Answers, type DeliveryView } from "./deliveries-table.tsx";
import { LastResponseText } from "./last-response.tsx";
import { CommandsPanel, StepButton, StepForm, Time } from "../parts.tsx";

const HOOKS = `${OPS_PATH}/webhooks`;
const LAST = "20";

interface HookData extends Receiver {
  deliveries: DeliveryView[];
  answers: Answers;
}

export function webhookScreen(screens: Screens): Entry {
  return screen<HookData>(screens, "/webhooks/:id", {
    title: ({ hook }) => new URL(hook.url).host,
    section: "Webhooks",
    load: async ({ ctx, app, nowMs }) => {
      const hook = await app.webhooks.get(ctx.params["id"] ?? "");
      const { deliveries } = await app.webhooks.deliveries(new URLSearchParams({ limit: LAST }), hook.id);
      const answers = await app.webhooks.lastAnswers(deliveries.map(({ id }) => id));
      const [receiver = notFound("The webhook was just removed")] = await receiversOf(app.webhooks, [hook], nowMs);
      return { ...receiver, deliveries, answers };
    },
    follows: () => ["webhooks"],
    isActive: ({ pending }) => pending > 0,
    view: (data, opsContext) => <HookScreen data={data} opsContext={opsContext} />,
  });
}

function HookScreen({ data, opsContext }: { data: HookData; opsContext: OpsContext }) {
  const { hook, delivered, failed, pending, figures, deliveries, answers } = data;
  const at = `/webhooks/${hook.id}`;
  const off = hook.enabled ? undefined : "The webhook is disabled: enable it first";
  return (
    <>
      <div class="stack-tight" data-live="facts">
        <nav class="crumbs" aria-label="Breadcrumbs">
          <a href={HOOKS}>Webhooks</a>
        </nav>
        <div class="title">
          <h1>{new URL(hook.url).host}</h1>
          <span class="state" data-tone={stateOf(hook).tone}>
            {stateOf(hook).word}
          </span>
        </div>
        <p>
          <code>{hook.url}</code>
        </p>
        <dl class="facts">
          <div>
            <dt>Events</dt>
            <dd>{hook.events.join(", ")}</dd>
          </div>
          <div>
            <dt>Graphs</dt>
            <dd>{hook.workers?.join(", ") ?? "all graphs"}</dd>
          </div>
          <div>
            <dt>Last 24 h</dt>
            <dd>{`${delivered} delivered, ${failed} failed, ${pending} pending`}</dd>
          </div>
          <div>
            <dt>Last response</dt>
            <dd>
              <LastResponseText figures={figures} opsContext={opsContext} />
            </dd>
          </div>
          <div>
            <dt>Median, p99</dt>
            <dd>{latencyText(figures)}</dd>
          </div>
          <div>
            <dt>Signed</dt>
            <dd>{hook.secret_set ? "yes" : "no, because no secret is set"}</dd>
          </div>
          <div>
            <dt>Added</dt>
            <dd>
              <Time ms={hook.created_ms} opsContext={opsContext} />
            </dd>
          </div>
        </dl>
      </div>
      <div data-live="steps">
        <StepForm opsContext={opsContext} action={`${at}/ping`} class="steps" isByButton>
          <label>
            Reason (recorded in the audit trail)
            <input name="note" maxlength={500} autocomplete="off" />
          </label>
          <StepButton opsContext={opsContext} label="Ping" refusal={off} />
          <StepButton
            opsContext={opsContext}
            label={hook.enabled ? "Disable" : "Enable"}
            action={`${at}/${hook.enabled ? "disable" : "enable"}`}
          />
          <StepButton opsContext={opsContext} label="New secret" action={`${at}/rotate`} />
          <a class="button" href={`${OPS_PATH}${at}/recover`}>
            Resend failed deliveries…
          </a>
          <a class="button" href={`${OPS_PATH}${at}/edit`}>
            Edit…
          </a>
          <a class="button" data-tone="bad" href={`${OPS_PATH}${at}/remove`}>
            Remove…
          </a>
        </StepForm>
      </div>
      <section aria-labelledby="deliveries">
        <div class="head">
          <h2 id="deliveries">Deliveries</h2>
          <a href={`${OPS_PATH}/deliveries?webhook=${hook.id}`}>All deliveries of this webhook</a>
        </div>
        <div data-live="deliveries">
          <DeliveriesTable deliveries={deliveries} opsContext={opsContext} answers={answers} />
        </div>
      </section>
      <CommandsPanel commands={commandsOf(opsContext.origin, "GET", `${PATHS.webhooks}/${hook.id}`)} />
    </>
  );
}
