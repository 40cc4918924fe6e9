/** Contract section 4 and what it grew by: operating graphs over HTTP. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { graph, worker } from "svc";
import { WORKERS } from "./app.ts";
import { throughBothDoors } from "./both-doors.ts";
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

throughBothDoors(
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
      assert.match(textOf(refused.reply, "detail"), /it has list, twice, total/);
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

    it("GET /_svc/audit ?target&actor&operation&since_ms&limit&cursor: who did what, why and from where, newest first", async () => {
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

    it("is closed to who has no key", async () => {
      for (const [method, path] of [
        ["GET", "/_svc/audit"],
        ["POST", "/_svc/graphs/g_x/fork"],
        ["GET", "/_svc/graphs/g_x/past"],
      ] as const)
        assert.equal((await site.send(path, { method })).status, 401, path);
    });
  },
  {},
  { workers: WORKERS, graphs: [parts] },
);
