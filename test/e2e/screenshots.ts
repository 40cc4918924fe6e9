/**
 * `npm run screenshots`: pictures of every operator screen, with data of the sample app, in docs/images/ops/. Review them before
 * committing: this command keeps the screens presentable.
 */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import type { App, Clock } from "svckit";
import { systemClock } from "svckit/graph";
import type { Origin } from "svckit/graph";
import { createReceiver, type Receiver } from "svckit/testing";
import { OPERATOR_KEY, opsSample, orderInput, runTo, until } from "../contract/ops-app.ts";
import { launchBrowser } from "./browser.ts";
import { root } from "./demo-server.ts";

const target = join(root, "docs/images/ops");
/** The limit for all pictures together, as in the documentation. */
const MOST_BYTES = 1_500_000;

const HEIGHT = 900;

interface Shot {
  name: string;
  path: string;
  /** Default 1280. */
  width?: number;
  /** Default light. */
  scheme?: "light" | "dark";
  /** Actions before the picture is taken. */
  before?: (page: Page) => Promise<void>;
  /** Whether the app requires a key. */
  isLocked?: boolean;
}

interface Ids {
  failed: string;
  waiting: string;
  done: string;
  report: string;
  delivery: string;
  hook: string;
  paused: string;
  /** A webhook whose deliveries failed permanently. */
  failing: string;
}

function shots({ failed, waiting, done, report, delivery, hook, paused, failing }: Ids): Shot[] {
  return [
    { name: "overview", path: "" },
    { name: "overview-dark", path: "", scheme: "dark" },
    { name: "overview-narrow", path: "", width: 360 },
    { name: "runs", path: "/runs" },
    { name: "runs-filtered", path: "/runs?status=failed&since=1h" },
    { name: "runs-none", path: "/runs?worker=nobody" },
    { name: "runs-narrow-dark", path: "/runs", width: 360, scheme: "dark" },
    { name: "runs-many", path: "/runs/bulk?status=failed&which=all&step=retry" },
    { name: "runs-held", path: "/runs/bulk?tag=wholesale&which=all&step=pause", before: confirm("Pause 1") },
    { name: "run-failed", path: `/runs/${failed}?node=charge&tab=error` },
    { name: "run-failed-dark", path: `/runs/${failed}?node=charge`, scheme: "dark" },
    { name: "run-waiting", path: `/runs/${waiting}` },
    { name: "run-paused", path: `/runs/${paused}` },
    { name: "run-retried", path: `/runs/${done}?node=charge&tab=attempts` },
    { name: "run-events", path: `/runs/${done}?view=events` },
    { name: "run-files", path: `/runs/${report}?tab=artifacts` },
    { name: "run-narrow", path: `/runs/${done}`, width: 360 },
    { name: "compare", path: `/runs/compare?run=${done}&with=${failed}&node=charge` },
    { name: "queues", path: "/queues" },
    { name: "schedules", path: "/schedules" },
    { name: "webhooks", path: "/webhooks" },
    { name: "webhooks-dark", path: "/webhooks", scheme: "dark" },
    { name: "webhook", path: `/webhooks/${hook}` },
    { name: "webhook-recover", path: `/webhooks/${failing}/recover` },
    { name: "deliveries", path: "/deliveries" },
    { name: "webhook-edit", path: `/webhooks/${hook}/edit` },
    { name: "delivery", path: `/deliveries/${delivery}` },
    { name: "delivery-dark", path: `/deliveries/${delivery}`, scheme: "dark" },
    { name: "delivery-again", path: `/deliveries/${delivery}/replay` },
    { name: "workers", path: "/workers" },
    { name: "audit", path: "/audit" },
    { name: "settings", path: "/settings" },
    { name: "go-to", path: "/queues", before: openPalette },
    { name: "sign-in", path: "", isLocked: true },
  ];
}

function confirm(button: string): (page: Page) => Promise<void> {
  return async (page) => {
    await page.getByRole("button", { name: button }).click();
    await page.getByRole("button", { name: "Undo" }).waitFor();
  };
}

async function openPalette(page: Page): Promise<void> {
  await page.getByRole("link", { name: "Go to…" }).click();
  await page.getByRole("option", { name: "Overview", exact: true, selected: true }).waitFor();
}

/** How far the app's clock is behind. */
let backMs = 0;
const clock: Clock = {
  now: () => Date.now() - backMs,
  elapsed: () => systemClock.elapsed(),
  schedule: (delayMs, run) => systemClock.schedule(delayMs, run),
};
/** The number of orders in each two minutes of the last hour: quiet at first, then a rush. */
const RUSH = [1, 0, 1, 2, 1, 2, 3, 2, 4, 3, 5, 6, 4, 7, 6, 5, 7, 4, 5, 3, 4, 2, 3, 3, 2, 1, 2, 1, 2, 1];

/** Starts orders as the shop's page would. */
const ORDERED: Origin = { kind: "action", name: "placeOrder" };

async function hourBefore(app: App): Promise<void> {
  let number = 100;
  for (const [at, count] of RUSH.entries()) {
    backMs = (RUSH.length - at) * 2 * 60_000;
    const begun = Array.from({ length: count }, () =>
      app.engine.start("order", orderInput(number++), { tags: ["web"], origin: ORDERED }),
    );
    if (at % 5 === 0)
      begun.push(app.engine.start("nightly-report", null, { origin: { kind: "schedule", name: "nightly" } }));
    await Promise.all(begun);
    await app.engine.idle();
  }
  backMs = 0;
}

