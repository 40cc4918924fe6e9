/** The metrics and the status endpoint (contract section 4), read with a strict parser. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { route } from "svckit";
import { OPERATOR, withFixture, type Fixture } from "./app.ts";
import { readExposition, type Series } from "./prometheus.ts";

/** Relative to out/test/contract. */
const GUIDE = fileURLToPath(new URL("../../../docs/guide/operations.md", import.meta.url));

const AWKWARD = 'a "quoted" \\ value\nof two lines';

async function scrape({
  client,
}: Fixture): Promise<(name: string, labels?: Record<string, string>) => number | undefined> {
  const response = await client.get("/_svc/metrics", OPERATOR);
  assert.equal(response.status, 200);
  assert.equal(response.headers.get("content-type"), "text/plain; version=0.0.4; charset=utf-8");
  const series = readExposition(await response.text());
  const fits = (one: Series, labels: Record<string, string>): boolean =>
    Object.entries(labels).every(([label, value]) => one.labels[label] === value);
  return (name, labels = {}) => series.find((one) => one.name === name && fits(one, labels))?.value;
}

describe("GET /_svc/metrics", () => {
  it("is Prometheus text that a strict parser accepts, before any request and after many", async () => {
    await withFixture(async (fixture) => {
      await scrape(fixture);
      for (const path of ["/plain", "/plain", "/broken", "/nowhere", "/_svc/loader.js"]) await fixture.client.get(path);
      await fixture.client.action("echo", 1);
      await scrape(fixture);
    });
  });

  it("counts requests by pattern, method and status class; HEAD as GET", async () => {
    await withFixture(
      async (fixture) => {
        await fixture.client.get("/items/1");
        await fixture.client.get("/items/secret-token");
        await fixture.client.request("/items/3", { method: "HEAD" });
        await fixture.client.get("/broken");
        const value = await scrape(fixture);
        const ofItems = { route: "/items/:id", method: "GET" };
        assert.equal(value("svc_http_requests_total", { ...ofItems, status: "2xx" }), 3);
        assert.equal(value("svc_http_request_duration_seconds_count", ofItems), 3);
        assert.equal(value("svc_http_requests_total", { route: "/broken", status: "5xx" }), 1);
        // The request for the metrics.
        assert.equal(value("svc_http_requests_in_flight"), 1);
      },
      {},
      {
        routes: [route("GET", "/items/:id", () => new Response("item")), route("GET", "/broken", () => assert.fail())],
      },
    );
  });

  it("takes no label from clients: unknown paths, methods and actions share one series each", async () => {
    await withFixture(async (fixture) => {
      for (let at = 0; at < 20; at++) {
        await fixture.client.get(`/nowhere/${at}`);
        await fixture.client.request("/nowhere", { method: `X${at}` });
        await fixture.client.action(`none-${at}`);
      }
      const value = await scrape(fixture);
      assert.equal(value("svc_http_requests_total", { route: "unrouted", method: "GET", status: "4xx" }), 20);
      assert.equal(value("svc_http_requests_total", { route: "unrouted", method: "other", status: "4xx" }), 20);
      assert.equal(value("svc_actions_total", { action: "unknown", outcome: "refused" }), 20);
    });
  });

  it("counts actions by outcome, and refusals by reason", async () => {
    await withFixture(
      async (fixture) => {
        await fixture.client.action("echo", 1);
        await fixture.client.action("throws");
        await fixture.client.action("picky");
        await fixture.client.request("/_svc/action/echo", {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: '{"args":[]}',
        });
        await fixture.client.action("echo", 1);
        const value = await scrape(fixture);
        assert.equal(value("svc_actions_total", { action: "echo", outcome: "ok" }), 1);
        assert.equal(value("svc_actions_total", { action: "throws", outcome: "failed" }), 1);
        assert.equal(value("svc_actions_total", { action: "picky", outcome: "refused" }), 1);
        assert.equal(value("svc_refusals_total", { reason: "csrf" }), 1);
        assert.equal(value("svc_refusals_total", { reason: "rate_limit" }), 1);
      },
      { SVC_RATE_ACTIONS: "4" },
    );
  });

  it("counts attempts of nodes by worker and outcome, and open event streams", async () => {
    await withFixture(async (fixture) => {
      const { app, client } = fixture;
      await app.boot();
      await app.engine.start("double", { value: 2 });
      await app.engine.idle();
      const { snapshot } = await app.engine.start("held", null);
      const events = await client.get(`/_svc/graphs/${snapshot.graph_id}/events`, OPERATOR);
      const reader = events.body?.getReader();
      await reader?.read();
      const open = await scrape(fixture);
      assert.equal(open("svc_node_attempts_total", { worker: "double", outcome: "done" }), 1);
      assert.equal(open("svc_nodes_running", { worker: "held" }), 1);
      assert.equal(open("svc_graphs", { status: "running" }), 1);
      assert.equal(open("svc_event_streams"), 1);
      await reader?.cancel();
      assert.equal((await scrape(fixture))("svc_event_streams"), 0);
      await app.engine.cancel(snapshot.graph_id);
    });
  });

  it("includes the app's own metrics, with escaped label values", async () => {
    const metrics = () => [
      {
        name: "shop_orders",
        type: "gauge" as const,
        help: AWKWARD,
        samples: [{ labels: { shop: AWKWARD }, value: 7 }],
      },
    ];
    await withFixture(
      async (fixture) => assert.equal((await scrape(fixture))("shop_orders", { shop: AWKWARD }), 7),
      {},
      { metrics },
    );
  });

  it("fails and logs the reason if the app uses a metric name of svc", async () => {
    const metrics = () => [{ name: "svc_graphs", type: "gauge" as const, help: "Mine", samples: [{ value: 1 }] }];
    await withFixture(
      async ({ client, logged }) => {
        assert.equal((await client.get("/_svc/metrics", OPERATOR)).status, 500);
        assert.match(logged.join("\n"), /svc_graphs is defined twice/);
      },
      {},
      { metrics },
    );
  });
});

