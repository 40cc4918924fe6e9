/** Edits a webhook, or removes it after a preview of the consequences. */
import { SvcError, type App, type Entry } from "../../../index.ts";
import { OPS_PATH } from "../../operator-access.ts";
import { LONG_FORM_BYTES, operatorRoute } from "../../operator-route.ts";
import type { OpsContext, Screens } from "../../ops-context.ts";
import { screen } from "../../screen.tsx";
import { countText } from "../../views/format.ts";
import { changeOf, editDraftOf, editQuery, hasHeaders, type EditDraft } from "../../views/webhooks/webhook-draft.ts";
import { Confirm, isConfirmed } from "../bulk/confirm.tsx";
import { StepButton, StepForm } from "../parts.tsx";
import { DraftFields } from "./webhook-fields.tsx";

const HOOKS = `${OPS_PATH}/webhooks`;

type Hook = Awaited<ReturnType<App["webhooks"]["get"]>>;

interface EditData {
  hook: Hook;
  draft: EditDraft;
}

interface RemoveData {
  hook: Hook;
  pending: number;
}

export function webhookEditScreens(screens: Screens): Entry[] {
  return [
    screen<EditData>(screens, "/webhooks/:id/edit", {
      title: ({ hook }) => `Edit ${new URL(hook.url).host}`,
      section: "Webhooks",
      load: async ({ app, ctx: { params, query } }) => {
        const hook = await app.webhooks.get(params["id"] ?? "");
        return { hook, draft: query.has("edited") ? editDraftOf(Object.fromEntries(query)) : draftOf(hook) };
      },
      view: (data, opsContext) => <Edit data={data} opsContext={opsContext} />,
    }),
    screen<RemoveData>(screens, "/webhooks/:id/remove", {
      title: ({ hook }) => `Remove ${new URL(hook.url).host}`,
      section: "Webhooks",
      load: async ({ app, ctx }) => {
        const hook = await app.webhooks.get(ctx.params["id"] ?? "");
        const query = new URLSearchParams({ status: "pending", limit: "1" });
        return { hook, pending: (await app.webhooks.deliveries(query, hook.id)).total };
      },
      view: (data, opsContext) => <Remove data={data} opsContext={opsContext} />,
    }),
    editStep(screens),
    removeStep(screens),
  ];
}

function draftOf({ url, events, description, workers = [], ordered }: Hook): EditDraft {
  const kept = { url, events, description, workers: workers.join(", "), ordered: ordered === true };
  return { ...kept, dropsHeaders: false, note: "" };
}

function editStep(screens: Screens): Entry {
  return operatorRoute(
    screens,
    "/webhooks/:id/edit",
    async ({ app, params, fields, auditContext }) => {
      const id = params["id"] ?? "";
      try {
        await app.webhooks.update(id, changeOf(fields));
      } catch (error) {
        if (!(error instanceof SvcError) || error.status >= 500) throw error;
        // The form is refilled with what was typed, except headers: they may be credentials and must not be in a URL.
        const to = `${HOOKS}/${encodeURIComponent(id)}/edit?${editQuery(editDraftOf(fields)).toString()}`;
        const again = hasHeaders(fields) ? " Nothing was changed. Enter the headers again: they were not kept." : "";
        return { tone: "bad", text: error.message + again, to };
      }
      await app.operations.record("webhook.update", id, auditContext);
      return { tone: "good", text: "The webhook is updated. New deliveries use the changes.", to: `${HOOKS}/${id}` };
    },
    LONG_FORM_BYTES,
  );
}

function removeStep(screens: Screens): Entry {
  return operatorRoute(screens, "/webhooks/:id/remove", async ({ app, params, fields, auditContext }) => {
    const id = params["id"] ?? "";
    if (!isConfirmed(fields))
      return {
        tone: "bad",
        text: "Nothing was removed. Type the number of pending deliveries to confirm.",
        to: `${HOOKS}/${id}/remove`,
      };
    await app.webhooks.remove(id);
    await app.operations.record("webhook.remove", id, auditContext);
    return { tone: "good", text: "The webhook is removed.", to: HOOKS };
  });
}

function Crumbs({ hook }: { hook: Hook }) {
  return (
    <nav class="crumbs" aria-label="Breadcrumbs">
      <a href={HOOKS}>Webhooks</a> <span aria-hidden="true">›</span>{" "}
      <a href={`${HOOKS}/${hook.id}`}>{new URL(hook.url).host}</a>
    </nav>
  );
}

function Edit({ data: { hook, draft }, opsContext }: { data: EditData; opsContext: OpsContext }) {
  return (
    <>
      <Crumbs hook={hook} />
      <h1>{`Edit ${new URL(hook.url).host}`}</h1>
      <StepForm opsContext={opsContext} action={`/webhooks/${hook.id}/edit`} class="stack panel">
        <DraftFields draft={draft} />
        <label>
          Graphs or workers, separated by commas; empty: all
          <input name="workers" value={draft.workers} autocomplete="off" spellcheck={false} />
        </label>
        <label class="check">
          <input type="checkbox" name="ordered" value="1" checked={draft.ordered} /> In order: the deliveries of a graph
          arrive one after the other
        </label>
        <Headers names={hook.header_names ?? []} dropsHeaders={draft.dropsHeaders} />
        <label>
          Reason (recorded in the audit trail)
          <input name="note" value={draft.note} maxlength={500} autocomplete="off" />
        </label>
        <span class="buttons">
          <StepButton opsContext={opsContext} label="Save" tone="main" />
          <a class="button" href={`${HOOKS}/${hook.id}`}>
            Back
          </a>
        </span>
      </StepForm>
    </>
  );
}

/** Header values are never shown, because they may be credentials. */
function Headers({ names, dropsHeaders }: { names: readonly string[]; dropsHeaders: boolean }) {
  return (
    <>
      <label>
        {names.length === 0
          ? "Additional headers, one per line"
          : `Headers that replace ${names.join(", ")}, one per line; empty: unchanged`}
        <textarea name="headers" rows={3} placeholder="Authorization: Bearer …" autocomplete="off" spellcheck={false} />
      </label>
      {names.length === 0 ? null : (
        <label class="check">
          <input type="checkbox" name="no_headers" value="1" checked={dropsHeaders} /> Send no additional headers
        </label>
      )}
    </>
  );
}

function Remove({ data: { hook, pending }, opsContext }: { data: RemoveData; opsContext: OpsContext }) {
  return (
    <>
      <Crumbs hook={hook} />
      <h1>{`Remove ${new URL(hook.url).host}?`}</h1>
      <p>
        <code>{hook.url}</code>
        {pending === 0
          ? " will receive no more events. It has no pending deliveries."
          : ` will receive no more events. ${countText(pending)} pending ${pending === 1 ? "delivery" : "deliveries"} will not be sent.`}
      </p>
      <Confirm
        opsContext={opsContext}
        action={`/webhooks/${hook.id}/remove`}
        count={pending}
        fields={{}}
        leaveHref={`${HOOKS}/${hook.id}`}
      >
        <StepButton opsContext={opsContext} label="Remove" tone="bad" />
      </Confirm>
    </>
  );
}
