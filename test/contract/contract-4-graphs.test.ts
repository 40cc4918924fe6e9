/** Contract section 4: graphs over HTTP. */
import assert from "node:assert/strict";
import { it } from "node:test";
import * as v from "valibot";
import { graph, worker } from "svckit/graph";
import { SimulatedClock } from "svckit/testing";
import { API_KEY, OPERATOR, sum, WORKERS, withFixture } from "./app.ts";
import { describeBothAdapters } from "./both-adapters.ts";
import { operate, textOf, until, type Called } from "./calls.ts";

interface WireEvent {
  seq: number;
  type: string;
  graph_id: string;
  node?: string;
  timestamp_ms: number;
  [field: string]: unknown;
}

function eventsOf(stream: string): WireEvent[] {
  return [...stream.matchAll(/^data: (.+)$/gm)].map((match) => JSON.parse(match[1] as string) as WireEvent);
}

const chatty = worker("chatty", (_input: unknown, ctx) => {
  ctx.progress(0, "begun");
  ctx.log("info", "hello");
  ctx.emit("found", { n: 1 });
  ctx.progress(1);
  return "said";
});
let failures = 0;
const flaky = worker("flaky", { retry: { max: 2, base: "1ms" } }, () => {
  if (failures++ % 2 === 0) throw new Error("not yet");
  return "at last";
});

const approval = worker("approval", async (_input: unknown, ctx) => {
  ctx.log("info", "asked");
  const said = await ctx.waitFor("decision", { schema: v.object({ yes: v.boolean() }) });
  await ctx.step("note", () => ctx.log("info", "noted"));
  return said.yes ? "approved" : "refused";
});

/** Compensates its booking when the payment fails. */
const trip = graph("trip", (g) => {
  const book = worker("book", { compensate: (ctx, room) => ctx.log("info", `${room} given back`) }, () => "a room");
  const pay = worker("pay", { retry: { max: 1 } }, () => {
    throw new Error("no money");
  });
  return g.node("pay", pay, { after: [g.node("book", book)] });
});

const invoice = worker("invoice", { input: v.object({ pages: v.number() }) }, ({ pages }) => pages);

const exporter = worker("exporter", (type: unknown, ctx) =>
  ctx.artifact("list.html", "<script>alert(1)</script>", String(type)),
);

