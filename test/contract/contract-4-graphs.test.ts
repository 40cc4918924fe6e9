/** Contract section 4 over `app.fetch`. */
import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { createFixture, OPERATOR } from "./app.ts";

const fixture = createFixture();
const { client, app } = fixture;
after(() => fixture.close());

interface Started {
  graph_id: string;
  worker: string;
  status: string;
  token: string;
}

async function start(body: unknown): Promise<{ status: number; reply: Started }> {
  const response = await client.request("/_svc/graphs", {
    method: "POST",
    headers: { ...OPERATOR, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return { status: response.status, reply: (await response.json()) as Started };
}

async function finish(body: unknown): Promise<Started> {
  const { reply } = await start(body);
  await app.engine.idle();
  return reply;
}

const post = (path: string) => client.request(path, { method: "POST", headers: OPERATOR });

function eventsOf(stream: string): { seq: number; type: string }[] {
  return [...stream.matchAll(/^data: (.+)$/gm)].map(
    (match) => JSON.parse(match[1] as string) as { seq: number; type: string },
  );
}

describe("graphs", () => {
  it("are started by name and give a token", async () => {
    const { status, reply } = await start({ worker: "sum", input: { value: 4 } });
    assert.equal(status, 202);
    assert.match(reply.graph_id, /^g_[0-9A-Za-z]{26}$/);
    assert.equal(reply.worker, "sum");
    assert.match(reply.token, /^read\./);
  });

  it("with the same idempotency key are the same graph, 200", async () => {
    const body = { worker: "double", input: { value: 1 }, idempotency_key: "once" };
    const first = await start(body);
    const second = await start(body);
    assert.equal(first.status, 202);
    assert.equal(second.status, 200);
    assert.equal(second.reply.graph_id, first.reply.graph_id);
  });

  it("show their snapshot", async () => {
    const { graph_id: id } = await finish({ worker: "sum", input: { value: 4 }, tags: ["t1"] });
    const snapshot = (await (await client.get(`/_svc/graphs/${id}`, OPERATOR)).json()) as Record<string, unknown>;
    assert.equal(snapshot["status"], "done");
    assert.equal(snapshot["result"], 9);
    assert.deepEqual(snapshot["edges"], [["first", "second"]]);
    assert.deepEqual(snapshot["tags"], ["t1"]);
  });

  it("are listed with total and cursor, and filtered", async () => {
    await finish({ worker: "double", input: { value: 2 }, tags: ["listed"] });
    await finish({ worker: "double", input: { value: 3 }, tags: ["listed"] });
    const first = (await (await client.get("/_svc/graphs?tag=listed&limit=1", OPERATOR)).json()) as {
      graphs: Started[];
      total: number;
      next_cursor: string;
    };
    assert.equal(first.total, 2);
    assert.equal(first.graphs.length, 1);
    const query = `tag=listed&limit=1&cursor=${encodeURIComponent(first.next_cursor)}`;
    const second = (await (await client.get(`/_svc/graphs?${query}`, OPERATOR)).json()) as typeof first;
    assert.notEqual(second.graphs[0]?.graph_id, first.graphs[0]?.graph_id);
    assert.equal(second.next_cursor, null);
  });

  it("stream their events without gaps, and go on where a follower left off", async () => {
    const { graph_id: id, token } = await finish({ worker: "sum", input: { value: 1 } });
    const response = await client.get(`/_svc/graphs/${id}/events?token=${token}`);
    assert.equal(response.headers.get("content-type"), "text/event-stream; charset=utf-8");
    const events = eventsOf(await response.text());
    assert.deepEqual(
      events.map(({ seq }) => seq),
      events.map((_, index) => index + 1),
    );
    assert.equal(events.at(-1)?.type, "graph.done");
    const rest = await client.get(`/_svc/graphs/${id}/events?token=${token}`, { "last-event-id": "2" });
    assert.deepEqual(eventsOf(await rest.text()), events.slice(2));
  });

  it("are steered, and a step that the state forbids is 409 naming both states", async () => {
    const { reply } = await start({ worker: "held", input: {} });
    assert.equal((await post(`/_svc/graphs/${reply.graph_id}/cancel`)).status, 202);
    await app.engine.idle();
    const refused = await post(`/_svc/graphs/${reply.graph_id}/pause`);
    assert.equal(refused.status, 409);
    assert.match(((await refused.json()) as { detail: string }).detail, /failed.*paus|paus.*failed/);
    assert.equal((await post(`/_svc/graphs/${reply.graph_id}/retry`)).status, 202);
    await post(`/_svc/graphs/${reply.graph_id}/cancel`);
    await app.engine.idle();
  });

  it("open to their own token only: reads one graph, steers none", async () => {
    const { graph_id: id, token } = await finish({ worker: "double", input: { value: 2 } });
    const other = await finish({ worker: "double", input: { value: 2 } });
    const headers = { "x-svc-graph-token": token };
    assert.equal((await client.get(`/_svc/graphs/${id}`)).status, 401);
    assert.equal((await client.get(`/_svc/graphs/${id}`, headers)).status, 200);
    assert.equal((await client.get(`/_svc/graphs/${other.graph_id}`, headers)).status, 401);
    assert.equal((await client.request(`/_svc/graphs/${id}/retry`, { method: "POST", headers })).status, 403);
    assert.equal((await client.get(app.eventsUrl(id))).status, 200);
  });

  it("refuse what is no start: 422 says what, 401 without the key, 404 for an unknown name or id", async () => {
    for (const body of [
      [],
      {},
      { worker: 1 },
      { worker: "double", inptu: 1 },
      { worker: "double", delay_ms: -1 },
      { worker: "double", tags: "x" },
    ]) {
      assert.equal((await start(body)).status, 422, JSON.stringify(body));
    }
    assert.equal((await client.request("/_svc/graphs", { method: "POST" })).status, 401);
    assert.ok([404, 422].includes((await start({ worker: "nobody" })).status));
    assert.equal((await client.get("/_svc/graphs/g_none", OPERATOR)).status, 404);
    assert.equal((await client.get("/_svc/graphs?status=odd", OPERATOR)).status, 422);
    assert.equal((await client.get("/_svc/graphs?limit=0", OPERATOR)).status, 422);
  });
});
