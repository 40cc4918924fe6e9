/**
 * The webhook demo (contract section 6): a page with one button that sends the sample through the real delivery path to
 * an inbox on this very server, and shows what a receiver gets. Works without JavaScript: POST, 303, GET.
 */
import { decodeUtf8, requireLength, requireMediaType } from "../../http/body.ts";
import { empty, html, json } from "../../http/response.ts";
import type { Context, Result } from "../../http/types.ts";
import { SvcError } from "../../shared/errors.ts";
import { PATHS, WEBHOOK_EVENTS } from "../../shared/wire.ts";
import { prefersHtml } from "../error-page.ts";
import { Inbox } from "../inbox.ts";
import { redirect } from "../outcome.ts";
import type { Endpoints, Services } from "../services.ts";
import { requireMutation, tokenFor } from "../guard.ts";
import { demoPage, inboxPage } from "./demo-page.ts";

const MAX_INBOX_BYTES = 64 * 1024;
/** How long the button waits for the delivery before the page says that it is under way. */
const PATIENCE_MS = 4000;

/** URL of the inbox on this process; the one address that is exempt from the SSRF rules. */
export function inboxUrl(ownUrl: string | undefined): string | undefined {
  return ownUrl && `${ownUrl}${PATHS.demoInbox}`;
}

export function demoEndpoints({ router, services }: Endpoints): void {
  const inbox = new Inbox(services.config.webhookSecret);
  router.add("GET", PATHS.demo, (ctx) => show(ctx, services, inbox));
  router.add("POST", PATHS.demo, (ctx) => send(ctx, services, inbox));
  router.add("GET", PATHS.demoInbox, (ctx) =>
    prefersHtml(ctx.header("accept"))
      ? html(inboxPage(inbox.received, ctx.nonce), 200, ["cache-control", "no-store"])
      : json({ received: inbox.received }),
  );
  router.add("POST", PATHS.demoInbox, async (ctx) => {
    requireMediaType(ctx, ["application/json"]);
    requireLength(ctx, MAX_INBOX_BYTES);
    inbox.add(ctx, decodeUtf8(await ctx.bytes(MAX_INBOX_BYTES)), services.clock.now());
    return empty();
  });
}

function show(ctx: Context, services: Services, inbox: Inbox): Result {
  const id = ctx.query.get("delivery") ?? undefined;
  const page = demoPage({
    nonce: ctx.nonce,
    csrfToken: tokenFor(ctx, services),
    deliveryId: id,
    received: id === undefined ? undefined : inbox.find(id),
    hasSecret: services.config.webhookSecret !== undefined,
  });
  return html(page, 200, ["cache-control", "private, no-cache"]);
}

async function send(ctx: Context, services: Services, inbox: Inbox): Promise<never> {
  await requireMutation(ctx, services);
  const url = inboxUrl(services.ownUrl);
  if (url === undefined) {
    throw new SvcError("SVC_UNAVAILABLE", "The demo needs a server that listens: it sends a request to itself");
  }
  const { registration } = await services.webhooks.create({
    url,
    events: [...WEBHOOK_EVENTS],
    enabled: true,
    description: "Demo inbox",
  });
  const { delivery_id: id } = await services.webhooks.sendSample(registration.id);
  await arrival(id, ctx, services, inbox);
  redirect(`${PATHS.demo}?delivery=${id}`);
}

async function arrival(id: string, ctx: Context, { clock, closing }: Services, inbox: Inbox): Promise<void> {
  const patience = new AbortController();
  const timer = clock.schedule(PATIENCE_MS, () => patience.abort());
  await inbox.arrival(id, AbortSignal.any([patience.signal, ctx.signal, closing]));
  timer.cancel();
}
