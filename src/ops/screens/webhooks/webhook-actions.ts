/** The buttons of a webhook: add, ping, enable, disable, rotate the secret. */
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
      const result = await run(given);
      await recordDone(given, `webhook.${name}`, given.params["id"] ?? "");
      return result;
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
        return { tone: "good", text: "The webhook is active.", to: `${HOOKS}/${registration.id}` };
      },
      LONG_FORM_BYTES,
    ),
    step("ping", async ({ app, params }) => {
      const { delivery_id: id } = await app.webhooks.ping(params["id"] ?? "");
      return { tone: "good", text: "The ping is queued.", to: `${OPS_PATH}/deliveries/${id}` };
    }),
    step("enable", async ({ app, params }) => {
      await app.webhooks.update(params["id"] ?? "", { enabled: true });
      return { tone: "good", text: "The webhook is enabled." };
    }),
    step("disable", async ({ app, params }) => {
      await app.webhooks.update(params["id"] ?? "", { enabled: false });
      return { tone: "good", text: "The webhook is disabled." };
    }),
    step("rotate", async ({ app, params }) => {
      const { secret: once } = await app.webhooks.rotateSecret(params["id"] ?? "", {});
      return {
        tone: "good",
        text: "The new secret. Deliveries are signed with it, and for 24 hours with the old one as well:",
        once,
      };
    }),
  ];
}

type Given = Parameters<Parameters<typeof operatorRoute>[2]>[0];

/** A failed audit entry does not fail the action: a new secret, for example, is shown only once. */
async function recordDone({ app, auditContext }: Given, operation: string, target: string): Promise<void> {
  try {
    await app.operations.record(operation, target, auditContext);
  } catch (err) {
    app.log.error({ err, operation, target }, "Failed to record an operator action in the audit trail");
  }
}
