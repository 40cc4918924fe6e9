/** Runs that ended in the last hour, on the operator screens, whenever they started. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { App } from "svckit";
import { FinalError, worker } from "svckit/graph";
import { SimulatedClock, type TestClient } from "svckit/testing";
import { localClient, opsSample, runTo, until } from "./ops-app.ts";

const HOUR_MS = 3_600_000;

const slow = worker("slow", async (_: unknown, ctx) => {
  await ctx.waitFor("go");
  throw new FinalError("The disk was full");
});

describe("A run that waits for a signal", () => {
  it("needs attention, however many runs have started since", async () => {
    const clock = new SimulatedClock(Date.now());
    const app = opsSample({ more: { clock, workers: [slow], graphs: [], schedules: [] } });
    await app.boot();
    try {
      const id = await runTo(app, "slow", null, "running");
      const isWaiting = async (): Promise<boolean> =>
        (await app.engine.snapshot(id))?.nodes.at(-1)?.status === "waiting";
      await until(isWaiting, "the wait");
      for (let count = 0; count < 110; count++) await app.engine.start("slow", null);
      assert.match(await (await localClient(app).get("/_svc/ops")).text(), new RegExp(`/runs/${id}#signal`));
    } finally {
      await app.close();
    }
  });
});

describe("A run that failed after two hours", () => {
  // IDs contain the time of the machine.
  const clock = new SimulatedClock(Date.now());
  let app: App;
  let client: TestClient;
  let id: string;
  before(async () => {
    app = opsSample({ more: { clock, workers: [slow], graphs: [], schedules: [] } });
    await app.boot();
    client = localClient(app);
    id = await runTo(app, "slow", null, "running");
    await until(async () => (await app.engine.snapshot(id))?.nodes.at(-1)?.status === "waiting", "the wait");
    await clock.advance(2 * HOUR_MS);
    await app.engine.signal(id, "go");
    await until(async () => {
      await clock.advance(5);
      return (await app.engine.snapshot(id))?.phase === "failed";
    }, "the failure");
  });
  after(() => app.close());

  const text = async (path: string): Promise<string> => {
    const answer = await client.get(path);
    assert.equal(answer.status, 200, path);
    return answer.text();
  };

  it("needs attention, and is included in the bulk retry", async () => {
    const page = await text("/_svc/ops");
    assert.match(page, /class="trouble-text"[^>]*>The disk was full</);
    const again = new URLSearchParams({ status: "failed", worker: "slow", ended: "1h", which: "all", step: "retry" });
    assert.match(await text(`/_svc/ops/runs/bulk?${again.toString()}`), /Retry 1 run\?/);
  });

  it("is in the lists that the overview links to", async () => {
    const page = await text("/_svc/ops");
    const links = [...page.matchAll(/href="(\/_svc\/ops\/runs\?[^"]*ended[^"]*)"/g)].map(([, href = ""]) =>
      href.replaceAll("&amp;", "&"),
    );
    const failed = links.filter((href) => href.includes("status=failed"));
    for (const what of ["?status=failed&ended=1h", "ended_from=", "worker=slow&ended=1h"])
      assert.ok(
        failed.some((href) => href.includes(what)),
        what,
      );
    for (const href of failed) assert.ok((await text(href)).includes(id), href);
    assert.ok(!(await text("/_svc/ops/runs?status=failed&since=1h")).includes(id), "it started before");
    const list = await text("/_svc/ops/runs?status=failed&ended=1h");
    assert.match(list, /svc graph ls --status failed --finished-since 1h/);
    assert.match(list, /aria-label="Remove filter ended in the last 1h"/);
  });
});
