/** Bulk actions are deferred for a few seconds, during which they can be undone; then their page shows the result. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { App } from "svckit";
import { SimulatedClock, type TestClient } from "svckit/testing";
import { localClient, opsSample, until } from "./ops-app.ts";

const folder = mkdtempSync(join(tmpdir(), "svc-held-"));
const clock = new SimulatedClock();
let app: App;
let client: TestClient;

async function open(): Promise<void> {
  const env = { SVC_DATABASE_URL: `sqlite:${join(folder, "held.db")}` };
  app = opsSample({ env, ops: {}, more: { clock } });
  await app.boot();
  client = localClient(app);
}

async function isRunning(id: string): Promise<boolean> {
  return (await app.engine.snapshot(id))?.nodes[0]?.status === "running";
}

async function endless(tag: string): Promise<string> {
  const { snapshot } = await app.engine.start("sync-catalogue", null, { tags: [tag] });
  await until(() => isRunning(snapshot.graph_id), "the run to start");
  return snapshot.graph_id;
}

/** Confirms that the runs with this tag are cancelled. @returns the path of the action's page */
async function confirm(tag: string, expected: number): Promise<string> {
  const answer = await client.submit("/_svc/ops/runs/bulk", { tag, step: "cancel", expected: String(expected) });
  assert.equal(answer.status, 303);
  const path = answer.headers.get("location") ?? "";
  assert.match(path, /^\/_svc\/ops\/held\/held_[\w-]+$/);
  return path;
}

/** Makes the engine process one run at a time. @returns `next` continues with the next run; `isToStop` is whether a stop was requested */
function oneByOne(): { next: () => Promise<void>; isToStop: () => boolean } {
  const bulk = app.engine.bulk.bind(app.engine);
  const waiting: (() => void)[] = [];
  let isToStop = (): boolean => false;
  app.engine.bulk = async (step, options) => {
    if (options.isDryRun === true) return bulk(step, options);
    isToStop = () => options.signal?.aborted === true;
    const report = await bulk(step, { ...options, limit: 1 });
    await new Promise<void>((resolve) => void waiting.push(resolve));
    return report;
  };
  const next = async (): Promise<void> => {
    await until(async () => {
      await clock.advance(5);
      return waiting.length > 0;
    }, "the next run");
    waiting.shift()?.();
  };
  return { next, isToStop: () => isToStop() };
}

/** Waits until a page contains a text. The engine has its own timers. */
async function reports(path: string, words: string): Promise<void> {
  await until(async () => {
    await clock.advance(5);
    return (await text(path)).includes(words);
  }, words);
}

async function text(path: string): Promise<string> {
  const answer = await client.get(path);
  assert.equal(answer.status, 200, path);
  return answer.text();
}

describe("A bulk action", () => {
  before(open);
  after(async () => {
    await app.close();
    rmSync(folder, { recursive: true });
  });

  it("is deferred for five seconds and can be undone until then", async () => {
    const ids = [await endless("a"), await endless("a")];
    const path = await confirm("a", 2);
    const page = await text(path);
    assert.match(page, /Cancelling 2 runs in 5 s</);
    assert.match(page, /<noscript><meta http-equiv="refresh" content="6"><\/noscript>/);
    await clock.advance(3000);
    assert.match(await text(path), /Cancelling 2 runs in 2 s</);
    const undone = await client.submit(`${path}/undo`, {});
    assert.deepEqual([undone.status, undone.headers.get("location")], [303, "/_svc/ops"]);
    await clock.advance(60_000);
    assert.match(await text(path), /Nothing was changed: operator undid it/);
    assert.deepEqual(await Promise.all(ids.map(isRunning)), [true, true]);
    await Promise.all(ids.map((id) => app.engine.cancel(id)));
  });

  it("applies to the runs that existed when it was confirmed, and shows its result", async () => {
    const there = await endless("b");
    const path = await confirm("b", 1);
    await clock.advance(1);
    const later = await endless("b");
    await clock.advance(4999);
    await reports(path, "1 run changed.");
    assert.equal((await app.engine.snapshot(there))?.phase, "failed");
    assert.equal(await isRunning(later), true);
    await client.submit(`${path}/undo`, {});
    assert.match(await text(path), /Too late: the action has started/);
    const { items } = await app.operations.audit({ target: path.split("/").at(-1) ?? "" });
    assert.deepEqual(
      items.map(({ operation, actor }) => [operation, actor]),
      [
        ["bulk.done", "operator"],
        ["bulk.held", "operator"],
      ],
    );
    await app.engine.cancel(later);
  });

  it("does not run if its process exits before, and says so", async () => {
    const path = await confirm("c", 3);
    await app.close();
    await open();
    await clock.advance(6000);
    assert.match(await text(path), /Running for/);
    await clock.advance(10_000);
    assert.match(await text(path), /The process exited before the action started\. Nothing was changed/);
    assert.match(await text(path), /Cancelling 3 runs: not run/);
  });

  it("shows its progress and the reasons of runs that did not allow it, and stops when its process shuts down", async () => {
    // More runs than can be active at once.
    const start = async () => (await app.engine.start("sync-catalogue", null, { tags: ["d"] })).snapshot.graph_id;
    const [left, ended, taken] = [await start(), await start(), await start()];
    await app.engine.cancel(ended);
    const path = await confirm("d", 3);
    const { next, isToStop } = oneByOne();
    await clock.advance(5000);
    await reports(path, "1 of 3 so far: 1 changed.");
    assert.match(await text(path), /<progress max="3" value="1" aria-label="[^"]+">/);
    await clock.advance(1000);
    await next();
    await reports(path, "2 of 3 so far: 1 changed, 1 did not allow it.");
    assert.match(await text(path), /<li>1: it is failed; cancel needs it to be /);
    assert.match(await text("/_svc/ops/audit"), new RegExp(`<a href="${path}">`));
    const closing = app.close();
    await until(async () => isToStop(), "the stop signal");
    await next();
    // Running nodes get time to finish.
    let isClosed = false;
    void closing.then(() => (isClosed = true));
    await until(async () => {
      await clock.advance(1000);
      return isClosed;
    }, "the close");
    await open();
    const page = await text(path);
    assert.match(page, /Cancelling 3 runs stopped early/);
    assert.match(
      page,
      /stopped because its process shut down\. 1 run changed\. 1 did not allow it\. Start the action again to cancel the others/,
    );
    assert.doesNotMatch(page, /<progress/);
    assert.equal((await app.engine.snapshot(taken))?.phase, "failed");
    await until(() => isRunning(left), "the remaining run");
    await app.engine.cancel(left);
  });

  it("answers 404 for an unknown ID", async () => {
    assert.equal((await client.get("/_svc/ops/held/held_none")).status, 404);
    await client.submit("/_svc/ops/held/held_none/undo", {});
    assert.match(await text("/_svc/ops"), /There is no such bulk action/);
  });
});
