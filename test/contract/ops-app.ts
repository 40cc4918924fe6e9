/** A sample app with something of everything that the operator screens show, for their tests and screenshots. */
import type { App, AppOptions, Context } from "svckit";
import { createFullStackApp, type OpsOptions } from "svckit/fullstack";
import { createTestClient, type TestClient } from "svckit/testing";
import { FinalError, graph, worker, type Json } from "svckit/graph";
import { barChart } from "./bar-chart.ts";

type Order = {
  order: string;
  email: string;
  card: { number: string; token: string };
  lines: string[];
};

const reserve = worker("reserve-stock", { retry: { max: 3, base: "100ms", cap: "1s" } }, (order: Order, ctx) => {
  ctx.summary(`Order ${order.order} for ${order.email.split("@")[0]}, ${order.lines.length} lines`);
  ctx.log("info", `reserving ${order.lines.length} lines`);
  return { reserved: order.lines.length, warehouse: "Hamburg" };
});

const charge = worker(
  "charge-card",
  { concurrency: 4, retry: { max: 2, base: "50ms", cap: "100ms" } },
  (order: Order, ctx) => {
    if (order.order.endsWith("3") && ctx.attempt === 1) throw new Error("The card gateway answered 503");
    if (order.order.endsWith("7")) {
      const cause = new Error("insufficient funds");
      throw new FinalError(`The card of order ${order.order} was declined`, { cause });
    }
    return { charged: 4200, receipt: `rc_${order.order}` };
  },
);

const approve = worker("approve", async (_: unknown, ctx) =>
  ctx.waitFor<{ ok: boolean }>("approval", { timeout: "2d" }),
);
const pick = worker("pick-line", { concurrency: 8 }, (line: string) => ({ line, shelf: line.length }));
const pack = worker("pack", { rate: { limit: 50, per: "1m" } }, () => ({ parcels: 1 }));
const mail = worker("mail-receipt", (_: unknown, ctx) => {
  ctx.emit("mail.sent", { template: "receipt" });
  return "sent";
});

const orders = graph<Order, unknown>("order", (g) => {
  const reserved = g.node("reserve", reserve, { input: (order) => order });
  const charged = g.node("charge", charge, { after: [reserved], input: (order) => order });
  const ok = g.node("approve", approve, { after: [charged], when: (order: Order) => order.lines.length > 20 });
  const picked = g.map("pick", pick, reserved, () => Array.from({ length: 12 }, (_, at) => `line-${at}`));
  const packed = g.node("pack", pack, { after: [picked, ok] });
  return g.node("mail", mail, { after: [packed, charged] });
});

const report = worker("nightly-report", { timeout: "5m" }, async (_: unknown, ctx) => {
  ctx.emit("ai.usage", {
    model: "small",
    prompt_tokens: 1204,
    completion_tokens: 310,
    total_tokens: 1514,
    cost: 0.0021,
  });
  await ctx.artifact("orders.png", barChart([32, 48, 40, 72, 96, 80, 56]), "image/png");
  await ctx.artifact("orders.csv", "day,orders\nMonday,204\nTuesday,287\nWednesday,251\n", "text/csv");
  ctx.progress(1, "written");
  return { pages: 12 };
});
const sync = worker("sync-catalogue", { concurrency: 2 }, async (_: unknown, ctx) => {
  ctx.progress(0.4, "4,200 of 10,500 products");
  ctx.summary("Spring catalogue, all shops");
  await new Promise<void>((done) => ctx.signal.addEventListener("abort", () => done(), { once: true }));
  throw new Error("aborted");
});

export interface SampleOptions {
  env?: Readonly<Record<string, string>>;
  ops?: OpsOptions | false;
  /** Whether the screens need a key or a link. Default: visitors on this machine are operators, because most tests are not about access. */
  isLocked?: boolean;
  more?: Omit<AppOptions, "submits">;
}

/** For tests only: an app that others can reach must not decide by the address. */
export const localOperator = (ctx: Context): "operator" | undefined =>
  ctx.clientIp === "127.0.0.1" ? "operator" : undefined;

export const OPERATOR_KEY = "operators-key-of-the-sample";

export function opsSample({ env = {}, ops, isLocked = false, more = {} }: SampleOptions = {}): App {
  return createFullStackApp(
    {
      env: { SVC_DATABASE_URL: "memory:", SVC_SECRET: "s".repeat(32), SVC_LOG_LEVEL: "error", ...env },
      graphs: [orders],
      workers: [report, sync],
      // Times when nobody runs tests, so that no schedule adds a run.
      schedules: [
        { name: "nightly-report", cron: "30 2 1 1 *", timeZone: "Europe/Berlin", worker: "nightly-report" },
        { name: "catalogue", cron: "15 4 1 1 *", worker: "sync-catalogue" },
      ],
      // Bulk actions are not deferred, except in their own tests.
      ops: ops === false ? false : { ...(!isLocked && { authorize: localOperator }), ...(ops ?? { undo: false }) },
      ...more,
    },
    {},
  );
}

export function orderInput(number: number, lines = 3): Order {
  return {
    order: `2026-${1000 + number}`,
    email: "ada@example.com",
    card: { number: "4111 1111 1111 1111", token: "tok_4111_secret" },
    lines: Array.from({ length: lines }, (_, at) => `line-${at}`),
  };
}

/** A browser on the machine of the app. */
export function localClient(app: App): TestClient {
  const fetch = (request: Request): Promise<Response> => app.fetch(request, { peerAddress: "127.0.0.1" });
  return createTestClient({ fetch }, { tokenPage: "/_svc/ops/runs/bulk?which=all&step=pause" });
}

/** A browser on another machine. */
export function farClient(app: App): TestClient {
  const fetch = (request: Request): Promise<Response> => app.fetch(request, { peerAddress: "203.0.113.9" });
  return createTestClient({ fetch }, { tokenPage: "/_svc/ops/runs" });
}

/** Waits until the condition is true. */
export async function until(holds: () => Promise<boolean>, what: string): Promise<void> {
  for (let tries = 0; tries < 1000; tries++) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`Timed out waiting for ${what}`);
}

/** Starts a run, and waits until it reaches one of these phases. */
export async function runTo(app: App, worker: string, input: Json, ...phases: string[]): Promise<string> {
  const { snapshot } = await app.engine.start(worker, input);
  const id = snapshot.graph_id;
  await until(async () => phases.includes((await app.engine.snapshot(id))?.phase ?? ""), phases.join(" or "));
  return id;
}
