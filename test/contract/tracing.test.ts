/** Traces: W3C Trace Context in and out, and the export to a collector. */
import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { page, route, type App, type AppOptions } from "svckit";
import { defineSignal, worker } from "svckit/graph";
import { createReceiver, SimulatedClock } from "svckit/testing";
import { withFixture, type Fixture } from "./app.ts";
import { startCollector, type CollectedSpan } from "./collector.ts";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT = "00f067aa0ba902b7";
const SAMPLED = `00-${TRACE}-${PARENT}-01`;

const collector = await startCollector();
after(() => collector.close());

/** Runs an app that exports traces, closes it, and returns the exported spans. */
async function spansOf(
  run: (fixture: Fixture) => Promise<unknown>,
  env: Record<string, string> = {},
  options: AppOptions = {},
): Promise<CollectedSpan[]> {
  collector.spans.length = 0;
  collector.requests.length = 0;
  await withFixture(
    async (fixture) => void (await run(fixture)),
    { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, ...env },
    options,
  );
  assert.deepEqual(collector.complaints, []);
  return [...collector.spans];
}

const named = (spans: readonly CollectedSpan[], name: string): CollectedSpan => {
  const found = spans.find((span) => span.name === name);
  return found ?? assert.fail(`no span "${name}" among ${spans.map((span) => span.name).join(", ")}`);
};

/** As JSON, without the bigint fields that JSON can't represent. */
const reported = (spans: readonly CollectedSpan[]): string =>
  JSON.stringify(spans.map((span) => ({ ...span, durationNs: 0 })));

describe("the trace of a request", () => {
  const traces = [route("GET", "/trace", (ctx) => Response.json(ctx.trace))];

  it("continues the trace of its traceparent, as a child of the caller's span", async () => {
    await withFixture(
      async ({ client }) => {
        const headers = { traceparent: SAMPLED, tracestate: "congo=t61rcWkgMzE" };
        const trace = (await (await client.get("/trace", headers)).json()) as Record<string, unknown>;
        const { spanId, ...rest } = trace;
        assert.match(String(spanId), /^[0-9a-f]{16}$/);
        assert.notEqual(spanId, PARENT);
        assert.deepEqual(rest, { traceId: TRACE, parentId: PARENT, isSampled: true, state: "congo=t61rcWkgMzE" });
      },
      {},
      { routes: traces },
    );
  });

  it("starts anew if the header is invalid, and is not recorded without a collector", async () => {
    await withFixture(
      async ({ client }) => {
        const headers = { traceparent: SAMPLED.replace("00-", "ff-"), tracestate: "congo=1" };
        const trace = (await (await client.get("/trace", headers)).json()) as Record<string, unknown>;
        assert.match(String(trace["traceId"]), /^[0-9a-f]{32}$/);
        assert.notEqual(trace["traceId"], TRACE);
        assert.deepEqual([trace["parentId"], trace["state"], trace["isSampled"]], [undefined, undefined, false]);
      },
      {},
      { routes: traces },
    );
  });

  it("is in the log beside its errors", async () => {
    await withFixture(async ({ client, logged }) => {
      await client.get("/broken", { traceparent: SAMPLED });
      assert.match(logged.join("\n"), new RegExp(`A request failed .*"traceId":"${TRACE}"`));
    });
  });
});

describe("Server-Timing", () => {
  it("is on no response outside of svc dev, because timings reveal information", async () => {
    for (const env of [{ NODE_ENV: "production", SVC_SECRET: "x".repeat(32) }, {}]) {
      await withFixture(async ({ client }) => {
        assert.equal((await client.get("/plain")).headers.get("server-timing"), null);
      }, env);
    }
  });
});

