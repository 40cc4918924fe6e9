/** The page of a run that is not there says what its id and the rules of retention tell of it. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { App } from "svckit";
import { graph, worker } from "svckit/graph";
import { SimulatedClock } from "svckit/testing";
import { localClient, opsSample, runTo } from "./ops-app.ts";

const DAY_MS = 86_400_000;
/** Ids tell the time of the machine. */
const STARTED_MS = Date.now();

const moment = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

const work = worker("work", () => 1);
const brief = graph("brief", (g) => g.node("work", work), { retention: "12h" });

function appAt(nowMs: number, retention?: string, graphs = [] as (typeof brief)[]): App {
  const env = retention === undefined ? {} : { SVC_RETENTION: retention };
  const more = { clock: new SimulatedClock(nowMs), workers: [work], graphs, schedules: [] };
  return opsSample({ env, more });
}

describe("a run that is not there", () => {
  let id: string;
  let app: App;
  before(async () => {
    app = appAt(STARTED_MS, "30d");
    await app.boot();
    id = await runTo(app, "work", null, "done");
    assert.equal(await app.engine.purge({ finishedBeforeMs: STARTED_MS + DAY_MS }), 1);
  });
  after(() => app.close());

  /** What the page says to somebody who comes at a time. */
  const textOf = async (of: App, path = `/runs/${id}`): Promise<string> => {
    const answer = await localClient(of).get(`/_svc/ops${path}`);
    assert.equal(answer.status, 404);
    return answer.text();
  };
  const later = async (ms: number, ...rules: [retention?: string, graphs?: (typeof brief)[]]): Promise<string> => {
    const other = appAt(STARTED_MS + ms, ...rules);
    await other.boot();
    try {
      return await textOf(other);
    } finally {
      await other.close();
    }
  };

  it("whose time is over tells when retention can have taken it, and by which rule", async () => {
    const text = await later(31 * DAY_MS, "30d");
    assert.match(text, new RegExp(`Its id says that it was started on ${moment(STARTED_MS)} `));
    assert.match(text, /Runs that have ended are kept for 30d here, so retention may have taken it, on /);
    assert.ok(text.includes(`taken it, on ${moment(STARTED_MS + 30 * DAY_MS)} `), text);
    assert.ok(text.includes(`/audit?target=${id}`));
  });

  it("may have been of a name that is kept for less", async () => {
    const text = await later(DAY_MS, "30d", [brief]);
    assert.match(text, /kept for 30d here, those of brief for 12h, so retention may have taken it/);
  });

  it("that is too young for retention was removed by hand, and the audit trail leads on", async () => {
    const text = await textOf(app);
    assert.match(
      text,
      /kept for 30d here, so retention has not taken it: it was removed by hand, or was never there\./,
    );
    assert.ok(text.includes("/audit?operation=graphs.purge"), "who removed many");
  });

  it("was not taken by retention where there is none", async () => {
    assert.match(await later(400 * DAY_MS), /kept for ever here, so retention has not taken it/);
  });

  it("has an id that tells a time to come only where it was never there", async () => {
    assert.match(await later(-DAY_MS, "30d"), /which is still to come: it was never there/);
  });

  it("tells nothing of retention where no run has such an id", async () => {
    for (const path of ["/runs/nothing", `/runs/${id.toLowerCase()}`, "/runs/compare?run=g_1"]) {
      const text = await textOf(app, path);
      assert.match(text, /That is no id of a run/);
      assert.doesNotMatch(text, /retention|audit\?/);
    }
  });

  it("is another matter than a node that is not there", async () => {
    const there = await runTo(app, "work", null, "done");
    assert.doesNotMatch(await textOf(app, `/runs/${there}?node=none`), /retention|no id of a run/);
  });
});
