/**
 * The webhook demo (docs/reference/http.md, section 6): a page with one button that sends a sample through the regular delivery path to
 * an inbox on this server, and shows what a receiver gets. Works without JavaScript: POST, 303, GET.
 */
import { decodeUtf8, requireLength, requireMediaType } from "../../platform/http/body/read-body.ts";
import { empty, html, json } from "../../platform/http/response/response.ts";
import type { Context, Result } from "../../platform/http/types.ts";
import { sleep } from "../../platform/shared/clock.ts";
import { SvcError } from "../../platform/shared/errors.ts";
import type { RateLimit } from "../../platform/security/rate-limits/rate-limit.ts";
import { PATHS } from "../../platform/shared/wire.ts";
import type { Config } from "../lifecycle/config.ts";
import { prefersHtml } from "../pipeline/error-page.ts";
import { DemoInbox, INBOX_BEHAVIOURS } from "./demo-inbox.ts";
import type { AppOptions } from "../options.ts";
import { redirect } from "../pipeline/outcome.ts";
import type { Endpoints, Services } from "../services.ts";
import { readForm, requireMutation, tokenFor } from "../pipeline/csrf-guard.ts";
import type { DeliveryDetail } from "../../webhooks/views.ts";
import { tooMany } from "../pipeline/rate-limits.ts";
import { demoPage, inboxPage } from "./demo-page.ts";
import { DemoWebhook } from "./demo-webhook.ts";

const MAX_INBOX_BYTES = 64 * 1024;
/** Time that the button waits for the delivery before the page says that it is being delivered. */
const PATIENCE_MS = 4000;
const SLOW_MS = 60_000;

/** Samples per minute: of one client, and of all. Each is a row in the database and a request to this server. */
const CLIENT_SENDS = 10;
const ALL_SENDS = 60;
/** The client of the limit over all clients. */
const EVERYBODY = "everybody";

/** The demo's form has a token and one choice. */
const MAX_FORM_BYTES = 4096;

export function isDemoOn(app: AppOptions, config: Config): boolean {
  return app.demo ?? config.exposes.demo;
}

/** URL of this process's inbox, the only address that is exempt from the SSRF rules. */
export function inboxUrl(ownUrl: string | undefined): string | undefined {
  return ownUrl && `${ownUrl}${PATHS.demoInbox}`;
}

/** The parts of the demo of one app. */
interface Demo {
  services: Services;
  webhook: DemoWebhook;
  inbox: DemoInbox;
  ofClient: RateLimit;
  ofAll: RateLimit;
}

export function demoEndpoints({ router, services }: Endpoints): void {
  const webhook = new DemoWebhook(services);
  const inbox = new DemoInbox(webhook.secret);
  const [ofClient, ofAll] = [services.limits.make("demo", CLIENT_SENDS), services.limits.make("demo-all", ALL_SENDS)];
  const demo: Demo = { services, webhook, inbox, ofClient, ofAll };
  router.add("GET", PATHS.demo, (ctx) => show(ctx, demo));
  router.add("POST", PATHS.demo, (ctx) => send(ctx, demo));
  router.add("GET", PATHS.demoInbox, (ctx) => list(ctx, demo));
  router.add("POST", PATHS.demoInbox, (ctx) => receive(ctx, demo));
}

/** Shows the delivery that the query names, to those who know its id: its sender. */
function list(ctx: Context, { services, inbox }: Demo): Result {
  const found = inbox.find(ctx.query.get("delivery") ?? "");
  const received = found ? [found] : [];
  return prefersHtml(ctx.header("accept"))
    ? html(inboxPage(received, { nonce: ctx.nonce, icon: services.icon }), 200, ["cache-control", "no-store"])
    : json({ received });
}

