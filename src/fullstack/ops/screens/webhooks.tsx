/** Webhooks: who is told of what, whether it arrives, what was sent; add, ping, switch off, change the secret, send again. */
import { PATHS, type Entry } from "../../../index.ts";
import type { Json } from "../../../graph.ts";
import { OPS_PATH } from "../access.ts";
import { operatorRoute } from "../operator-route.ts";
import type { Look, Screens } from "../look.ts";
import { screen } from "../screen.tsx";
import { commandsOf } from "../views/commands.ts";
import { shareText } from "../views/text.ts";
import { DeliveriesTable, type DeliveryView } from "./deliveries.tsx";
import { CommandsPanel, Empty, StepButton, StepForm, Time } from "./parts.tsx";
import { DraftForm, EVENTS, webhookAddScreen } from "./webhook-add.tsx";
import { Heads } from "./heads.tsx";

const HOOKS = `${OPS_PATH}/webhooks`;
const LAST = 20;
const DAY_MS = 86_400_000;

type Webhooks = Look["app"]["webhooks"];
type Hook = Awaited<ReturnType<Webhooks["get"]>>;

interface HookRow {
  hook: Hook;
  /** Of the last day. */
  delivered: number;
  failed: number;
  pending: number;
}

interface HooksData {
  rows: HookRow[];
  deliveries: DeliveryView[];
}

interface HookData extends HookRow {
  deliveries: DeliveryView[];
}

export function webhookScreens(screens: Screens): Entry[] {
  return [
    screen<HooksData>(screens, "/webhooks", {
      title: "Webhooks",
      section: "Webhooks",
      load: loadHooks,
      follows: () => ["webhooks"],
      isUnderWay: ({ rows }) => rows.some(({ pending }) => pending > 0),
      view: (data, look) => <HooksList data={data} look={look} />,
    }),
    screen<HookData>(screens, "/webhooks/:id", {
      title: ({ hook }) => new URL(hook.url).host,
      section: "Webhooks",
      load: async ({ ctx, app, nowMs }) => {
        const hook = await app.webhooks.get(ctx.params["id"] ?? "");
        const { deliveries } = await app.webhooks.deliveries(new URLSearchParams({ limit: String(LAST) }), hook.id);
        return { ...(await withCounts(app.webhooks, hook, nowMs)), deliveries };
      },
      follows: () => ["webhooks"],
      isUnderWay: ({ pending }) => pending > 0,
      view: (data, look) => <HookScreen data={data} look={look} />,
    }),
    ...webhookAddScreen(screens),
    ...steps(screens),
  ];
}

async function loadHooks({ app, nowMs }: Look): Promise<HooksData> {
  const { webhooks } = app;
  const [list, { deliveries }] = await Promise.all([
    webhooks.list(new URLSearchParams({ limit: "100" })),
    webhooks.deliveries(new URLSearchParams({ limit: String(LAST) })),
  ]);
  return { rows: await Promise.all(list.webhooks.map((hook) => withCounts(webhooks, hook, nowMs))), deliveries };
}

async function withCounts(webhooks: Webhooks, hook: Hook, nowMs: number): Promise<HookRow> {
  const count = async (status: string): Promise<number> => {
    const query = { status, since_ms: String(nowMs - DAY_MS), limit: "1" };
    return (await webhooks.deliveries(new URLSearchParams(query), hook.id)).total;
  };
  const [delivered, failed, pending] = await Promise.all([count("delivered"), count("failed"), count("pending")]);
  return { hook, delivered, failed, pending };
}

function steps(screens: Screens): Entry[] {
  const step = (name: string, run: Parameters<typeof operatorRoute>[2]) =>
    operatorRoute(screens, `/webhooks/:id/${name}`, async (given) => {
      const told = await run(given);
      await given.app.operations.record(`webhook.${name}`, given.params["id"] ?? "", given.steering);
      return told;
    });
  return [
    operatorRoute(screens, "/webhooks", async ({ app, fields, steering }) => {
      const events = EVENTS.filter((event) => fields[event] !== undefined);
      const body: Json = { url: fields["url"] ?? "", events, description: fields["description"] ?? "" };
      const { registration, created } = await app.webhooks.create(body);
      await app.operations.record(created ? "webhook.create" : "webhook.update", registration.id, steering);
      return { tone: "good", text: "It is told from now on.", to: `${HOOKS}/${registration.id}` };
    }),
    step("ping", async ({ app, params }) => {
      const { delivery_id: id } = await app.webhooks.ping(params["id"] ?? "");
      return { tone: "good", text: "A ping is on its way.", to: `${OPS_PATH}/deliveries/${id}` };
    }),
    step("enable", async ({ app, params }) => {
      await app.webhooks.update(params["id"] ?? "", { enabled: true });
      return { tone: "good", text: "It is told again." };
    }),
    step("disable", async ({ app, params }) => {
      await app.webhooks.update(params["id"] ?? "", { enabled: false });
      return { tone: "good", text: "It is told nothing until it is enabled." };
    }),
    step("remove", async ({ app, params }) => {
      await app.webhooks.remove(params["id"] ?? "");
      return { tone: "good", text: "It is gone.", to: HOOKS };
    }),
    step("rotate", async ({ app, params }) => {
      const { secret: once } = await app.webhooks.rotateSecret(params["id"] ?? "", {});
      return {
        tone: "good",
        text: "The new secret, which signs from now on; the old one signs beside it for 24 hours:",
        once,
      };
    }),
  ];
}

