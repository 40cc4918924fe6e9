/** What an operator does with a webhook by a button: add, ping, switch on and off, give a new secret. */
import type { Entry } from "../../../index.ts";
import type { Json } from "../../../graph.ts";
import { OPS_PATH } from "../../operator-access.ts";
import { LONG_FORM_BYTES, operatorRoute } from "../../operator-route.ts";
import type { Screens } from "../../ops-context.ts";
import { EVENTS } from "../../views/webhooks/webhook-draft.ts";

const HOOKS = `${OPS_PATH}/webhooks`;

export function webhookSteps(screens: Screens): Entry[] {
  const step = (name: string, run: Parameters<typeof operatorRoute>[2]) =>
    operatorRoute(screens, `/webhooks/:id/${name}`, async (given) => {
      const flash = await run(given);
      await recordDone(given, `webhook.${name}`, given.params["id"] ?? "");
      return flash;
    });
  return [
    operatorRoute(
      screens,
      "/webhooks",
      async (given) => {
        const { app, fields } = given;
        const events = EVENTS.filter((event) => fields[event] !== undefined);
        const body: Json = { url: fields["url"] ?? "", events, description: fields["description"] ?? "" };
        const { registration, created } = await app.webhooks.create(body);
        await recordDone(given, created ? "webhook.create" : "webhook.update", registration.id);
        return { tone: "good", text: "It is told from now on.", to: `${HOOKS}/${registration.id}` };
      },
      LONG_FORM_BYTES,
    ),
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

type Given = Parameters<Parameters<typeof operatorRoute>[2]>[0];

/** What is done is told though the trail can't be written: a new secret is shown once. */
async function recordDone({ app, auditContext }: Given, operation: string, target: string): Promise<void> {
  try {
    await app.operations.record(operation, target, auditContext);
  } catch (err) {
    app.log.error({ err, operation, target }, "What an operator has done could not be written into the audit trail");
  }
}
