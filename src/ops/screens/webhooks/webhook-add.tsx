/**
 * Adds a webhook in two steps: the first one checks the URL and shows the policy's verdict, the second one registers it. Readers get no
 * verdict, because the check queries name servers.
 */
import type { App, Entry } from "../../../index.ts";
import { OPS_PATH } from "../../operator-access.ts";
import type { OpsContext, Screens } from "../../ops-context.ts";
import { screen } from "../../screen.tsx";
import { urlVerdictText } from "../../views/url-verdict.ts";
import { EVENTS, type Draft } from "../../views/webhooks/webhook-draft.ts";
import { StepButton, StepForm } from "../parts.tsx";
import { DraftFields } from "./webhook-fields.tsx";

const HOOKS = `${OPS_PATH}/webhooks`;

interface AddData {
  draft: Draft;
  judgement: Awaited<ReturnType<App["webhooks"]["judge"]>> | undefined;
}

const EMPTY: Draft = { url: "", events: ["graph.done", "graph.failed"], description: "" };

export function webhookAddScreen(screens: Screens): Entry[] {
  return [
    screen<AddData>(screens, "/webhooks/add", {
      title: "Add a webhook",
      section: "Webhooks",
      load: async ({ app, ctx: { query }, visitor }) => {
        const url = query.get("url")?.trim() ?? "";
        if (url === "") return { draft: EMPTY, judgement: undefined };
        const events = EVENTS.filter((event) => query.has(event));
        const draft = { url, events, description: query.get("description") ?? "" };
        return { draft, judgement: visitor.role === "operator" ? await app.webhooks.judge(url) : undefined };
      },
      view: (data, opsContext) => <Add data={data} opsContext={opsContext} />,
    }),
  ];
}

function Add({ data: { draft, judgement }, opsContext }: { data: AddData; opsContext: OpsContext }) {
  return (
    <>
      <nav class="crumbs" aria-label="Breadcrumbs">
        <a href={HOOKS}>Webhooks</a>
      </nav>
      <h1>Add a webhook</h1>
      {judgement === undefined ? null : (
        <div class="notice" data-tone={judgement.ok ? "good" : "bad"} role={judgement.ok ? "status" : "alert"}>
          <p>{urlVerdictText(judgement)}</p>
        </div>
      )}
      {judgement?.ok === true ? <Confirm draft={draft} opsContext={opsContext} /> : null}
      <DraftForm draft={draft} opsContext={opsContext} isAgain={judgement !== undefined} />
    </>
  );
}

function Confirm({ draft, opsContext }: { draft: Draft; opsContext: OpsContext }) {
  const events = Object.fromEntries(draft.events.map((event) => [event, "1"]));
  const fields = { url: draft.url, description: draft.description, ...events };
  return (
    <StepForm opsContext={opsContext} action="/webhooks" fields={fields} class="stack panel">
      <p>
        <code>{draft.url}</code>
        {` receives ${draft.events.length === 0 ? "all events" : draft.events.join(", ")}.`}
      </p>
      <span class="buttons">
        <StepButton opsContext={opsContext} label="Add" tone="main" name="Add the webhook" />
      </span>
    </StepForm>
  );
}

interface DraftFormProps {
  draft?: Draft;
  opsContext: OpsContext;
  isAgain?: boolean;
}

/** This form changes nothing: it leads to the page with the verdict. */
export function DraftForm({ draft = EMPTY, opsContext, isAgain = false }: DraftFormProps) {
  return (
    <form method="get" action={`${HOOKS}/add`} class="stack panel">
      <DraftFields draft={draft} />
      <span class="buttons">
        <StepButton
          opsContext={opsContext}
          label={isAgain ? "Check again" : "Check the URL"}
          tone={isAgain ? undefined : "main"}
        />
      </span>
    </form>
  );
}