describe("a configured collector", () => {
  it("gets a span for each request, with child spans for the page's data and its HTML", async () => {
    const pages = [page("/shop/:id", { title: "Shop", load: async () => "data", view: (data) => `<p>${data}</p>` })];
    const spans = await spansOf(
      ({ client }) => client.get("/shop/secret?token=secret", { traceparent: SAMPLED, tracestate: "a=1" }),
      {},
      { pages },
    );
    const request = named(spans, "GET /shop/:id");
    assert.deepEqual(
      [request.traceId, request.parentSpanId, request.kind, request.traceState],
      [TRACE, PARENT, 2, "a=1"],
    );
    assert.equal(request.attributes["http.route"], "/shop/:id");
    assert.equal(request.attributes["http.response.status_code"], "200");
    for (const name of ["load", "render"]) {
      assert.equal(named(spans, name).parentSpanId, request.spanId);
      assert.ok(named(spans, name).durationNs <= request.durationNs);
    }
    assert.ok(!reported(spans).includes("secret"));
  });

  it("gets a span for each action, with its error", async () => {
    const spans = await spansOf(async ({ client }) => {
      await client.action("echo", 1);
      await client.action("throws");
      await client.get("/broken");
    });
    assert.equal(named(spans, "action echo").status, undefined);
    assert.equal(named(spans, "action throws").status?.code, 2);
    const broken = named(spans, "GET /broken");
    assert.deepEqual([broken.status?.code, broken.attributes["error.type"]], [2, "500"]);
    assert.ok(!JSON.stringify(broken.status).includes("secret detail"));
  });

  it("has spans for steps, sleeps and waits inside their attempt", async () => {
    const ready = defineSignal("ready");
    const work = worker("work", async (_input: unknown, ctx) => {
      await ctx.step("fetch", () => 1);
      await ctx.tx(() => 2, { key: "book" });
      await ctx.sleep("1ms");
      await ctx.waitFor(ready);
      await ctx.step("broken", () => Promise.reject(new Error("no luck"))).catch(() => null);
    });
    const spans = await spansOf(
      async ({ app }) => {
        await app.boot();
        const run = await app.engine.start(work, null);
        await run.signal(ready, null);
        await run.result();
      },
      { SVC_DATABASE_URL: "sqlite::memory:" },
      { workers: [work] },
    );
    const attempt = named(spans, "worker work");
    for (const name of ["step fetch", "tx book", "sleep sleep~1", "wait ready", "step broken"]) {
      const span = named(spans, name);
      assert.deepEqual([span.traceId, span.parentSpanId], [attempt.traceId, attempt.spanId], name);
      assert.equal(span.attributes["svc.node"], `work#${name.split(" ")[1]}`);
    }
    assert.deepEqual(named(spans, "step broken").status, { code: 2, message: "no luck" });
  });

  it("is linked with the request that started the run, in both directions", async () => {
    const work = worker("work", () => null);
    const held: { app?: App } = {};
    const spans = await spansOf(
      async ({ app, client }) => {
        held.app = app;
        const response = await client.post("/start", {});
        await app.engine.result(await response.text());
      },
      {},
      {
        workers: [work],
        routes: [
          route("POST", "/start", async () => {
            const run = await held.app?.engine.start(work, null);
            return new Response(run?.id);
          }),
        ],
      },
    );
    const [request, graph] = [named(spans, "POST /start"), named(spans, "graph work")];
    const starts = spans.filter(({ name }) => name === "start work");
    assert.deepEqual(
      starts.map(({ traceId, parentSpanId, links }) => [traceId, parentSpanId, links]),
      [
        [graph.traceId, graph.spanId, [{ traceId: request.traceId, spanId: request.spanId }]],
        [request.traceId, request.spanId, [{ traceId: graph.traceId, spanId: graph.spanId }]],
      ],
    );
  });

  it("gets one trace per graph: the graph, its attempts, its deliveries; receivers get its traceparent", async () => {
    const receiver = await createReceiver();
    try {
      const env = { SVC_WEBHOOK_URLS: receiver.url, SVC_WEBHOOK_ALLOW_CIDRS: "127.0.0.0/8" };
      const spans = await spansOf(async ({ app }) => {
        await app.boot();
        await app.engine.start("sum", { value: 2 });
        await receiver.received(1, 60_000);
      }, env);
      const graph = named(spans, "graph sum");
      const below = ["worker double", "worker plus-one", "deliver graph.done"].map((name) => named(spans, name));
      for (const span of below) assert.deepEqual([span.traceId, span.parentSpanId], [graph.traceId, graph.spanId]);
      const delivery = named(spans, "deliver graph.done");
      assert.equal(receiver.deliveries[0]?.headers["traceparent"], `00-${graph.traceId}-${delivery.spanId}-01`);
    } finally {
      await receiver.close();
    }
  });

  it("gets the configured headers, in one request at the end of a short-lived process", async () => {
    await spansOf(
      async ({ client }) => {
        await client.get("/plain");
        await client.get("/plain");
      },
      { OTEL_EXPORTER_OTLP_HEADERS: "x-api-key=a%20key,x-team=shop", OTEL_SERVICE_NAME: "shop" },
      // With this clock the export interval never passes.
      { clock: new SimulatedClock() },
    );
    assert.equal(collector.requests.length, 1);
    assert.deepEqual([collector.requests[0]?.["x-api-key"], collector.requests[0]?.["x-team"]], ["a key", "shop"]);
  });

  it("gets no traces that the caller does not sample, or that the ratio omits", async () => {
    const spans = await spansOf(
      async ({ client }) => {
        await client.get("/plain");
        await client.get("/plain", { traceparent: SAMPLED.replace(/1$/, "0") });
      },
      { OTEL_TRACES_SAMPLER_ARG: "0" },
    );
    assert.deepEqual(spans, []);
  });

  it("that fails or is unreachable loses spans but fails no request, and the log reports it once", async () => {
    collector.answers.push(400);
    await spansOf(async ({ client, logged, app }) => {
      assert.equal((await client.get("/plain")).status, 200);
      await app.close();
      assert.equal(logged.filter((line) => line.includes("Traces can't be exported")).length, 1);
    });
    const gone = await startCollector();
    await gone.close();
    await spansOf(
      async ({ client, logged, app }) => {
        assert.equal((await client.get("/plain")).status, 200);
        await app.close();
        assert.match(logged.join("\n"), /Traces can't be exported.*ECONNREFUSED/);
      },
      { OTEL_EXPORTER_OTLP_ENDPOINT: gone.url },
    );
  });

  it("must have a valid URL, valid headers and a valid sampling ratio", async () => {
    const bad: Record<string, string> = {
      OTEL_EXPORTER_OTLP_ENDPOINT: "collector:4318",
      OTEL_EXPORTER_OTLP_HEADERS: "planted-key",
      OTEL_TRACES_SAMPLER_ARG: "2",
    };
    await withFixture(async ({ app }) => {
      await assert.rejects(
        async () => app.boot(),
        (error: Error) => {
          for (const name of Object.keys(bad)) assert.ok(error.message.includes(name), name);
          assert.ok(!error.message.includes("planted"));
          return true;
        },
      );
    }, bad).catch((error: Error) => assert.match(error.message, /OTEL_/)); // closing such an app says the same
  });
});