describe("docs/guide/operations.md", () => {
  it("names every metric", async () => {
    const guide = readFileSync(GUIDE, "utf8");
    await withFixture(async ({ client, app }) => {
      await app.boot();
      await app.engine.start("double", { value: 1 });
      await app.engine.idle();
      await client.action("echo", 1);
      await client.get("/nowhere");
      const text = await (await client.get("/_svc/metrics", OPERATOR)).text();
      for (const [, name = ""] of text.matchAll(/^# TYPE (\S+)/gm)) assert.ok(guide.includes(`\`${name}\``), name);
    });
  });
});

describe("GET /_svc/status", () => {
  it("returns the same facts as JSON", async () => {
    await withFixture(async ({ client, app }) => {
      await client.action("echo", 1);
      await app.engine.start("double", { value: 2 });
      await app.engine.idle();
      const status = (await (await client.get("/_svc/status", OPERATOR)).json()) as Record<string, unknown>;
      assert.equal(status["status"], "ready");
      assert.deepEqual(status["actions"], { ok: 1 });
      assert.deepEqual(status["node_attempts"], { done: 1 });
      assert.deepEqual(status["queues"], [{ worker: "double", running: 0, waiting: 0 }]);
      assert.equal((status["requests"] as { in_flight: number }).in_flight, 1);
    });
  });
});

describe("the parser of metrics", () => {
  const head = "# HELP a_total A\n# TYPE a_total counter\n";
  const histogram = "# HELP h H\n# TYPE h histogram\n";
  const refused: Record<string, string> = {
    "no end of the last line": `${head}a_total 1`,
    "no TYPE": "# HELP a_total A\na_total 1\n",
    "TYPE before HELP": "# TYPE a_total counter\n# HELP a_total A\na_total 1\n",
    "a family twice": `${head}a_total 1\n${head}a_total{x="1"} 1\n`,
    "a series twice": `${head}a_total{x="1",y="2"} 1\na_total{y="2",x="1"} 2\n`,
    "a foreign sample": `${head}b_total 1\n`,
    "a raw quote": `${head}a_total{x="""} 1\n`,
    "a raw backslash": `${head}a_total{x="\\d"} 1\n`,
    "a label twice": `${head}a_total{x="1",x="2"} 1\n`,
    "a value that is none": `${head}a_total one\n`,
    "a counter below zero": `${head}a_total -1\n`,
    "a counter without _total": "# HELP a A\n# TYPE a counter\na 1\n",
    "buckets that shrink": `${histogram}h_bucket{le="1"} 2\nh_bucket{le="+Inf"} 1\nh_sum 1\nh_count 1\n`,
    "bounds out of order": `${histogram}h_bucket{le="2"} 1\nh_bucket{le="1"} 1\nh_bucket{le="+Inf"} 1\nh_sum 1\nh_count 1\n`,
    "no +Inf": `${histogram}h_bucket{le="1"} 1\nh_sum 1\nh_count 1\n`,
    "a count that is not +Inf's": `${histogram}h_bucket{le="+Inf"} 1\nh_sum 1\nh_count 2\n`,
    "no sum": `${histogram}h_bucket{le="+Inf"} 1\nh_count 1\n`,
  };
  for (const [what, text] of Object.entries(refused)) {
    it(`refuses ${what}`, () => assert.throws(() => readExposition(text), assert.AssertionError));
  }

  it("accepts all three kinds", () => {
    const text = `${head}a_total{x="a\\"\\\\\\n"} 1e+21\n${histogram}h_bucket{le="0.5"} 1\nh_bucket{le="+Inf"} 2\nh_sum 3.5\nh_count 2\n`;
    assert.equal(readExposition(text)[0]?.labels["x"], 'a"\\\n');
  });
});
