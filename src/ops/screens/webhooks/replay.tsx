/** Previews of resending: one delivery with its complete request, or all failed deliveries of a webhook. The preview sends nothing. */
import type { App, Entry } from "../../../index.ts";
import { PATHS } from "../../../internal.ts";
import { OPS_PATH } from "../../operator-access.ts";
import { operatorRoute } from "../../operator-route.ts";
import type { OpsContext, Screens } from "../../ops-context.ts";
import { screen } from "../../screen.tsx";
import { commandsOf } from "../../views/cli-commands.ts";
import { urlVerdictText } from "../../views/url-verdict.ts";
import { eventsText, readinessText, requestText, spanOf, SPANS, type Span } from "../../views/webhooks/replay.ts";
import { bytesText, countText } from "../../views/format.ts";
import { Confirm, isConfirmed } from "../bulk/confirm.tsx";
import { DeliveriesTable } from "./deliveries-table.tsx";
import { CommandsPanel, Empty, StepButton, StepForm } from "../parts.tsx";

type Webhooks = App["webhooks"];
type One = Awaited<ReturnType<Webhooks["previewReplay"]>>;
type Many = Awaited<ReturnType<Webhooks["previewRecover"]>>;
/** Undefined for readers: the check queries name servers. */
type Judgement = Awaited<ReturnType<Webhooks["judge"]>> | undefined;

const OFF = "The webhook is disabled: enable it first";

export function replayScreens(screens: Screens): Entry[] {
  return [
    screen<{ preview: One; judgement: Judgement }>(screens, "/deliveries/:id/replay", {
      title: "Preview request",
      section: "Webhooks",
      load: async (opsContext) => {
        const preview = await opsContext.app.webhooks.previewReplay(opsContext.ctx.params["id"] ?? "");
        return { preview, judgement: await judged(opsContext, preview.webhook.url) };
      },
      view: ({ preview, judgement }, opsContext) => (
        <ResendOne preview={preview} judgement={judgement} opsContext={opsContext} />
      ),
    }),
    screen<{ preview: Many; judgement: Judgement; span: Span }>(screens, "/webhooks/:id/recover", {
      title: "Resend failed deliveries",
      section: "Webhooks",
      load: async (opsContext) => {
        const { app, ctx, nowMs } = opsContext;
        const span = spanOf(ctx.query.get("since"), nowMs);
        const preview = await app.webhooks.previewRecover(ctx.params["id"] ?? "", { since_ms: span.sinceMs });
        return { preview, span, judgement: await judged(opsContext, preview.webhook.url) };
      },
      view: (data, opsContext) => <ResendMany {...data} opsContext={opsContext} />,
    }),
    operatorRoute(screens, "/webhooks/:id/recover", async ({ app, params, fields, auditContext }) => {
      const id = params["id"] ?? "";
      const { since_ms: since = "", digest = "" } = fields;
      if (!isConfirmed(fields))
        return { tone: "bad", text: `Nothing was sent. Type ${fields["expected"]} to confirm.` };
      const { count } = await app.webhooks.recover(id, { since_ms: Number(since), digest });
      await app.operations.record("webhook.recover", id, auditContext, { count });
      return {
        tone: "good",
        text: `Resending ${countText(count)} ${count === 1 ? "delivery" : "deliveries"}.`,
        to: `${OPS_PATH}/webhooks/${id}`,
      };
    }),
  ];
}

async function judged({ app, visitor }: OpsContext, rawUrl: string): Promise<Judgement> {
  return visitor.role === "operator" ? app.webhooks.judge(rawUrl) : undefined;
}

interface VerdictsProps {
  preview: Pick<One, "webhook" | "breaker" | "open_until_ms">;
  judgement: Judgement;
  opsContext: OpsContext;
}

/** The target of the request, when it is sent, and whether the policy allows it. */
function Verdicts({ preview, judgement, opsContext }: VerdictsProps) {
  const when = readinessText(preview, opsContext.nowMs);
  return (
    <dl class="facts verdicts panel">
      <div>
        <dt>Target</dt>
        <dd>
          <a href={`${OPS_PATH}/webhooks/${preview.webhook.id}`}>
            <code>{preview.webhook.url}</code>
          </a>
        </dd>
      </div>
      <div>
        <dt>Sent</dt>
        <dd>
          <span class="state" data-tone={when.tone}>
            {when.word}
          </span>
          {when.text === "" ? null : <p class="note-whole">{when.text}</p>}
        </dd>
      </div>
      <div>
        <dt>Allowed</dt>
        <dd>
          {judgement === undefined ? null : (
            <span class="state" data-tone={judgement.ok ? "good" : "bad"}>
              {judgement.ok ? "yes" : "no"}
            </span>
          )}
          <p class="note-whole">
            {judgement === undefined
              ? "Only operators see this check, because it queries a name server."
              : urlVerdictText(judgement)}
          </p>
        </dd>
      </div>
    </dl>
  );
}