function HooksList({ data: { rows, deliveries }, look }: { data: HooksData; look: Look }) {
  return (
    <>
      <div class="title">
        <h1>Webhooks</h1>
        <p class="links">
          <a href={`${OPS_PATH}/deliveries`}>All deliveries</a>
        </p>
      </div>
      {rows.length === 0 ? (
        <Empty title="Nobody is told yet">
          <p>A webhook is a URL that hears of graphs that are done, have failed or are paused. Add one below.</p>
        </Empty>
      ) : (
        <div class="scroll" data-live="hooks">
          <HooksTable rows={rows} look={look} />
        </div>
      )}
      <section aria-labelledby="latest">
        <h2 id="latest">Latest deliveries</h2>
        <div data-live="deliveries">
          <DeliveriesTable deliveries={deliveries} look={look} />
        </div>
      </section>
      <section aria-labelledby="add">
        <h2 id="add">Add a webhook</h2>
        <DraftForm look={look} />
      </section>
      <CommandsPanel commands={commandsOf(look.origin, "GET", PATHS.webhooks)} />
    </>
  );
}

function stateOf({ enabled, state, disabled_reason: reason }: Hook): { tone: string; word: string } {
  if (reason === "gone") return { tone: "bad", word: "disabled: its receiver is gone" };
  if (reason === "failing") return { tone: "bad", word: "disabled after 120 h of failures" };
  if (!enabled) return { tone: "held", word: "off" };
  return state === "failing" ? { tone: "warn", word: "failing" } : { tone: "good", word: "active" };
}

function HooksTable({ rows, look }: { rows: readonly HookRow[]; look: Look }) {
  return (
    <table>
      <Heads
        columns={[
          "Receiver",
          "State",
          "Hears of",
          ["Arrived, 24 h", "number"],
          ["Waiting", "number"],
          "Signed",
          ["Steps", "steps"],
        ]}
      />
      <tbody>
        {rows.map(({ hook, delivered, failed, pending }) => (
          <tr key={hook.id}>
            <th scope="row" data-label="Receiver">
              <a href={`${HOOKS}/${hook.id}`} data-row>
                {new URL(hook.url).host}
              </a>
              <p class="note">{hook.description === "" ? new URL(hook.url).pathname : hook.description}</p>
            </th>
            <td data-label="State">
              <span class="state" data-tone={stateOf(hook).tone}>
                {stateOf(hook).word}
              </span>
            </td>
            <td data-label="Hears of">{hook.events.join(", ")}</td>
            <td data-label="Arrived" class="number">
              {delivered + failed === 0 ? "–" : `${shareText(delivered, delivered + failed)} of ${delivered + failed}`}
            </td>
            <td data-label="Waiting" class="number">
              {pending}
            </td>
            <td data-label="Signed">{hook.secret_set ? "yes" : "no secret"}</td>
            <td data-label="">
              <StepForm look={look} action={`/webhooks/${hook.id}/ping`} class="actions">
                <StepButton
                  look={look}
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

function HookScreen({ data: { hook, delivered, failed, pending, deliveries }, look }: { data: HookData; look: Look }) {
  const at = `/webhooks/${hook.id}`;
  const off = hook.enabled ? undefined : "It is off: enable it first";
  return (
    <>
      <div class="stack-tight">
        <nav class="crumbs" aria-label="Where this belongs">
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
            <dt>Hears of</dt>
            <dd>{hook.events.join(", ")}</dd>
          </div>
          <div>
            <dt>Of</dt>
            <dd>{hook.workers?.join(", ") ?? "all graphs"}</dd>
          </div>
          <div>
            <dt>Last 24 h</dt>
            <dd>{`${delivered} arrived, ${failed} failed, ${pending} waiting`}</dd>
          </div>
          <div>
            <dt>Signed</dt>
            <dd>{hook.secret_set ? "yes" : "no: no secret is set"}</dd>
          </div>
          <div>
            <dt>Added</dt>
            <dd>
              <Time ms={hook.created_ms} look={look} />
            </dd>
          </div>
        </dl>
      </div>
      <StepForm look={look} action={`${at}/ping`} class="steps">
        <label>
          Why (kept in the audit trail)
          <input name="note" maxlength={500} autocomplete="off" />
        </label>
        <StepButton look={look} label="Ping" refusal={off} />
        <StepButton
          look={look}
          label={hook.enabled ? "Switch off" : "Enable"}
          action={`${at}/${hook.enabled ? "disable" : "enable"}`}
        />
        <StepButton look={look} label="New secret" action={`${at}/rotate`} />
        <a class="button" href={`${OPS_PATH}${at}/recover`}>
          Send what failed again…
        </a>
        <StepButton look={look} label="Remove" action={`${at}/remove`} tone="bad" />
      </StepForm>
      <section aria-labelledby="deliveries">
        <div class="head">
          <h2 id="deliveries">Deliveries</h2>
          <a href={`${OPS_PATH}/deliveries?webhook=${hook.id}`}>All of this webhook</a>
        </div>
        <div data-live="deliveries">
          <DeliveriesTable deliveries={deliveries} look={look} />
        </div>
      </section>
      <CommandsPanel commands={commandsOf(look.origin, "GET", `${PATHS.webhooks}/${hook.id}`)} />
    </>
  );
}
