/** The comparison of two runs on the operator screens. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { App } from "svckit";
import type { TestClient } from "svckit/testing";
import { localClient, opsSample, orderInput, runTo } from "./ops-app.ts";

let app: App;
let client: TestClient;
let done: string;
let failed: string;
let report: string;

async function text(query: string, status = 200): Promise<string> {
  const answer = await client.get(`/_svc/ops/runs/compare${query}`);
  assert.equal(answer.status, status, query);
  return answer.text();
}

describe("The comparison of two runs", () => {
  before(async () => {
    app = opsSample({ ops: { redact: ["email"] } });
    await app.boot();
    client = localClient(app);
    done = await runTo(app, "order", { ...orderInput(3), email: "eve@example.com" }, "done");
    failed = await runTo(app, "order", orderInput(7), "failed");
    report = await runTo(app, "nightly-report", null, "done");
  });
  after(() => app.close());

  it("shows which nodes differ, in what, and by how much time", async () => {
    const page = await text(`?run=${done}&with=${failed}`);
    assert.match(page, /of 17 nodes differ: reserve, /);
    const [charge = ""] = /<tr[^>]*><th[^>]*><a[^>]*node=charge"[\s\S]*?<\/tr>/.exec(page) ?? [];
    assert.match(charge, /done[\s\S]*2 attempts[\s\S]*failed[\s\S]*differs[\s\S]*differs/);
    assert.match(await text(`?run=${done}&with=${done}`), /No differences in 17 nodes/);
  });

  it("shows the differences of inputs and outputs, of the runs or of a node, without secrets", async () => {
    const page = await text(`?run=${done}&with=${failed}`);
    assert.match(page, /<code>order<\/code>[\s\S]*2026-1003[\s\S]*2026-1007/);
    assert.ok(!page.includes("eve@example.com") && !page.includes("tok_4111_secret"));
    assert.match(
      await text(`?run=${done}&with=${failed}&node=charge`),
      /Input and output of charge[\s\S]*rc_2026-1003/,
    );
  });

  it("does not compare inputs and outputs of a node that only one run has", async () => {
    const { snapshot } = await app.engine.start("order", orderInput(8, 21));
    await app.engine.signal(snapshot.graph_id, "approval", { ok: true });
    await app.engine.idle();
    const page = await text(`?run=${done}&with=${snapshot.graph_id}`);
    const rows = [...page.matchAll(/<tr[\s\S]*?<\/tr>/g)].map(([row]) => row).filter((row) => row.includes("missing"));
    assert.notEqual(rows.length, 0);
    for (const row of rows) assert.doesNotMatch(row, />same<|>differs</);
  });

  it("lets the visitor choose the second run, and swap the runs", async () => {
    assert.match(await text(`?run=${done}`), new RegExp(`run=${done}&amp;with=${failed}`));
    assert.match(await text(`?run=${done}&with=${failed}`), new RegExp(`run=${failed}&amp;with=${done}`));
    assert.match(await text(`?run=${report}`), /There is no other run of nightly-report/);
  });

  it("rejects runs that cannot be compared, and says why", async () => {
    assert.match(await text(`?run=${done}&with=${report}`, 422), /of order and nightly-report/);
    assert.match(await text("", 422), /Select two runs to compare, not 0/);
    assert.match(await text(`?run=${done}&with=g_none`, 404), /There is no run/);
  });
});
