/** The figures of the overview, and the lists that they link to. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { App, Clock } from "svckit";
import { systemClock } from "svckit/graph";
import { worker } from "svckit/graph";
import type { TestClient } from "svckit/testing";
import { localClient, opsSample, orderInput, runTo, until } from "./ops-app.ts";

/** A clock that runs by itself and can be advanced manually. */
class MovedClock implements Clock {
  aheadMs = 0;
  now = (): number => systemClock.now() + this.aheadMs;
  elapsed = (): number => systemClock.elapsed() + this.aheadMs;
  schedule: Clock["schedule"] = (ms, run) => systemClock.schedule(ms, run);
}

async function text(client: TestClient, href: string): Promise<string> {
  const answer = await client.get(href.replaceAll("&amp;", "&").replace(/#.*/, ""));
  assert.equal(answer.status, 200, href);
  return answer.text();
}

interface Tile {
  href: string;
  figure: string;
  note: string;
}

function tileOf(page: string, name: string): Tile {
  const tile = new RegExp(
    `<h3><a href="([^"]+)">${name}</a></h3><p class="tile-figure">([^<]+)</p><p class="quiet">(.*?)</p>`,
  ).exec(page);
  const [, href = "", figure = "", note = ""] = tile ?? assert.fail(name);
  return { href, figure, note };
}

/** The number of runs in a list's heading. */
async function countAt(client: TestClient, href: string): Promise<number> {
  return Number(/data-live="total">(\d+) runs?</.exec(await text(client, href))?.[1] ?? Number.NaN);
}

describe("A figure of the overview", () => {
  let app: App;
  let client: TestClient;
  let page: string;

  before(async () => {
    app = opsSample();
    await app.boot();
    client = localClient(app);
    for (const number of [7, 17]) await runTo(app, "order", orderInput(number), "failed");
    for (const number of [1, 2, 3]) await runTo(app, "order", orderInput(number), "done");
    await runTo(app, "sync-catalogue", null, "running");
    const paused = await runTo(app, "sync-catalogue", null, "running");
    const later = await app.engine.start("nightly-report", null, { delay: 3_600_000 });
    assert.equal(later.snapshot.status, "pending");
    await app.engine.pause(paused, { grace: 0 });
    await until(async () => (await app.engine.snapshot(paused))?.status === "paused", "the pause");
    await runTo(app, "nightly-report", null, "done");
    page = await text(client, "/_svc/ops");
  });
  after(() => app.close());

  it("links from its tile to a list with the same count", async () => {
    const counted = async (name: string, of: (tile: Tile) => string): Promise<void> => {
      const tile = tileOf(page, name);
      assert.equal(await countAt(client, tile.href), Number(/\d+/.exec(of(tile))?.[0]), name);
    };
    await counted("Started, last hour", ({ figure }) => figure);
    await counted("Done, last hour", ({ figure }) => figure);
    await counted("Failed, last hour", ({ note }) => note);
    assert.match(tileOf(page, "Failed, last hour").note, /^2 runs/);
    assert.equal(await countAt(client, tileOf(page, "Median duration").href), 6);
  });

  it("links from the active tile to a list per status", async () => {
    const { figure, note } = tileOf(page, "Active");
    const parts = [...note.matchAll(/<a href="([^"]+)">(\d+) ([^<]+)<\/a>/g)];
    assert.deepEqual(
      parts.map(([, , count, word]) => `${count} ${word}`),
      ["1 running", "1 pending", "1 paused"],
    );
    assert.equal(figure, "2");
    for (const [, href = "", count] of parts) assert.equal(await countAt(client, href), Number(count), href);
  });

  it("links from the health strip to its processes, workers and deliveries", async () => {
    const fact = (name: string): string =>
      new RegExp(`<dt>${name}</dt><dd><a href="([^"]+)">`).exec(page)?.[1] ?? assert.fail(name);
    for (const name of ["Build", "Memory", "Event-loop lag p99"]) {
      assert.equal(fact(name), "/_svc/ops/workers#processes", name);
      assert.match(await text(client, fact(name)), /<h2 id="processes">/);
    }
    assert.match(await text(client, fact("Workers")), /charge-card/);
    assert.match(await text(client, fact("Pending deliveries")), /Remove filter status pending/);
  });

  it("is shown with the version and the build", async () => {
    const [{ build } = assert.fail()] = await app.operations.processes();
    const { version } = await app.operations.status();
    assert.ok(build.length > 0);
    assert.ok(page.includes(`<dt>Version</dt><dd>${version}</dd>`));
    assert.ok(page.includes(`<dt>Build</dt><dd><a href="/_svc/ops/workers#processes">${build}</a></dd>`));
  });
});

describe("The build on the overview", () => {
  it("is the ID that svc build assigned, so that deployments are distinguishable", async () => {
    const dist = mkdtempSync(join(tmpdir(), "svc-ops-dist-"));
    writeFileSync(join(dist, "manifest.json"), JSON.stringify({ build: "9005642f", chunks: {}, actions: [] }));
    const app = opsSample();
    try {
      await app.boot({ dist });
      const page = await text(localClient(app), "/_svc/ops");
      assert.match(page, /<dt>Build<\/dt><dd><a [^>]*>9005642f<\/a><\/dd>/);
    } finally {
      await app.close();
      rmSync(dist, { recursive: true, force: true });
    }
  });
});

describe("A schedule on the overview", () => {
  it("shows its last run with its status, or that it never fired", async () => {
    const app = opsSample();
    await app.boot();
    try {
      // In three seconds, and then not for a year.
      const soon = new Date(Date.now() + 3000);
      const time = [soon.getUTCSeconds(), soon.getUTCMinutes(), soon.getUTCHours(), soon.getUTCDate()].join(" ");
      await app.engine.schedule.upsert({
        name: "soon",
        cron: `${time} ${soon.getUTCMonth() + 1} *`,
        worker: "order",
        input: orderInput(7),
      });
      let run = "";
      await until(async () => {
        run = (await app.engine.schedule.get("soon"))?.last_graph_id ?? "";
        return (await app.engine.snapshot(run))?.phase === "failed";
      }, "the scheduled run");
      const page = await text(localClient(app), "/_svc/ops");
      const next = /<h2 id="next">[\s\S]*/.exec(page)?.[0] ?? "";
      const row = (name: string): string =>
        new RegExp(`<th scope="row" data-label="Schedule">${name}</th>.*?</tr>`).exec(next)?.[0] ?? assert.fail(name);
      assert.match(row("soon"), new RegExp(`data-label="Last">.*>failed<.*<a href="/_svc/ops/runs/${run}">`));
      assert.match(row("catalogue"), /data-label="Last"><span class="quiet">never<\/span>/);
    } finally {
      await app.close();
    }
  });
});

describe("The median duration", () => {
  it("is compared with that of the previous hour", async () => {
    const clock = new MovedClock();
    let lengthMs = 8000;
    const slow = worker("slow", () => {
      clock.aheadMs += lengthMs;
      return null;
    });
    const app = opsSample({ more: { clock, workers: [slow], graphs: [], schedules: [] } });
    await app.boot();
    try {
      const client = localClient(app);
      for (let run = 0; run < 3; run++) await runTo(app, "slow", null, "done");
      const first = tileOf(await text(client, "/_svc/ops"), "Median duration");
      assert.doesNotMatch(first.note, /vs\. the previous hour/);
      clock.aheadMs += 3_600_000;
      lengthMs = 4000;
      for (let run = 0; run < 3; run++) await runTo(app, "slow", null, "done");
      const { figure, note } = tileOf(await text(client, "/_svc/ops"), "Median duration");
      assert.deepEqual([figure, /, (\S+ %) vs\. the previous hour$/.exec(note)?.[1]], ["4.10 s", "−50 %"]);
    } finally {
      await app.close();
    }
  });
});