/** A typical morning of an app. */
async function live(app: App, url: string, receiver: Receiver): Promise<Ids> {
  await hourBefore(app);
  const { registration } = await app.webhooks.create({
    url: `${url}/_svc/demo/webhook-inbox`,
    events: ["graph.done", "graph.failed"],
    description: "Shop back office",
  });
  const failed = await runTo(app, "order", orderInput(7), "failed");
  for (const number of [17, 27]) await runTo(app, "order", orderInput(number), "failed");
  for (let number = 0; number < 14; number++)
    await app.engine.start("order", orderInput(number * 10), {
      tags: number % 3 === 0 ? ["web", "vip"] : ["web"],
      origin: ORDERED,
    });
  const done = await runTo(app, "order", orderInput(3), "done");
  const { snapshot } = await app.engine.start("order", orderInput(5, 30), {
    tags: ["wholesale"],
    origin: { kind: "api" },
  });
  const waiting = snapshot.graph_id;
  await until(
    async () => ((await app.engine.snapshot(waiting))?.nodes ?? []).some(({ status }) => status === "waiting"),
    "the run to wait",
  );
  const { snapshot: held } = await app.engine.start("order", orderInput(15, 25), { tags: ["web"], origin: ORDERED });
  const paused = held.graph_id;
  await until(
    async () => ((await app.engine.snapshot(paused))?.nodes ?? []).some(({ status }) => status === "waiting"),
    "the other run to wait",
  );
  await app.engine.pause(paused, { by: "ada", note: "the customer calls back" });
  await until(async () => (await app.engine.snapshot(paused))?.phase === "paused", "the run to be paused");
  const failing = await lost(app, receiver, "till");
  await app.webhooks.update(failing, { enabled: true });
  await lost(app, receiver, "old-till");
  receiver.reply(204);
  await app.engine.schedule.trigger("catalogue");
  const report = await runTo(app, "nightly-report", null, "done");
  await app.engine.queues.pause("pack", { by: "ada", note: "the conveyor is down" });
  await app.engine.retry(failed, { by: "ada", note: "the card was replaced" });
  await until(async () => (await app.engine.snapshot(failed))?.phase === "failed", "the run to fail again");
  const { delivery_id: delivery } = await app.webhooks.ping(registration.id);
  await until(async () => (await app.webhooks.delivery(delivery)).status === "delivered", "the delivery");
  return { failed, waiting, done, report, delivery, hook: registration.id, paused, failing };
}

/** A webhook whose receiver answers 410. */
async function lost(app: App, receiver: Receiver, name: string): Promise<string> {
  receiver.reply(410);
  const { registration } = await app.webhooks.create({ url: `${receiver.url}/${name}`, events: ["graph.paused"] });
  const { delivery_id: id } = await app.webhooks.ping(registration.id);
  await until(async () => (await app.webhooks.delivery(id)).status === "failed", "the delivery to fail");
  return registration.id;
}

/** Converts to WebP, which is a third of PNG. Playwright can't write WebP. */
async function pictureOf(page: Page): Promise<Buffer> {
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send("Page.captureScreenshot", { format: "webp", quality: 74 });
  return Buffer.from(data, "base64");
}

const env = {
  SVC_WEBHOOK_SECRET: "webhook-secret-of-the-sample",
  SVC_RETENTION: "30d",
  SVC_WEBHOOK_ALLOW_CIDRS: "127.0.0.0/8",
};
const app = opsSample({ env, ops: { redact: ["number", "email"] }, more: { demo: true, clock } });
const started = await app.start({ host: "127.0.0.1", port: 0 });
const locked = opsSample({
  env: { NODE_ENV: "production", SVC_SITE_URL: "http://127.0.0.1", SVC_EXEC_API_KEY: OPERATOR_KEY },
  isLocked: true,
});
const door = await locked.start({ host: "127.0.0.1", port: 0 });
const receiver = await createReceiver();
const browser = await launchBrowser();
try {
  await mkdir(target, { recursive: true });
  const ids = await live(app, started.url, receiver);
  let bytes = 0;
  for (const { name, path, width = 1280, scheme = "light", before, isLocked = false } of shots(ids)) {
    const viewport = { width, height: HEIGHT };
    const context = await browser.newContext({ viewport, colorScheme: scheme, reducedMotion: "reduce" });
    const page = await context.newPage();
    const answer = await page.goto(`${isLocked ? door.url : started.url}/_svc/ops${path}`);
    if (!answer?.ok() && !isLocked) throw new Error(`${path} was answered with ${answer?.status()}`);
    await page.waitForLoadState("load");
    await before?.(page);
    // Two frames, because a surface that was just created can't be captured.
    await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
    const picture = await pictureOf(page);
    await writeFile(join(target, `${name}.webp`), picture);
    bytes += picture.length;
    console.log(`${name.padEnd(20)} ${Math.round(picture.length / 1000)} KB`);
    await context.close();
  }
  console.log(`${Math.round(bytes / 1000)} KB in all`);
  if (bytes > MOST_BYTES) throw new Error(`More than ${MOST_BYTES / 1000} KB: take smaller pictures, or fewer`);
} finally {
  await browser.close();
  await started.close();
  await door.close();
  await receiver.close();
}
