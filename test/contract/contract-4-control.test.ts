/** Contract section 4 and its later additions: operating graphs over HTTP. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { event, graph, worker } from "svckit/graph";
import { WORKERS } from "./app.ts";
import { describeBothAdapters } from "./both-adapters.ts";
import { operate, textOf, type Called } from "./calls.ts";

const parts = graph("parts", (g) => {
  const list = g.node(
    "list",
    worker("part-list", (input: number[]) => input),
  );
  const twice = g.map(
    "twice",
    worker("part-twice", (n: number) => n * 2),
    list,
    (all) => all,
  );
  return g.node(
    "total",
    worker("part-total", (_: unknown, ctx) => (ctx.deps["twice"] as number[]).reduce((a, b) => a + b, 0)),
    { after: [twice] },
  );
});

const valueGiven = event<{ value: number }>("value.given");
const byEvent = graph(
  "by-event",
  (g) =>
    g.node(
      "twice",
      worker("event-twice", ({ value }: { value: number }) => value * 2),
    ),
  { on: valueGiven },
);
const awaits = worker("awaits", async (_: unknown, ctx) => (await ctx.waitForEvent(valueGiven)).data);

describeBothAdapters(
  "control of graphs",
  (site) => {
    const call = (method: string, path: string, body?: unknown): Promise<Called> => operate(site, method, path, body);
    const finish = async (body: object): Promise<string> => {
      const { reply } = await call("POST", "/_svc/graphs", body);
      await site.app.engine.idle();
      return textOf(reply, "graph_id");
    };
    const settled = async (id: string): Promise<Record<string, unknown>> => {
      await site.app.engine.idle();
      return (await call("GET", `/_svc/graphs/${id}`)).reply;
    };

    it("POST /_svc/graphs takes at and parent, and the snapshots of both show the other", async () => {
      const parent = await finish({ worker: "double", input: { value: 1 } });
      const at = new Date(Date.now() + 3_600_000).toISOString();
      const { reply } = await call("POST", "/_svc/graphs", {
        worker: "double",
        input: { value: 2 },
        at,
        parent: { graph_id: parent, node: "double" },
      });
      const id = textOf(reply, "graph_id");
      const child = await settled(id);
      assert.deepEqual(
        [child["status"], child["due_ms"], child["parent"], child["forked_from"]],
        ["pending", Date.parse(at), { graph_id: parent, node: "double" }, null],
      );
      assert.deepEqual((await settled(parent))["children"], [
        { graph_id: id, node: "double", worker: "double", status: "pending" },
      ]);
      for (const bad of ["tomorrow", "2026-01-01", -1, 1.5, true])
        assert.equal((await call("POST", "/_svc/graphs", { worker: "double", at: bad })).status, 422, String(bad));
      for (const bad of ["g_1", {}, { graph_id: 1 }, { graph_id: parent, nodes: [] }])
        assert.equal((await call("POST", "/_svc/graphs", { worker: "double", parent: bad })).status, 422);
    });

    it("POST /_svc/graphs/:id/retry {from} runs a node again and what comes after it; GET …/past keeps what was", async () => {
      const id = await finish({ worker: "parts", input: [1, 2] });
      const { status, reply } = await call("POST", `/_svc/graphs/${id}/retry`, { from: "twice/1", note: "once more" });
      assert.deepEqual([status, reply["epoch"], reply["status"]], [202, 2, "running"]);
      assert.deepEqual((await settled(id))["result"], 6);
      const { nodes } = (await call("GET", `/_svc/graphs/${id}/past`)).reply as { nodes: Record<string, unknown>[] };
      assert.deepEqual(
        nodes.map(({ id: node, epoch, result }) => [node, epoch, result]),
        [
          ["total", 1, 6],
          ["twice/1", 1, 4],
        ],
      );
      const refused = await call("POST", `/_svc/graphs/${id}/retry`, { from: "no-such" });
      assert.equal(refused.status, 422);
      assert.match(textOf(refused.reply, "detail"), /its nodes are list, twice, total/);
      for (const from of ["", 1, null, "x".repeat(101)])
        assert.equal((await call("POST", `/_svc/graphs/${id}/retry`, { from })).status, 422, String(from));
    });

    it("POST /_svc/graphs/:id/fork {from, input?}: 202 the snapshot of a new graph with the results before it", async () => {
      const id = await finish({ worker: "parts", input: [1, 2] });
      const { status, reply } = await call("POST", `/_svc/graphs/${id}/fork`, { from: "twice/0", input: 10 });
      assert.deepEqual([status, reply["forked_from"]], [202, id]);
      assert.equal((await settled(textOf(reply, "graph_id")))["result"], 24);
      assert.equal((await settled(id))["result"], 6);
      assert.equal((await call("POST", `/_svc/graphs/${id}/fork`)).status, 422);
      assert.equal((await call("POST", `/_svc/graphs/${id}/fork`, { from: "list", to: "total" })).status, 422);
      assert.equal((await call("POST", "/_svc/graphs/g_unknown/fork", { from: "list" })).status, 404);
    });

    it("GET /_svc/audit ?target&actor&operation&since_ms&limit&cursor: actors, operations, notes and origins, newest first", async () => {
      const { reply } = await call("POST", "/_svc/graphs", { worker: "double", delay_ms: 60_000 });
      const id = textOf(reply, "graph_id");
      await call("POST", `/_svc/graphs/${id}/pause`, { note: "the disk is full" });
      await call("POST", `/_svc/graphs/${id}/pause`);
      await call("POST", `/_svc/graphs/${id}/cancel`);
      const trail = (await call("GET", `/_svc/audit?target=${id}`)).reply;
      assert.deepEqual(Object.keys(trail), ["audit", "total", "next_cursor"]);
      const rows = trail["audit"] as Record<string, unknown>[];
      assert.deepEqual(
        rows.map(({ operation, actor, note }) => [operation, actor, note]),
        [
          ["graph.cancel", "operator", null],
          ["graph.pause", "operator", "the disk is full"],
        ],
      );
      assert.deepEqual(Object.keys(rows[0] ?? {}), [
        "id",
        "timestamp_ms",
        "actor",
        "address",
        "operation",
        "target",
        "note",
        "data",
      ]);
      assert.equal(typeof rows[0]?.["address"], "string");
      const first = (await call("GET", `/_svc/audit?target=${id}&limit=1`)).reply;
      const next = (await call("GET", `/_svc/audit?target=${id}&limit=1&cursor=${textOf(first, "next_cursor")}`)).reply;
      assert.deepEqual(
        [(next["audit"] as { operation: string }[])[0]?.operation, next["next_cursor"]],
        ["graph.pause", null],
      );
      assert.equal(
        (await call("GET", `/_svc/audit?target=${id}&operation=graph.pause&actor=operator`)).reply["total"],
        1,
      );
      for (const query of ["cursor=x", "since_ms=x", "limit=0"])
        assert.equal((await call("GET", `/_svc/audit?${query}`)).status, 422, query);
    });

    it("POST /_svc/graphs/bulk {action, filter, dry_run?, limit?, cursor?}: counts by outcome; dry_run only counts", async () => {
      const ids: string[] = [];
      for (let count = 0; count < 5; count++) {
        const body = { worker: "double", input: { value: 1 }, delay_ms: 60_000, tags: ["many"] };
        ids.push(textOf((await call("POST", "/_svc/graphs", body)).reply, "graph_id"));
      }
      await call("POST", `/_svc/graphs/${ids[0]}/pause`);
      const bulk = (body: object): Promise<Called> =>
        call("POST", "/_svc/graphs/bulk", { filter: { tag: "many" }, ...body });
      const dry = await bulk({ action: "pause", dry_run: true });
      assert.deepEqual(
        [dry.status, dry.reply],
        [200, { action: "pause", matched: 5, changed: 0, refused: 0, dry_run: true, next_cursor: null }],
      );
      const below = (await bulk({ action: "pause", dry_run: true, cursor: ids[3], limit: 2 })).reply;
      assert.deepEqual([below["matched"], below["next_cursor"]], [2, ids[1]]);
      const paused = (await bulk({ action: "pause", note: "maintenance" })).reply;
      assert.deepEqual([paused["matched"], paused["changed"], paused["refused"]], [5, 4, 1]);
      const some = (await bulk({ action: "cancel", limit: 2 })).reply;
      assert.deepEqual([some["changed"], typeof some["next_cursor"]], [2, "string"]);
      const rest = (await bulk({ action: "cancel", cursor: some["next_cursor"] })).reply;
      assert.deepEqual([rest["changed"], rest["next_cursor"]], [3, null]);
      assert.equal((await call("GET", "/_svc/graphs?tag=many&status=cancelled")).reply["total"], 5);
      const trail = (await call("GET", `/_svc/audit?target=${ids[1]}`)).reply["audit"] as Record<string, unknown>[];
      assert.deepEqual(
        trail.map(({ operation, note }) => [operation, note]),
        [
          ["graph.cancel", null],
          ["graph.pause", "maintenance"],
        ],
      );
      assert.equal((await call("GET", "/_svc/audit?operation=graphs.cancel")).reply["total"], 2);
      for (const bad of [
        { action: "explode" },
        { action: "pause", filter: undefined },
        { action: "pause", filter: { name: "x" } },
        { action: "pause", filter: { status: "odd" } },
        { action: "pause", dry_run: "yes" },
        { action: "pause", limit: 0 },
      ])
        assert.equal((await bulk(bad)).status, 422, JSON.stringify(bad));
    });

    it("POST /_svc/graphs/bulk {action: purge} deletes finished graphs and returns their number", async () => {
      for (let count = 0; count < 3; count++) await finish({ worker: "double", input: { value: 1 }, tags: ["old"] });
      await call("POST", "/_svc/graphs", { worker: "double", delay_ms: 60_000, tags: ["old"] });
      const purge = (body: object): Promise<Called> =>
        call("POST", "/_svc/graphs/bulk", { action: "purge", filter: { tag: "old" }, ...body });
      const dry = (await purge({ dry_run: true })).reply;
      assert.deepEqual([dry["matched"], dry["changed"]], [3, 0]);
      assert.equal((await purge({ filter: { tag: "old", finished_before_ms: 1 } })).reply["changed"], 0);
      const { status, reply } = await purge({ note: "tidy" });
      assert.deepEqual([status, reply["matched"], reply["changed"], reply["refused"]], [200, 3, 3, 0]);
      assert.equal((await call("GET", "/_svc/graphs?tag=old")).reply["total"], 1);
      const trail = (await call("GET", "/_svc/audit?operation=graphs.purge")).reply;
      assert.deepEqual([trail["total"], (trail["audit"] as { note: string }[])[0]?.note], [2, "tidy"]);
      for (const filter of [{ status: "running" }, { error: "x" }, { finished_before_ms: "soon" }])
        assert.equal((await purge({ filter })).status, 422, JSON.stringify(filter));
    });

    it("PUT · GET · DELETE /_svc/schedules/:name {worker, cron, time_zone?, input?, catch_up?, overlap?}, and the list of all", async () => {
      const path = "/_svc/schedules/nightly";
      const body = {
        worker: "double",
        cron: "30 2 * * *",
        time_zone: "Europe/Berlin",
        input: { value: 4 },
        note: "new",
      };
      const made = await call("PUT", path, body);
      assert.deepEqual(Object.keys(made.reply), [
        "name",
        "worker",
        "cron",
        "time_zone",
        "input",
        "catch_up",
        "overlap",
        "jitter_ms",
        "source",
        "paused",
        "next_ms",
        "last_ms",
        "last_graph_id",
        "created_ms",
        "updated_ms",
      ]);
      assert.deepEqual(
        [made.status, made.reply["catch_up"], made.reply["overlap"], made.reply["source"]],
        [201, "last", "skip", "api"],
      );
      assert.equal((await call("PUT", path, { ...body, catch_up: "none", overlap: "allow" })).status, 200);
      assert.equal((await call("GET", path)).reply["catch_up"], "none");
      const { schedules } = (await call("GET", "/_svc/schedules")).reply as { schedules: Record<string, unknown>[] };
      assert.deepEqual(
        schedules.map(({ name, source }) => [name, source]),
        [
          ["by-code", "app"],
          ["nightly", "api"],
        ],
      );
      for (const bad of [
        {},
        { worker: "double", cron: "often" },
        { worker: "nobody", cron: "* * * * *" },
        { ...body, time_zone: "Mars/Olympus" },
        { ...body, catch_up: "some" },
        { ...body, every: "day" },
      ])
        assert.equal((await call("PUT", "/_svc/schedules/other", bad)).status, 422, JSON.stringify(bad));
      assert.equal((await call("PUT", "/_svc/schedules/by-code", body)).status, 409);
      assert.equal((await call("DELETE", "/_svc/schedules/by-code")).status, 409);
      assert.equal((await call("DELETE", path)).status, 204);
      for (const method of ["GET", "DELETE"]) assert.equal((await call(method, path)).status, 404);
    });

    it("POST /_svc/schedules/:name/pause · resume · trigger: the schedule; the snapshot of the graph that was started", async () => {
      const path = "/_svc/schedules/by-code";
      const paused = await call("POST", `${path}/pause`, { note: "holidays" });
      assert.deepEqual([paused.status, paused.reply["paused"], paused.reply["next_ms"]], [200, true, null]);
      assert.equal((await call("POST", `${path}/resume`)).reply["paused"], false);
      const [first, again] = [
        await call("POST", `${path}/trigger`, { idempotency_key: "k" }),
        await call("POST", `${path}/trigger`, { idempotency_key: "k" }),
      ];
      assert.deepEqual([first.status, first.reply["tags"]], [202, ["schedule:by-code"]]);
      assert.equal(again.reply["graph_id"], first.reply["graph_id"]);
      assert.equal((await settled(textOf(first.reply, "graph_id")))["result"], 10);
      assert.equal((await call("POST", "/_svc/schedules/unknown/trigger")).status, 404);
      const trail = (await call("GET", "/_svc/audit?target=by-code&operation=schedule.pause")).reply;
      assert.equal((trail["audit"] as { note: string }[])[0]?.note, "holidays");
    });

    it("POST /_svc/events {name, data, id?} · GET /_svc/events: an event starts and resumes runs, once per id", async () => {
      const body = { name: "value.given", data: { value: 8 }, id: "e1" };
      const { reply: waiting } = await call("POST", "/_svc/graphs", { worker: "awaits" });
      const sent = await call("POST", "/_svc/events", body);
      assert.deepEqual([sent.status, sent.reply], [202, { id: "e1", name: "value.given" }]);
      assert.equal((await call("POST", "/_svc/events", body)).status, 200);
      const run = await settled(textOf(waiting, "graph_id"));
      assert.deepEqual(run["result"], { value: 8 });
      const { graphs } = (await call("GET", "/_svc/graphs?worker=by-event&origin=event")).reply as {
        graphs: { graph_id: string }[];
      };
      assert.equal(graphs.length, 1);
      assert.equal((await settled(graphs[0]?.graph_id ?? ""))["result"], 16);
      const { reply } = await call("GET", "/_svc/events?name=value.given&limit=5");
      const [listed] = reply["events"] as Record<string, unknown>[];
      assert.deepEqual(Object.keys(listed ?? {}), ["id", "name", "data", "sent_ms", "pending"]);
      assert.equal(reply["next_cursor"], null);
      for (const bad of [{}, { name: "1" }, { name: "x", id: "" }, { name: "x", more: 1 }])
        assert.equal((await call("POST", "/_svc/events", bad)).status, 422, JSON.stringify(bad));
      assert.equal((await call("GET", "/_svc/events?cursor=x")).status, 422);
    });

    it("GET /_svc/queues · POST /_svc/queues/:worker/pause · resume: how much waits, since when, and whether it may start", async () => {
      const { status, reply } = await call("POST", "/_svc/queues/double/pause", { note: "busy" });
      assert.deepEqual([status, reply["paused"], reply["paused_by"], reply["note"]], [200, true, "operator", "busy"]);
      const { reply: started } = await call("POST", "/_svc/graphs", { worker: "double", input: { value: 21 } });
      const { queues } = (await call("GET", "/_svc/queues")).reply as { queues: Record<string, unknown>[] };
      const queue = queues.find(({ worker: name }) => name === "double");
      assert.deepEqual([queue?.["waiting"], queue?.["running"], typeof queue?.["oldest_ms"]], [1, 0, "number"]);
      assert.equal((await call("POST", "/_svc/queues/double/resume")).reply["paused"], false);
      assert.equal((await settled(textOf(started, "graph_id")))["result"], 42);
      assert.equal((await call("POST", "/_svc/queues/unknown/pause")).status, 404);
    });

    it("records successful changes of webhooks in the audit trail", async () => {
      const { reply } = await call("POST", "/_svc/webhooks", { url: "https://example.com/hook", enabled: false });
      const id = textOf(reply, "id");
      await call("PATCH", `/_svc/webhooks/${id}`, { description: "mine" });
      assert.equal((await call("PATCH", `/_svc/webhooks/${id}`, { events: ["odd"] })).status, 422);
      await call("POST", `/_svc/webhooks/${id}/rotate-secret`);
      await call("DELETE", `/_svc/webhooks/${id}`);
      await call("DELETE", `/_svc/webhooks/${id}`);
      const trail = (await call("GET", `/_svc/audit?target=${id}`)).reply["audit"] as { operation: string }[];
      assert.deepEqual(
        trail.map(({ operation }) => operation),
        ["webhook.remove", "webhook.rotate-secret", "webhook.update", "webhook.create"],
      );
    });

    it("answers 401 without the key", async () => {
      for (const [method, path] of [
        ["GET", "/_svc/audit"],
        ["POST", "/_svc/graphs/g_x/fork"],
        ["GET", "/_svc/graphs/g_x/past"],
        ["POST", "/_svc/graphs/bulk"],
        ["GET", "/_svc/schedules"],
        ["PUT", "/_svc/schedules/x"],
        ["DELETE", "/_svc/schedules/x"],
        ["POST", "/_svc/schedules/x/trigger"],
        ["POST", "/_svc/events"],
        ["GET", "/_svc/events"],
        ["GET", "/_svc/queues"],
        ["POST", "/_svc/queues/double/pause"],
      ] as const)
        assert.equal((await site.send(path, { method })).status, 401, path);
    });
  },
  {},
  {
    workers: [...WORKERS, awaits],
    graphs: [parts, byEvent],
    schedules: [{ name: "by-code", cron: "0 0 1 1 *", worker: "double", input: { value: 5 } }],
  },
);
