/** An app whose pages show running graphs: an order that stops where a test wants it to, and a worker with any number of events. */
import { createApp, notFound, page, route, type App, type AppOptions } from "svckit";
import { graph, worker, type NodeRef } from "svckit/graph";
import { html, type Child } from "svckit/jsx-runtime";
import {
  EventStream,
  FlowAssets,
  FlowGraph,
  liveRoutes,
  OpsDashboard,
  readEvents,
  readFlow,
  readOverview,
  readWorkers,
  WorkerPanel,
} from "svckit/fullstack";

/** Gates at which workers wait until a test opens them. */
export class Gates {
  readonly #gates = new Map<string, { opened: Promise<void>; open: () => void }>();

  /** Rejects if the graph is cancelled. */
  wait({ graphId, signal }: { graphId: string; signal: AbortSignal }, name: string): Promise<void> {
    const aborted = new Promise<never>((_done, fail) => signal.addEventListener("abort", () => fail(signal.reason)));
    return Promise.race([this.#gate(`${graphId} ${name}`).opened, aborted]);
  }

  open(graphId: string, ...names: string[]): void {
    for (const name of names) this.#gate(`${graphId} ${name}`).open();
  }

  #gate(name: string): { opened: Promise<void>; open: () => void } {
    let gate = this.#gates.get(name);
    if (!gate) {
      let open = (): void => undefined;
      const opened = new Promise<void>((done) => (open = done));
      this.#gates.set(name, (gate = { opened, open }));
    }
    return gate;
  }
}

interface Order {
  /** Parcels to pack. */
  parcels: number;
  hasNote: boolean;
}

function orderGraph(gates: Gates) {
  const receive = worker("receive", (order: Order, ctx) => {
    ctx.log("info", `order of <b>${order.parcels}</b> parcels`);
    return order;
  });
  const check = worker("check-fraud", async (_input: unknown, ctx) => {
    await ctx.step("score", () => 12);
    await ctx.step("compare", () => "low");
    await gates.wait(ctx, "check-fraud");
    return "fine";
  });
  const charge = worker("charge-card", { retry: { max: 4, base: "1h" } }, async (_input: unknown, ctx) => {
    await gates.wait(ctx, "charge-card");
    return "paid";
  });
  const note = worker("gift-note", () => "written");
  const approve = worker("approve", async (_input: unknown, ctx) => await ctx.waitFor("approval"));
  const pack = worker("pack-parcel", { concurrency: 5, retry: { max: 1 } }, async (number: number, ctx) => {
    if (number >= 20) await gates.wait(ctx, "pack-parcel");
    if (number === 7) throw new Error("the box <seven> is torn");
    ctx.progress(number / 200, `parcel ${number}`);
    return number;
  });
  const mail = worker("send-mail", { retry: { max: 1 } }, () => "sent");
  const ship = worker("ship", { rate: { limit: 10, per: "1s" } }, async (_input: unknown, ctx) => {
    await gates.wait(ctx, "ship");
    return "shipped";
  });
  return graph("order", (g) => {
    const received = g.node("receive", receive, { input: (order: Order) => order });
    const checked = g.node("check-fraud", check, { after: [received] });
    const charged = g.node("charge-card", charge, { after: [received] });
    const noted = g.node("gift-note", note, { after: [received], when: (order: Order) => order.hasNote });
    const approved = g.node("approve", approve, { after: [checked, charged] });
    const parcels = g.map(
      "pack-parcel",
      pack,
      received,
      (order) => Array.from({ length: order.parcels }, (_, number) => number),
      { onError: "collect" },
    );
    const mailed = g.node("send-mail", mail, { after: [approved, noted] });
    return g.node("ship", ship, { after: [approved, parcels, mailed] });
  });
}

const STYLE = `
  :root { color-scheme: light dark; }
  body { margin: 0; font: 1rem/1.5 system-ui, sans-serif; background: var(--svc-paper); }
  main { display: grid; gap: 2rem; grid-template-columns: minmax(0, 1fr); max-width: 80rem; margin: auto; padding: 1rem; }
  h1 { margin: 0; font-size: 1.375rem; color: var(--svc-ink); }
`;

function main(heading: string, widgets: readonly Child[]): Child {
  return html(() => `<main><h1>${heading}</h1>${widgets.join("")}</main>`) as unknown as Child;
}

/** A graph with too many nodes for one screen: pairs in sequence. */
const longGraph = graph("long", (g) => {
  const step = worker("step", () => 1);
  let before: NodeRef<number> = g.node("first", step);
  for (let number = 1; number <= 31; number++) {
    g.node(`aside-${number}`, step, { after: [before] });
    before = g.node(`step-${number}`, step, { after: [before] });
  }
});

/** A script that morphs the page into another one like forms and links do: `become(await fetch("/jobs/7"))`. */
const BECOME = `
  import { canSwap, parsePage, ready, swap } from "/_svc/page-swap.js";
  self.become = async (response) => {
    const next = await parsePage(response);
    if (!canSwap(next, response.headers)) throw new Error("refused");
    await ready(next);
    await swap(next);
  };
`;

/** Number of widgets on a page: too many for one connection. */
export const MANY = 25;

/** @param options of the app, for example an environment that outlives a server */
export function createFlowApp(gates: Gates, options: AppOptions = {}): App {
  const chat = worker("chat", async (count: number, ctx) => {
    for (let number = 1; number <= count; number++) {
      ctx.log("info", `line ${number}`);
      if (number % 50 === 0) await new Promise((done) => setImmediate(done));
    }
    await gates.wait(ctx, "chat");
    return count;
  });
  const app: App = createApp({
    graphs: [orderGraph(gates), longGraph],
    workers: [chat],
    pages: [
      page("/jobs/:id", {
        load: async ({ params: { id } }) => ({
          flow: (await readFlow(app, id)) ?? notFound(),
          log: (await readEvents(app, id)) ?? notFound(),
        }),
        title: ({ flow }) => `Job ${flow.view.worker}`,
        view: ({ flow, log }) => main("Your order", [FlowGraph({ flow, title: "Order 42" }), EventStream({ log })]),
        head: (_data, ctx) => html(() => String(FlowAssets({ nonce: ctx.nonce }))),
      }),
      page("/changing/:id", {
        load: async ({ params: { id } }) => ({
          flow: (await readFlow(app, id)) ?? notFound(),
          log: (await readEvents(app, id)) ?? notFound(),
        }),
        title: "Becomes other pages",
        view: ({ flow, log }) => main("Your order", [FlowGraph({ flow, title: "Order 42" }), EventStream({ log })]),
        head: (_data, { nonce }) =>
          html(
            () => `${String(FlowAssets({ nonce }))}<script type="module" src="/become.js" nonce="${nonce}"></script>`,
          ),
      }),
      page("/shared/:id", {
        load: ({ params: { id }, query }) => ({ id, token: query.get("token") ?? undefined }),
        title: "Shared",
        view: (given) => main("Your order", [FlowGraph({ ...given, title: "Order 42" }), EventStream(given)]),
        head: (_data, ctx) => html(() => String(FlowAssets({ nonce: ctx.nonce }))),
      }),
      page("/many/:id", {
        load: async ({ params: { id } }) => ({ log: (await readEvents(app, id)) ?? notFound() }),
        title: "Many",
        view: ({ log }) =>
          main(
            "Many",
            [...Array(MANY)].map(() => EventStream({ log })),
          ),
        head: (_data, ctx) => html(() => String(FlowAssets({ nonce: ctx.nonce }))),
      }),
      page("/ops", {
        load: async () => ({
          overview: await readOverview(app, { runHref: "/jobs/:id" }),
          workers: await readWorkers(app),
        }),
        title: "Operations",
        view: ({ overview, workers }) => main("Operations", [OpsDashboard({ overview }), WorkerPanel({ workers })]),
        head: (_data, ctx) => html(() => String(FlowAssets({ nonce: ctx.nonce }))),
      }),
    ],
    routes: [
      route("GET", "/page.css", () => ({
        status: 200,
        headers: ["content-type", "text/css; charset=utf-8"],
        body: STYLE,
      })),
      route("GET", "/become.js", () => ({
        status: 200,
        headers: ["content-type", "text/javascript; charset=utf-8"],
        body: BECOME,
      })),
    ],
    stylesheets: ["/page.css"],
    extensions: { live: liveRoutes(() => app) },
    env: { NODE_ENV: "production", SVC_DATABASE_URL: "memory:", SVC_SECRET: "s".repeat(32), SVC_LOG_LEVEL: "error" },
    ...options,
  });
  return app;
}