async function receive(ctx: Context, { services, inbox }: Demo): Promise<Result> {
  requireMediaType(ctx, ["application/json"]);
  requireLength(ctx, MAX_INBOX_BYTES);
  const body = decodeUtf8(await ctx.bytes(MAX_INBOX_BYTES));
  inbox.requireSignature(ctx, body, services.clock.now());
  const mood = inbox.moodOf(ctx);
  if (mood === "failing") return json({ error: "This receiver fails once." }, 500);
  if (mood === "redirecting") return { status: 302, headers: ["location", PATHS.demo], body: "" };
  if (mood === "slow") await untilGone(ctx, services);
  inbox.add(ctx, body, services.clock.now());
  return empty();
}

/** Longer than any attempt waits; a sender that gives up ends it. */
async function untilGone(ctx: Context, { clock, closing }: Services): Promise<void> {
  await sleep(clock, SLOW_MS, AbortSignal.any([ctx.signal, closing])).catch(() => undefined); // Over either way.
}

async function show(ctx: Context, { services, inbox }: Demo): Promise<Result> {
  const id = ctx.query.get("delivery") ?? undefined;
  const page = demoPage({
    nonce: ctx.nonce,
    icon: services.icon,
    csrfToken: tokenFor(ctx, services),
    deliveryId: id,
    received: id === undefined ? undefined : inbox.find(id),
    delivery: id !== undefined && inbox.hasSent(id) ? await knownDelivery(services, id) : undefined,
    hasSecret: services.config.webhookSecret !== undefined,
  });
  return html(page, 200, ["cache-control", "private, no-cache"]);
}

/** The webhook of the demo, and its deliveries, may have been removed. */
async function knownDelivery({ webhooks }: Services, id: string): Promise<DeliveryDetail | undefined> {
  try {
    return await webhooks.delivery(id);
  } catch (error) {
    if (error instanceof SvcError && error.code === "SVC_NOT_FOUND") return undefined;
    throw error;
  }
}

async function send(ctx: Context, { services, webhook, inbox, ofClient, ofAll }: Demo): Promise<never> {
  await requireRate(ofClient, ctx.clientIp);
  await requireMutation(ctx, services, { maxBytes: MAX_FORM_BYTES, limit: services.limits.ofForms });
  // A call with the token in its header may have no form.
  const form = ctx.header("content-type")?.includes("form") ? await readForm(ctx, MAX_FORM_BYTES) : undefined;
  const mood = INBOX_BEHAVIOURS.find((name) => name === form?.fields["receiver"]) ?? "well";
  const url = inboxUrl(services.ownUrl);
  if (url === undefined) {
    throw new SvcError(
      "SVC_UNAVAILABLE",
      "The demo sends requests to itself, so it needs a listening server. Start the app with app.start()",
    );
  }
  await requireRate(ofAll, EVERYBODY);
  const { delivery_id: id } = await services.webhooks.sendSample(await webhook.register(url));
  inbox.expect(id, mood);
  if (mood !== "slow") await attempt(id, ctx, services);
  redirect(`${PATHS.demo}?delivery=${id}`);
}

async function requireRate(limit: RateLimit, client: string): Promise<void> {
  const { isAllowed, headers } = await limit.take(client, PATHS.demo);
  if (!isAllowed) throw tooMany(headers, "Too many samples. Wait for the time in Retry-After");
}

/** Waits until the first attempt is recorded, not only received: otherwise the page would show a received delivery as not attempted. */
async function attempt(id: string, ctx: Context, { webhooks, changes, clock, closing }: Services): Promise<void> {
  const patience = new AbortController();
  const timer = clock.schedule(PATIENCE_MS, () => patience.abort());
  const over = AbortSignal.any([patience.signal, ctx.signal, closing]);
  let unfollow = (): void => {};
  await new Promise<void>((resolve, reject) => {
    const look = (): void => {
      const tried = webhooks.delivery(id).then(({ attempt_count: attempts }) => attempts > 0);
      tried.then((isTried) => (isTried ? resolve() : undefined), reject);
    };
    unfollow = changes.follow(look);
    over.addEventListener("abort", () => resolve(), { once: true });
    look();
  }).finally(() => {
    unfollow();
    timer.cancel();
  });
}
