/** The page of a run that does not exist says what is known from its ID and the retention settings. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { App } from "svckit";
import { graph, worker } from "svckit/graph";
import { SimulatedClock } from "svckit/testing";
import { localClient, opsSample, runTo } from "./ops-app.ts";

const DAY_MS = 86_400_000;
/** IDs contain the time of the machine. */
const STARTED_MS = Date.now();

const moment = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

const work = worker("work", () => 1);
const brief = graph("brief", (g) => g.node("work", work), { retention: "12h" });

function appAt(nowMs: number, retention?: string, graphs = [] as (typeof brief)[]): App {
  const env = retention === undefined ? {} : { SVC_RETENTION: retention };
  const more = { clock: new SimulatedClock(nowMs), workers: [work], graphs, schedules: [] };
  return opsSample({ env, more });
}

describe("A run that does not exist", () => {
  let id: string;
  let app: App;
  before(async () => {
    app = appAt(STARTED_MS, "30d");
    await app.boot();
    id = await runTo(app, "work", null, "done");
    assert.equal(await app.engine.purge({ finishedBeforeMs: STARTED_MS + DAY_MS }), 1);
  });
  after(() => app.close());

  /** The text of the page at a given time. */
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

  it("says when retention may have deleted it, and by which rule", async () => {
    const text = await later(31 * DAY_MS, "30d");
    assert.match(text, new RegExp(`According to its ID, the run started on ${moment(STARTED_MS)} `));
    assert.match(text, /Ended runs are kept for 30d, so retention may have deleted it, on /);
    assert.ok(text.includes(`deleted it, on ${moment(STARTED_MS + 30 * DAY_MS)} `), text);
    assert.ok(text.includes(`/audit?target=${id}`));
  });

  it("may have had a name with a shorter retention", async () => {
    const text = await later(DAY_MS, "30d", [brief]);
    assert.match(text, /kept for 30d, runs of brief for 12h, so retention may have deleted it/);
  });

  it("was deleted manually if it is too young for retention, and links to the audit trail", async () => {
    const text = await textOf(app);
    assert.match(text, /kept for 30d, so retention has not deleted it: it was deleted manually, or it never existed\./);
    assert.ok(text.includes("/audit?operation=graphs.purge"), "the bulk deletions");
  });

  it("was not deleted by retention if there is none", async () => {
    assert.match(await later(400 * DAY_MS), /kept forever, so retention has not deleted it/);
  });

  it("never existed if its ID has a time in the future", async () => {
    assert.match(await later(-DAY_MS, "30d"), /which is in the future, so it never existed/);
  });

  it("says nothing about retention if the ID is not a run ID", async () => {
    for (const path of ["/runs/nothing", `/runs/${id.toLowerCase()}`, "/runs/compare?run=g_1"]) {
      const text = await textOf(app, path);
      assert.match(text, /This is not a run ID/);
      assert.doesNotMatch(text, /retention|audit\?/);
    }
  });

  it("is not confused with a node that does not exist", async () => {
    const there = await runTo(app, "work", null, "done");
    assert.doesNotMatch(await textOf(app, `/runs/${there}?node=none`), /retention|not a run ID/);
  });
});