describeBothAdapters(
  "graphs",
  (site) => {
    const call = (method: string, path: string, body?: unknown): Promise<Called> => operate(site, method, path, body);
    const start = (body: object): Promise<Called> => call("POST", "/_svc/graphs", body);
    const begin = async (body: object): Promise<{ id: string; token: string }> => {
      const { reply } = await start(body);
      return { id: textOf(reply, "graph_id"), token: textOf(reply, "token") };
    };
    const finish = async (body: object): Promise<{ id: string; token: string }> => {
      const started = await begin(body);
      await site.app.engine.idle();
      return started;
    };
    const snapshotOf = async (id: string): Promise<Record<string, unknown>> =>
      (await call("GET", `/_svc/graphs/${id}`)).reply;

    it("POST /_svc/graphs {worker, input, idempotency_key?, delay_ms?, tags?}: 202 {graph_id, worker, status, token}; the same key again: the same graph, 200", async () => {
      const body = {
        worker: "double",
        input: { value: 1 },
        idempotency_key: "once",
        delay_ms: 60_000,
        priority: 5,
        tags: ["a"],
      };
      const [first, second] = [await start(body), await start(body)];
      assert.deepEqual([first.status, Object.keys(first.reply)], [202, ["graph_id", "worker", "status", "token"]]);
      assert.deepEqual([first.reply["worker"], first.reply["status"]], ["double", "pending"]);
      assert.deepEqual([second.status, second.reply["graph_id"]], [200, first.reply["graph_id"]]);
    });

    it("POST /_svc/graphs with a known key and another input: 409 SVC_KEY_REUSED; with an unknown field: 422; neither starts a run", async () => {
      const body = {
        worker: "double",
        input: { value: 1 },
        idempotency_key: "reused",
        delay_ms: 60_000,
        tags: ["reused"],
      };
      const { reply: first } = await start(body);
      const other = await start({ ...body, input: { value: 2 } });
      assert.deepEqual([other.status, other.reply["code"]], [409, "SVC_KEY_REUSED"]);
      assert.match(String(other.reply["detail"]), new RegExp(`has started the run ${String(first["graph_id"])}`));
      const misspelled = await start({ ...body, idempotency_key: undefined, idempotencyKey: "reused" });
      assert.deepEqual([misspelled.status, misspelled.reply["code"]], [422, "SVC_INVALID"]);
      const { reply: listed } = await call("GET", "/_svc/graphs?tag=reused");
      assert.equal(listed["total"], 1);
    });

    it("GET /_svc/graphs ?worker&status&tag&since_ms&limit&cursor: 200 {graphs:[…], total, next_cursor}", async () => {
      for (const value of [2, 3]) await finish({ worker: "double", input: { value }, tags: ["listed"] });
      const list = async (query: string): Promise<Record<string, unknown>> =>
        (await call("GET", `/_svc/graphs?${query}`)).reply;
      const first = await list("tag=listed&limit=1");
      assert.deepEqual(Object.keys(first), ["graphs", "total", "next_cursor"]);
      assert.deepEqual([first["total"], (first["graphs"] as unknown[]).length], [2, 1]);
      const second = await list(`tag=listed&limit=1&cursor=${encodeURIComponent(textOf(first, "next_cursor"))}`);
      assert.notDeepEqual(second["graphs"], first["graphs"]);
      assert.equal(second["next_cursor"], null);
      assert.equal((await list("tag=listed&worker=double&status=done&since_ms=0"))["total"], 2);
      for (const query of ["tag=listed&worker=sum", "tag=listed&status=failed", `since_ms=${Date.now() + 60_000}`])
        assert.equal((await list(query))["total"], 0, query);
      for (const query of ["status=odd", "limit=0", "since_ms=x"])
        assert.equal((await call("GET", `/_svc/graphs?${query}`)).status, 422, query);
    });

    it("attributes of a start are in the snapshot, and lists and bulk commands are filtered by them in combination", async () => {
      const orders = [
        { plan: "pro", cents: 500, isTrial: false },
        { plan: "pro", cents: 40.5, isTrial: true },
        { plan: "basic 2", cents: 900, isTrial: false },
      ];
      const ids: string[] = [];
      for (const attributes of orders)
        ids.push((await finish({ worker: "double", input: { value: 2 }, attributes, tags: ["attributed"] })).id);
      assert.deepEqual((await snapshotOf(ids[0] ?? ""))["attributes"], orders[0]);
      assert.deepEqual(
        (await snapshotOf((await finish({ worker: "double", input: { value: 2 } })).id))["attributes"],
        {},
      );
      const found = async (attributes: string, more = ""): Promise<unknown[]> => {
        const { status, reply } = await call("GET", `/_svc/graphs?attributes=${encodeURIComponent(attributes)}${more}`);
        assert.equal(status, 200, attributes);
        return (reply["graphs"] as { graph_id: string }[]).map(({ graph_id: id }) => ids.indexOf(id));
      };
      assert.deepEqual(await found("plan=pro"), [1, 0]);
      assert.deepEqual(await found("plan=pro cents>=500"), [0]);
      assert.deepEqual(await found("cents>40 cents<=500 isTrial=true"), [1]);
      assert.deepEqual(await found('plan="basic 2"'), [2]);
      assert.deepEqual(await found("plan=pro", "&status=failed"), []);
      assert.deepEqual(await found("plan=pro", "&worker=double&tag=attributed&limit=1"), [1]);
      for (const attributes of ["plan", "plan>pro", "9=1", "plan=a plan=b"])
        assert.equal(
          (await call("GET", `/_svc/graphs?attributes=${encodeURIComponent(attributes)}`)).status,
          422,
          attributes,
        );
      for (const attributes of [{ "a b": 1 }, { a: [1] }, { a: null }, ["a"], "a", { a: "x".repeat(300) }]) {
        const refused = await start({ worker: "double", input: { value: 1 }, attributes });
        assert.deepEqual([refused.status, refused.reply["code"]], [422, "SVC_INVALID"], JSON.stringify(attributes));
      }
      const body = { action: "cancel", filter: { attributes: "plan=pro cents>=500" }, dry_run: true };
      assert.equal((await call("POST", "/_svc/graphs/bulk", body)).reply["matched"], 1);
    });

    it("a list can be filtered by until_ms, the beginning of an id, the text of an error and parent too", async () => {
      const { id } = await finish({ worker: "double", input: { value: 2 }, tags: ["narrowed"] });
      const total = async (query: string): Promise<unknown> =>
        (await call("GET", `/_svc/graphs?tag=narrowed&${query}`)).reply["total"];
      const earlier = `until_ms=${Date.now() - 60_000}`;
      assert.deepEqual([await total(`until_ms=${Date.now() + 60_000}`), await total(earlier)], [1, 0]);
      assert.deepEqual([await total(`id=${id.slice(0, 20)}`), await total("id=g_zz")], [1, 0]);
      assert.deepEqual([await total("error=refused"), await total("parent=g_1")], [0, 0]);
      assert.equal((await call("GET", "/_svc/graphs?until_ms=x")).status, 422);
      assert.deepEqual([await total("longer_ms=86400000"), await total("shorter_ms=86400000")], [0, await total("")]);
      assert.equal((await call("GET", "/_svc/graphs?longer_ms=1m")).status, 422);
      const minuteAgo = Date.now() - 60_000;
      const ended = [await total(`finished_since_ms=${minuteAgo}`), await total(`finished_until_ms=${minuteAgo}`)];
      assert.deepEqual(ended, [1, 0]);
      assert.equal((await call("GET", "/_svc/graphs?finished_since_ms=1m")).status, 422);
    });

    it("GET /_svc/graphs/:id: 200 the snapshot: worker, status, input, result, error, progress, nodes (status, attempts, times, error), edges, times", async () => {
      const { id } = await finish({ worker: "sum", input: { value: 4 } });
      const { status, reply } = await call("GET", `/_svc/graphs/${id}`);
      assert.equal(status, 200);
      const { worker: name, status: state, input, result, error, progress, edges } = reply;
      assert.deepEqual(
        { name, state, input, result, error, progress, edges },
        {
          name: "sum",
          state: "done",
          input: { value: 4 },
          result: 9,
          error: null,
          progress: null,
          edges: [["first", "second"]],
        },
      );
      for (const node of reply["nodes"] as Record<string, unknown>[]) {
        assert.deepEqual([node["status"], node["attempts"], node["error"]], ["done", 1, null]);
        assert.ok(Number(node["started_ms"]) <= Number(node["finished_ms"]));
      }
      assert.ok(Number(reply["created_ms"]) <= Number(reply["finished_ms"]));
      assert.equal((await call("GET", "/_svc/graphs/g_none")).status, 404);
    });

    it("GET /_svc/graphs/:id/events: SSE: id: is the event's sequence number, Last-Event-ID resumes without loss or repeat; ends after the terminal event", async () => {
      const { id, token } = await finish({ worker: "sum", input: { value: 1 } });
      const response = await site.send(`/_svc/graphs/${id}/events?token=${token}`);
      assert.equal(response.headers.get("content-type"), "text/event-stream; charset=utf-8");
      const text = await response.text();
      const events = eventsOf(text);
      const ids = [...text.matchAll(/^id: (\d+)$/gm)].map((match) => Number(match[1]));
      assert.deepEqual(
        ids,
        events.map(({ seq }) => seq),
      );
      assert.equal(events.at(-1)?.type, "graph.done");
      for (const after of [0, 2, events.length]) {
        const headers = { "last-event-id": String(after) };
        const rest = await site.send(`/_svc/graphs/${id}/events?token=${token}`, { headers });
        assert.deepEqual(eventsOf(await rest.text()), events.slice(after));
      }
    });

    it("POST /_svc/graphs/:id/pause · resume · cancel · retry: 202 the snapshot; a transition that the state forbids 409, naming both states", async () => {
      const { id } = await begin({ worker: "held", input: {}, delay_ms: 60_000 });
      for (const [step, status] of [
        ["pause", "paused"],
        ["resume", "pending"],
        ["cancel", "failed"],
      ] as const) {
        const { status: reported, reply } = await call("POST", `/_svc/graphs/${id}/${step}`);
        assert.deepEqual([reported, reply["graph_id"], reply["status"]], [202, id, status], step);
      }
      const refused = await call("POST", `/_svc/graphs/${id}/pause`);
      assert.deepEqual([refused.status, refused.reply["code"]], [409, "SVC_TRANSITION"]);
      assert.match(textOf(refused.reply, "detail"), /failed[^]*paus|paus[^]*failed/);
      assert.equal((await call("POST", `/_svc/graphs/${id}/retry`)).status, 202);
      await call("POST", `/_svc/graphs/${id}/cancel`);
    });

    it("pause · resume · cancel · retry take {note}; the event of each records the actor and the note", async () => {
      const { id, token } = await begin({ worker: "held", input: {}, delay_ms: 60_000 });
      await call("POST", `/_svc/graphs/${id}/pause`, { note: "the disk is full" });
      await call("POST", `/_svc/graphs/${id}/resume`);
      await call("POST", `/_svc/graphs/${id}/cancel`, { note: "no more" });
      await call("POST", `/_svc/graphs/${id}/retry`, { note: "once more" });
      await call("POST", `/_svc/graphs/${id}/cancel`);
      const events = eventsOf(await (await site.send(`/_svc/graphs/${id}/events?token=${token}`)).text());
      const reported = events.filter(({ by }) => by !== undefined).map(({ type, by, note }) => [type, by, note]);
      assert.deepEqual(reported, [
        ["graph.queued", "operator", undefined],
        ["graph.pausing", "operator", "the disk is full"],
        ["graph.resumed", "operator", undefined],
        ["graph.failed", "operator", "no more"],
        ["graph.started", "operator", "once more"],
        ["graph.failed", "operator", undefined],
      ]);
      for (const body of [{ note: 1 }, { note: "x".repeat(501) }, { why: "" }, []]) {
        assert.equal((await call("POST", `/_svc/graphs/${id}/retry`, body)).status, 422);
      }
    });

    it("GET /_svc/status · GET /_svc/metrics: JSON summary · Prometheus text", async () => {
      const summary = await call("GET", "/_svc/status");
      assert.deepEqual([summary.status, summary.reply["status"]], [200, "ready"]);
      const metrics = await site.send("/_svc/metrics", { headers: OPERATOR });
      assert.match(metrics.headers.get("content-type") ?? "", /^text\/plain; version=0\.0\.4/);
      assert.match(await metrics.text(), /^# HELP svc_graphs .+\n# TYPE svc_graphs gauge\n/m);
      for (const path of ["/_svc/status", "/_svc/metrics"]) assert.equal((await site.send(path)).status, 401);
    });

    it("Events: data: is {seq, type, graph_id, node?, timestamp_ms, …}; seq starts at 1 and has no gaps. A node appears as done once per epoch", async () => {
      const { id, token } = await finish({ worker: "sum", input: { value: 1 } });
      const events = eventsOf(await (await site.send(`/_svc/graphs/${id}/events?token=${token}`)).text());
      assert.deepEqual(
        events.map(({ seq }) => seq),
        events.map((_, index) => index + 1),
      );
      for (const event of events) {
        assert.equal(event.graph_id, id);
        assert.ok(Number.isInteger(event.timestamp_ms));
        assert.equal(event.type.startsWith("node."), event.node !== undefined && event.type !== "progress");
      }
      const done = events.filter(({ type }) => type === "node.done").map(({ node }) => node);
      assert.deepEqual(done, ["first", "second"]);
    });

    it("types graph.queued|started|pausing|paused|resumed|done|failed, node.ready|started|done|failed|retrying|waiting|skipped|discarded, progress {value, note?}, log {level, message}, custom {name, data}", async () => {
      const typesOf = async ({ id, token }: { id: string; token: string }): Promise<WireEvent[]> =>
        eventsOf(await (await site.send(`/_svc/graphs/${id}/events?token=${token}`)).text());
      const talk = await typesOf(await finish({ worker: "chatty", input: null }));
      const said = (type: string): WireEvent | undefined => talk.find((event) => event.type === type);
      const progress = talk.filter(({ type }) => type === "progress").map(({ value, note }) => [value, note]);
      assert.deepEqual(progress, [
        [0, "begun"],
        [1, undefined],
      ]);
      assert.deepEqual([said("log")?.["level"], said("log")?.["message"]], ["info", "hello"]);
      assert.deepEqual([said("custom")?.["name"], said("custom")?.["data"]], ["found", { n: 1 }]);
      const paused = await begin({ worker: "held", input: {}, delay_ms: 60_000 });
      for (const step of ["pause", "resume", "cancel"]) await call("POST", `/_svc/graphs/${paused.id}/${step}`);
      const types = new Set(
        [...talk, ...(await typesOf(paused)), ...(await typesOf(await finish({ worker: "flaky", input: null })))].map(
          ({ type }) => type,
        ),
      );
      for (const type of [
        "graph.queued",
        "graph.started",
        "graph.paused",
        "graph.resumed",
        "graph.done",
        "graph.failed",
        "node.ready",
        "node.started",
        "node.done",
        "node.retrying",
      ])
        assert.ok(types.has(type), `${type} of ${[...types].join()}`);
    });

    it("Auth: bearer key, or a graph token (HMAC, scoped read or control, expiring) as header X-Svc-Graph-Token", async () => {
      const { id, token } = await finish({ worker: "double", input: { value: 2 } });
      const other = await finish({ worker: "double", input: { value: 2 } });
      const headers = { "x-svc-graph-token": token };
      const statusOf = async (path: string, init: RequestInit = {}): Promise<number> =>
        (await site.send(path, init)).status;
      assert.equal(await statusOf(`/_svc/graphs/${id}`), 401);
      assert.equal(await statusOf(`/_svc/graphs/${id}`, { headers: { authorization: `Bearer ${API_KEY}` } }), 200);
      assert.equal(await statusOf(`/_svc/graphs/${id}`, { headers }), 200);
      assert.equal(await statusOf(`/_svc/graphs/${other.id}`, { headers }), 401, "another graph");
      assert.equal(await statusOf(`/_svc/graphs/${id}/retry`, { method: "POST", headers }), 403, "a read token");
      assert.equal(await statusOf("/_svc/graphs", { headers }), 401, "the list");
      const forged = `control${token.slice("read".length)}`;
      assert.equal(await statusOf(`/_svc/graphs/${id}`, { headers: { "x-svc-graph-token": forged } }), 401);
      const reported = async (path: string, given: Record<string, string>): Promise<unknown> =>
        ((await (await site.send(path, { headers: given })).json()) as { detail: unknown }).detail;
      const isNone = "The token has expired or belongs to another graph. Reload the page that contains it";
      assert.equal(await reported(`/_svc/graphs/${other.id}`, headers), isNone);
      assert.equal(await reported(`/_svc/graphs/${other.id}/events?token=${token}`, {}), isNone);
      assert.match(String(await reported(`/_svc/graphs/${other.id}`, {})), /^Missing or invalid key/);
    });

    it("POST /_svc/graphs/:id/signal {name, payload?, idempotency_key?}: 202 the snapshot; 422 with issues for what the worker's schema refuses", async () => {
      const { id, token } = await finish({ worker: "approval", input: null });
      const send = (body: unknown) => call("POST", `/_svc/graphs/${id}/signal`, body);
      const refused = await send({ name: "decision", payload: { yes: "maybe" } });
      assert.deepEqual([refused.status, refused.reply["code"]], [422, "SVC_INVALID"]);
      assert.deepEqual((refused.reply["issues"] as { path: string[] }[])[0]?.path, ["yes"]);
      for (const body of [{}, { name: "" }, { name: 1 }, { name: "decision", value: 1 }, []])
        assert.equal((await send(body)).status, 422, JSON.stringify(body));
      const body = { name: "decision", payload: { yes: true }, idempotency_key: "click", note: "looks good" };
      const reported = await send(body);
      assert.deepEqual([reported.status, reported.reply["graph_id"]], [202, id]);
      assert.deepEqual([reported.reply["nodes"], reported.reply["next_node"]], [[], ""]);
      await site.app.engine.idle();
      assert.equal((await snapshotOf(id))["result"], "approved");
      assert.equal((await send({ name: "decision" })).status, 409);
      assert.equal((await call("POST", "/_svc/graphs/g_none/signal", { name: "x" })).status, 404);
      const events = eventsOf(await (await site.send(`/_svc/graphs/${id}/events?token=${token}`)).text());
      const signal = events.find(({ type }) => type === "graph.signal");
      assert.deepEqual([signal?.["name"], signal?.["by"]], ["decision", "operator"]);
    });

    it("GET /_svc/graphs/:id?limit&after lists the nodes in parts", async () => {
      const { id } = await finish({ worker: "approval", input: null });
      const read = async (query: string) => (await call("GET", `/_svc/graphs/${id}?${query}`, undefined)).reply;
      const idsOf = (reply: Record<string, unknown>) => (reply["nodes"] as { id: string }[]).map((node) => node.id);
      const first = await read("limit=1");
      assert.deepEqual([idsOf(first), first["next_node"]], [["approval"], "approval"]);
      const second = await read("limit=1&after=approval");
      assert.deepEqual([idsOf(second), second["next_node"]], [["approval#decision"], undefined]);
      assert.equal((await call("GET", `/_svc/graphs/${id}?limit=x`, undefined)).status, 422);
    });

    it("events and logs can be read per node, including the steps of its worker", async () => {
      const { id, token } = await finish({ worker: "approval", input: null });
      await call("POST", `/_svc/graphs/${id}/signal`, { name: "decision", payload: { yes: false } });
      await site.app.engine.idle();
      const read = async (node: string): Promise<string[]> =>
        eventsOf(await (await site.send(`/_svc/graphs/${id}/events?token=${token}&node=${node}`)).text()).map(
          (event) => `${event.type} ${String(event["message"] ?? event.node ?? "")}`,
        );
      assert.deepEqual(await read("approval%23note"), ["node.done approval#note", "graph.done "]);
      assert.deepEqual(
        (await read("approval")).filter((line) => line.startsWith("log")),
        ["log asked", "log noted"],
      );
      assert.deepEqual(await read("other"), ["graph.done "]);
    });

    it("artifacts are listed, and sent as downloads that no browser displays inline", async () => {
      const { id, token } = await finish({ worker: "exporter", input: "text/html" });
      const all = (await call("GET", `/_svc/graphs/${id}/artifacts`)).reply["artifacts"] as Record<string, unknown>[];
      assert.deepEqual(
        [all.length, all[0]?.["name"], all[0]?.["bytes"], all[0]?.["node"]],
        [1, "list.html", 25, "exporter"],
      );
      const path = `/_svc/graphs/${id}/artifacts/list.html`;
      const file = await site.send(`${path}?token=${token}`);
      assert.deepEqual(
        ["content-type", "content-disposition", "x-content-type-options", "content-length"].map((name) =>
          file.headers.get(name),
        ),
        ["application/octet-stream", 'attachment; filename="list.html"', "nosniff", "25"],
      );
      assert.equal(file.headers.get("content-security-policy"), "default-src 'none'; sandbox");
      assert.equal(file.headers.get("cross-origin-resource-policy"), "same-origin");
      assert.equal(all[0]?.["type"], "text/html");
      assert.equal(await file.text(), "<script>alert(1)</script>");
      assert.equal((await site.send(path)).status, 401);
      assert.equal((await call("GET", `/_svc/graphs/${id}/artifacts/other`)).status, 404);
      assert.equal((await call("GET", "/_svc/graphs/g_none/artifacts")).status, 404);
    });

    for (const [type, sent] of [
      ["text/javascript", "application/octet-stream"],
      ["application/ecmascript", "application/octet-stream"],
      ["text/css", "application/octet-stream"],
      ["application/xhtml+xml", "application/octet-stream"],
      ["text/event-stream", "application/octet-stream"],
      ["image/svg+xml", "application/octet-stream"],
      ["image/png", "image/png"],
      ["text/csv; charset=utf-8", "text/csv; charset=utf-8"],
      ["application/json", "application/json"],
    ] as const)
      it(`an artifact of the type ${type} is sent as ${sent}`, async () => {
        const { id, token } = await finish({ worker: "exporter", input: type });
        const file = await site.send(`/_svc/graphs/${id}/artifacts/list.html?token=${token}`);
        assert.equal(file.headers.get("content-type"), sent);
      });

    it("the source location of an error is shown to operators with its node, but not to tokens and in no event", async () => {
      const { id } = await begin({ worker: "broken", input: {} });
      await until(async () => (await call("GET", `/_svc/graphs/${id}`)).reply["status"] === "failed", "its end");
      const path = `/_svc/graphs/${id}/nodes/broken`;
      const { origin, error } = (await call("GET", path)).reply as { origin: { place: string }; error: object };
      assert.match(origin.place, /^test\/contract\/app\.ts:\d+:\d+$/);
      assert.deepEqual(Object.keys(error), ["message", "reason", "node"]);
      const headers = { "x-svc-graph-token": site.app.graphToken(id, "read") };
      for (const rest of ["", "/nodes/broken", "/history"]) {
        const text = await (await site.send(`/_svc/graphs/${id}${rest}`, { headers })).text();
        assert.ok(text.includes(id) || text.includes("broken"), rest);
        assert.ok(!text.includes(origin.place), rest);
      }
    });

    it("with the token, control calls also need CSRF", async () => {
      const { id } = await begin({ worker: "held", input: {}, delay_ms: 60_000 });
      const read = { "x-svc-graph-token": site.app.graphToken(id, "read") };
      const control = { "x-svc-graph-token": site.app.graphToken(id, "control") };
      const csrf = { "x-svc-csrf": await site.client.csrfToken() };
      const pause = async (headers: Record<string, string>): Promise<number> =>
        (await site.client.request(`/_svc/graphs/${id}/pause`, { method: "POST", headers })).status;
      assert.equal(await pause(control), 403, "without CSRF");
      assert.equal(await pause({ "x-svc-csrf": "forged", ...control }), 403, "with another token");
      assert.equal(await pause({ ...csrf, ...read }), 403, "a token that reads");
      assert.equal(await pause({ ...csrf, ...control, origin: "https://elsewhere.example" }), 403, "from elsewhere");
      assert.equal(await pause(csrf), 401, "no token");
      assert.equal(await pause({ ...csrf, ...control }), 202);
      assert.equal(
        (await site.send(`/_svc/graphs/${id}`, { headers: control })).status,
        200,
        "a control token can read, too",
      );
      const inUrl = `/_svc/graphs/${id}/resume?token=${control["x-svc-graph-token"]}`;
      assert.equal((await site.client.request(inUrl, { method: "POST", headers: csrf })).status, 403, "in the query");
    });

    it("EventSource cannot send headers: read tokens are also taken as ?token=", async () => {
      const { id, token } = await finish({ worker: "double", input: { value: 2 } });
      assert.equal((await site.send(`/_svc/graphs/${id}?token=${token}`)).status, 200);
      assert.equal((await site.send(`/_svc/graphs/${id}?token=${token}x`)).status, 401);
      assert.equal((await site.send(site.app.eventsUrl(id))).status, 200);
    });

    it("Graph ids: g_ + 26 characters", async () => {
      assert.match((await begin({ worker: "double", input: { value: 1 } })).id, /^g_[0-9A-Za-z]{26}$/);
    });

    it("reject an invalid start: 422 with the reason, 401 without the key, 404 for an unknown name", async () => {
      for (const body of [
        [],
        {},
        { worker: 1 },
        { worker: "double", inptu: 1 },
        { worker: "double", delay_ms: -1 },
        { worker: "double", priority: 1001 },
        { worker: "double", tags: "x" },
      ])
        assert.equal((await start(body)).status, 422, JSON.stringify(body));
      assert.equal((await site.send("/_svc/graphs", { method: "POST" })).status, 401);
      assert.equal((await start({ worker: "nobody" })).status, 404);
    });

    it("whose worker has a schema are rejected when the input is invalid: 422 with issues", async () => {
      const refused = await start({ worker: "invoice", input: { pages: "three" } });
      const [issue] = refused.reply["issues"] as { path: string[] }[];
      assert.deepEqual([refused.status, refused.reply["code"], issue?.path], [422, "SVC_INVALID", ["input", "pages"]]);
      assert.equal((await start({ worker: "invoice", input: { pages: 3 } })).status, 202);
    });

    it("that are compensated show the compensated nodes, and emit those events before their one graph.failed", async () => {
      const { id, token } = await finish({ worker: "trip", input: null });
      const { status, phase, nodes } = await snapshotOf(id);
      assert.deepEqual([status, phase], ["failed", "failed"]);
      assert.deepEqual(
        (nodes as { id: string; status: string }[]).map((node) => `${node.id} ${node.status}`),
        ["book compensated", "pay failed"],
      );
      const reported = eventsOf(await (await site.send(`/_svc/graphs/${id}/events?token=${token}`)).text());
      assert.deepEqual(
        reported.slice(-5).map((event) => event.type),
        ["node.compensating", "graph.cancelling", "log", "node.compensated", "graph.failed"],
      );
    });

    it("that are paused with a grace period abort work that outlasts it: 422 for an invalid period", async () => {
      const { id } = await begin({ worker: "held", input: {} });
      await until(async () => (await snapshotOf(id))["status"] === "running", "running");
      assert.equal((await call("POST", `/_svc/graphs/${id}/pause`, { grace_ms: -1 })).status, 422);
      assert.equal((await call("POST", `/_svc/graphs/${id}/pause`, { grace_ms: 0 })).status, 202);
      await until(async () => (await snapshotOf(id))["status"] === "paused", "paused");
      await call("POST", `/_svc/graphs/${id}/cancel`);
    });

    it("that run show their status and can be cancelled", async () => {
      const { id } = await begin({ worker: "held", input: {} });
      await until(async () => (await snapshotOf(id))["status"] === "running", "running");
      await call("POST", `/_svc/graphs/${id}/cancel`);
      await until(async () => (await snapshotOf(id))["status"] === "failed", "cancelled");
      assert.equal(((await snapshotOf(id))["error"] as { reason: string }).reason, "cancelled");
      const listed = async (status: string): Promise<boolean> => {
        const { reply } = await call("GET", `/_svc/graphs?status=${status}`);
        return (reply["graphs"] as { graph_id: string }[]).some((graph) => graph.graph_id === id);
      };
      assert.deepEqual([await listed("cancelled"), await listed("failed")], [true, false]);
    });
  },
  {},
  { workers: [...WORKERS, chatty, flaky, approval, exporter, invoice], graphs: [sum, trip] },
);

it("graph tokens are expiring: after a day they grant no access", async () => {
  const clock = new SimulatedClock();
  await withFixture(
    async (fixture) => {
      const { reply } = await operate(fixture, "POST", "/_svc/graphs", { worker: "double", input: { value: 1 } });
      const path = `/_svc/graphs/${textOf(reply, "graph_id")}?token=${textOf(reply, "token")}`;
      await clock.advance(23 * 3_600_000);
      assert.equal((await fixture.client.get(path)).status, 200);
      await clock.advance(2 * 3_600_000);
      assert.equal((await fixture.client.get(path)).status, 401);
    },
    {},
    { clock },
  );
});
