/** Widgets that load their data by the id of a graph: authorization, and the data that leaves the server. */
import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { createApp, page, type App, type Context } from "svckit";
import { EventStream, FlowGraph, liveRoutes, OpsDashboard, readFlow, WorkerPanel } from "svckit/fullstack";
import { worker } from "svckit/graph";
import { html, type Child } from "svckit/jsx-runtime";
import { SimulatedClock } from "svckit/testing";

const clock = new SimulatedClock(Date.UTC(2026, 0, 1));
declare module "svckit" {
  interface SessionData {
    name?: string;
  }
}
const both = (...markup: Child[]): Child => html(() => markup.map(String).join("")) as unknown as Child;
const tokenOf = ({ query }: Context): string | undefined => query.get("token") ?? undefined;
const app: App = createApp({
  clock,
  session: { store: "database" },
  env: { SVC_DATABASE_URL: "memory:", SVC_SECRET: "s".repeat(32), SVC_LOG_LEVEL: "silent" },
  workers: [worker("print", (_: unknown, ctx) => ctx.log("info", "sheet 1"))],
  pages: [
    page("/mine/:id", {
      load: ({ params }) => params.id,
      title: "Mine",
      view: (id) => both(FlowGraph({ id }), EventStream({ id })),
    }),
    page("/shared/:id", {
      load: (ctx) => ({ id: ctx.params.id, token: tokenOf(ctx) }),
      title: "Shared",
      cache: { public: true, maxAge: "1m" },
      view: (given) => both(FlowGraph(given), EventStream({ ...given, limit: 1 })),
    }),
    page("/signed-in/:id", {
      load: async (ctx) => {
        const session = await ctx.session();
        session.signIn("name", ctx.query.get("name") ?? "ada");
        return ctx.params.id;
      },
      title: "Signed in",
      view: (id) => both(FlowGraph({ id })),
    }),
    page("/signed-out", {
      load: async (ctx) => (await ctx.session()).destroy(),
      title: "Signed out",
      view: () => "",
    }),
    page("/workshop", { title: "Workshop", view: () => both(WorkerPanel({}), OpsDashboard({})) }),
  ],
  extensions: { live: liveRoutes(() => app) },
});

async function printed(): Promise<string> {
  const { graph_id } = (await app.engine.start("print", null)).snapshot;
  await app.engine.idle();
  return graph_id;
}
await app.boot();
const [id, other] = [await printed(), await printed()];
after(() => app.close());

const get = (path: string): Promise<Response> => app.fetch(new Request(`http://localhost${path}`));
const text = async (path: string): Promise<string> => (await get(path)).text();
const srcOf = (body: string): string => (/data-src="([^"]+)"/.exec(body)?.[1] ?? "").replaceAll("&amp;", "&");

async function statusOf(src: string, cookie?: string): Promise<number> {
  const answer = await app.fetch(
    new Request(`http://localhost${src}`, { headers: cookie === undefined ? {} : { cookie } }),
  );
  await answer.body?.cancel();
  return answer.status;
}

describe("widgets by the id of a graph", () => {
  it("are complete in the initial page, each with the address of its stream", async () => {
    const body = await text(`/mine/${id}`);
    assert.match(body, /1 of 1 node done/);
    assert.match(body, /sheet 1/);
    assert.equal(body.match(/<svc-live /g)?.length, 2);
    const stream = await get(srcOf(body));
    assert.equal(stream.status, 200);
    await stream.body?.cancel();
  });

  it("use the app's clock, which their stream sends first", async () => {
    const flow = (await readFlow(app, id)) ?? assert.fail();
    assert.equal(flow.nowMs, clock.now());
    const stream = await get(srcOf(await text(`/mine/${id}`)));
    let received = "";
    for await (const chunk of (stream.body ?? assert.fail()).pipeThrough(new TextDecoderStream())) {
      received += chunk;
      if (/^data: /m.test(received)) break;
    }
    assert.match(received, new RegExp(`^retry: 1000\n\nevent: now\ndata: ${clock.now()}\n\n`));
  });

  it("show a message for a graph that does not exist", async () => {
    const answer = await get("/mine/g_none");
    assert.equal(answer.status, 200);
    assert.match(await answer.text(), /This run does not exist, or its link has expired/);
  });

  it("about the whole process need no id", async () => {
    const body = await text("/workshop");
    assert.match(body, /data-widget="workers"[\s\S]*print[\s\S]*data-widget="overview"/);
  });
});