function ResendOne({ preview, judgement, opsContext }: { preview: One; judgement: Judgement; opsContext: OpsContext }) {
  const { delivery, webhook, request, attempt, is_signed: isSigned } = preview;
  const at = `${OPS_PATH}/deliveries/${delivery.id}`;
  return (
    <>
      <div class="stack-tight">
        <nav class="crumbs" aria-label="Breadcrumbs">
          <a href={`${OPS_PATH}/webhooks`}>Webhooks</a> <span aria-hidden="true">›</span>{" "}
          <a href={`${OPS_PATH}/webhooks/${webhook.id}`}>{new URL(webhook.url).host}</a>{" "}
          <span aria-hidden="true">›</span> <a href={at}>{delivery.event}</a>
        </nav>
        <h1>Preview request</h1>
        <p class="quiet">{`Attempt ${attempt} of ${delivery.id}. This preview sends nothing.`}</p>
      </div>
      <Verdicts preview={preview} judgement={judgement} opsContext={opsContext} />
      <StepForm
        opsContext={opsContext}
        action={`/deliveries/${delivery.id}/replay`}
        fields={{ list: at }}
        class="steps"
      >
        <label>
          Reason (recorded in the audit trail)
          <input name="note" maxlength={500} autocomplete="off" />
        </label>
        <StepButton opsContext={opsContext} label="Resend" tone="main" refusal={webhook.enabled ? undefined : OFF} />
        <a class="button" href={at}>
          Back
        </a>
      </StepForm>
      <section aria-labelledby="request">
        <div class="head">
          <h2 id="request">Request</h2>
          <p class="quiet">{`${bytesText(Buffer.byteLength(request.body))} body`}</p>
        </div>
        <pre class="wrap" tabindex={0} role="region" aria-label="Request" data-copy>
          <code>{requestText(preview, opsContext.visitor.role === "operator", opsContext.redact)}</code>
        </pre>
        <p class="quiet">
          {isSigned
            ? "These signatures are computed for this moment. Each attempt computes its own when it is sent."
            : "Not signed: neither the webhook nor the app has a secret."}
        </p>
      </section>
      <CommandsPanel commands={commandsOf(opsContext.origin, "POST", `${PATHS.deliveries}/${delivery.id}/replay`)} />
    </>
  );
}

interface ManyProps {
  preview: Many;
  judgement: Judgement;
  span: Span;
  opsContext: OpsContext;
}

function ResendMany({ preview, judgement, span, opsContext }: ManyProps) {
  const { webhook, count, since_ms: sinceMs } = preview;
  const at = `${OPS_PATH}/webhooks/${webhook.id}`;
  return (
    <>
      <div class="stack-tight">
        <nav class="crumbs" aria-label="Breadcrumbs">
          <a href={`${OPS_PATH}/webhooks`}>Webhooks</a> <span aria-hidden="true">›</span>{" "}
          <a href={at}>{new URL(webhook.url).host}</a>
        </nav>
        <h1>
          {count === 0 ? "Nothing to resend" : `Resend ${countText(count)} ${count === 1 ? "delivery" : "deliveries"}?`}
        </h1>
        <p class="quiet">Deliveries that failed permanently, each under its own ID. This preview sends nothing.</p>
      </div>
      <Spans chosen={span.name} at={`${at}/recover`} />
      <Verdicts preview={preview} judgement={judgement} opsContext={opsContext} />
      {count === 0 ? (
        <Empty title="No delivery failed permanently in that time">
          <p>
            Deliveries that svc still retries are not included. <a href={at}>Back to the webhook</a>
          </p>
        </Empty>
      ) : (
        <Chosen preview={preview} opsContext={opsContext} />
      )}
      <CommandsPanel
        commands={commandsOf(opsContext.origin, "POST", `${PATHS.webhooks}/${webhook.id}/recover`, undefined, {
          since_ms: sinceMs,
          digest: preview.digest,
        })}
      />
    </>
  );
}

function Spans({ chosen, at }: { chosen: string; at: string }) {
  return (
    <nav class="tabs" aria-label="Time range">
      {SPANS.map(([name, text]) => (
        <a href={`${at}?since=${name}`} aria-current={name === chosen ? "page" : undefined} key={name}>
          {text}
        </a>
      ))}
    </nav>
  );
}

function Chosen({ preview, opsContext }: { preview: Many; opsContext: OpsContext }) {
  const { webhook, count, events, deliveries, digest, since_ms: sinceMs } = preview;
  return (
    <>
      <Confirm
        opsContext={opsContext}
        action={`/webhooks/${webhook.id}/recover`}
        count={count}
        fields={{ since_ms: String(sinceMs), digest }}
        leaveHref={`${OPS_PATH}/webhooks/${webhook.id}`}
      >
        <StepButton
          opsContext={opsContext}
          label={`Resend ${countText(count)}`}
          tone="main"
          refusal={webhook.enabled ? undefined : OFF}
        />
      </Confirm>
      <section aria-labelledby="those">
        <div class="head">
          <h2 id="those">Deliveries to resend</h2>
          <p class="quiet">{eventsText(events)}</p>
        </div>
        <DeliveriesTable deliveries={deliveries} opsContext={opsContext} />
        {deliveries.length < count ? (
          <p class="quiet">{`Showing the newest ${countText(deliveries.length)} of ${countText(count)}.`}</p>
        ) : null}
      </section>
    </>
  );
}