describe("widgets by a token", () => {
  it("show a graph to a visitor with a token that can read it", async () => {
    for (const scope of ["read", "control"] as const) {
      const body = await text(`/shared/${id}?token=${app.graphToken(id, scope)}`);
      assert.match(body, /1 of 1 node done/);
      assert.equal(body.match(/<li class="svc-event"/g)?.length, 1);
    }
  });

  it("show nothing to a visitor without a token, with one of another graph, or with a modified one", async () => {
    const token = app.graphToken(id, "read");
    for (const query of ["", "?token=", `?token=${app.graphToken(other, "read")}`, `?token=${token}x`]) {
      const body = await text(`/shared/${id}${query}`);
      assert.match(body, /This run does not exist, or its link has expired/);
      for (const reported of ["svc-live", "print", "sheet 1", "done"])
        assert.ok(!body.includes(reported), `${query}: ${reported}`);
    }
    assert.equal(
      (await text(`/shared/${id}`)).replaceAll(id, ""),
      (await text("/shared/g_none")).replaceAll("g_none", ""),
      "the response does not reveal that a graph exists",
    );
  });

  it("keep the token out of the page, and the page out of shared caches", async () => {
    const token = app.graphToken(id, "read");
    const answer = await get(`/shared/${id}?token=${token}`);
    assert.match(answer.headers.get("cache-control") ?? "", /private|no-store/);
    assert.doesNotMatch(answer.headers.get("cache-control") ?? "", /public|s-maxage/);
    // Other sites that the page links to learn only its origin.
    assert.match(
      answer.headers.get("referrer-policy") ?? "",
      /^(?:no-referrer|same-origin|strict-origin-when-cross-origin)$/,
    );
    const body = await answer.text();
    const signature = token.slice(token.lastIndexOf(".") + 1);
    assert.ok(!body.includes(signature));
    assert.match(
      await text(`/shared/${id}`),
      /This run does not exist, or its link has expired/,
      "nobody got the page of another visitor",
    );
  });

  it("stream no longer than the token is valid, and cannot change the graph", async () => {
    const token = app.graphToken(id, "read");
    await clock.advance(24 * 3_600_000 - 60_000);
    const src = srcOf(await text(`/shared/${id}?token=${token}`));
    assert.equal(await statusOf(src), 200);
    // The address would still be valid.
    await clock.advance(61_000);
    assert.equal(await statusOf(src), 401);
    const steered = await app.fetch(
      new Request(`http://localhost/_svc/graphs/${id}/retry`, {
        method: "POST",
        headers: { "x-svc-graph-token": app.graphToken(id, "read") },
      }),
    );
    assert.ok(steered.status === 401 || steered.status === 403, String(steered.status));
  });
});

describe("the address of a widget's stream", () => {
  const pageOf = async (path: string, cookie = "") =>
    app.fetch(new Request(`http://localhost${path}`, { headers: { cookie } }));
  const cookieOf = (answer: Response): string =>
    answer.headers
      .getSetCookie()
      .map((line) => line.slice(0, line.indexOf(";")))
      .find((pair) => pair.startsWith("svc-session=") || pair.startsWith("__svc-session=")) ?? "";

  it("is valid for five minutes", async () => {
    const src = srcOf(await text(`/mine/${id}`));
    await clock.advance(5 * 60_000 - 1);
    assert.equal(await statusOf(src), 200);
    await clock.advance(1);
    assert.equal(await statusOf(src), 401);
  });

  it("works only with the session of the page's visitor, and ends with it", async () => {
    const answer = await pageOf(`/signed-in/${id}`);
    const [cookie, other] = [cookieOf(answer), cookieOf(await pageOf(`/signed-in/${id}`))];
    assert.ok(cookie !== "" && other !== "" && cookie !== other);
    const src = srcOf(await answer.text());
    assert.deepEqual([await statusOf(src), await statusOf(src, other), await statusOf(src, cookie)], [401, 401, 200]);
    await (await pageOf("/signed-out", cookie)).text();
    assert.equal(await statusOf(src, cookie), 401, "a copied cookie, after the sign-out");
  });
});
