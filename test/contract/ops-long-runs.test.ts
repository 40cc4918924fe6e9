/** The screen of a run with more events than are read at once: late events are shown, and the screen says what was not read. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { App } from "svckit";
import { FinalError, graph, worker } from "svckit/graph";
import type { TestClient } from "svckit/testing";
import { localClient, opsSample, runTo } from "./ops-app.ts";

const talks = worker("talks", (lines: number, ctx) => {
  for (let line = 0; line < lines; line++) ctx.log("info", `line ${line}`);
  return lines;
});
const late = worker("late", { retry: { max: 1 } }, (_: unknown, ctx) => {
  ctx.emit("ai.usage", { prompt_tokens: 17, completion_tokens: 4 });
  ctx.log("warn", "late in the day");
  throw new FinalError("It came too late");
});
const big = worker("big", (size: number) => ({
  token: "tok_of_the_big_one",
  lines: Array.from({ length: size }, (_, line) => `line ${line}`),
  end: "the very end",
}));
const long = graph<number, unknown>("long", (g) => {
  const first = g.node("first", talks, { input: (lines) => lines });
  return g.node("last", late, { after: [first] });
});

describe("The screen of a long run", () => {
  let app: App;
  let client: TestClient;
  before(async () => {
    app = opsSample({ more: { graphs: [long], workers: [big], schedules: [] } });
    await app.boot();
    client = localClient(app);
  });
  after(() => app.close());

  const text = async (path: string): Promise<string> => {
    const answer = await client.get(`/_svc/ops/runs/${path}`);
    assert.equal(answer.status, 200, path);
    return answer.text();
  };

  it("shows attempts, logs, events and tokens of a node that started late", async () => {
    const id = await runTo(app, "long", 6000, "failed");
    assert.match(await text(`${id}?node=last&tab=attempts`), /failed: It came too late/);
    assert.match(await text(`${id}?node=last&tab=logs`), /late in the day/);
    assert.match(await text(`${id}?node=last&tab=events`), /<strong>node\.failed<\/strong>/);
    const page = await text(id);
    assert.match(page, /<dd>17 tokens in, 4 out<\/dd>/);
    assert.match(page, /Based on the first 5,000 of 6,0\d\d events\./);
  });

  it("truncates a large value, and links to the complete one with secrets hidden there as well", async () => {
    const id = await runTo(app, "big", 20_000, "done");
    for (const query of ["?tab=raw", "?node=big&tab=raw"]) {
      const page = await text(id + query);
      assert.ok(page.length < 600_000 && page.includes("line 17") && !page.includes("the very end"), query);
      const [, href = ""] = /Truncated, [\d.]+ KB in total\. <a href="([^"]+)" download/.exec(page) ?? [];
      const answer = await client.get(href.replaceAll("&amp;", "&"));
      assert.match(answer.headers.get("content-disposition") ?? "", /^attachment/);
      const whole = await answer.text();
      assert.ok(whole.includes("the very end") && whole.includes("line 19999"), query);
      assert.ok(!whole.includes("tok_of_the_big_one"), query);
    }
    const small = await runTo(app, "big", 10, "done");
    assert.doesNotMatch(await text(`${small}?tab=raw`), /Truncated/);
    assert.equal((await client.get(`/_svc/ops/runs/g_none/raw`)).status, 404);
  });

  it("says which events it did not read", async () => {
    const id = await runTo(app, "long", 11_000, "failed");
    const said = /Based on the first and the last 5,000 of 11,0\d\d events/;
    for (const tab of ["attempts", "logs", "events"]) assert.match(await text(`${id}?node=last&tab=${tab}`), said, tab);
    assert.match(await text(id), /<dd>17 tokens in, 4 out, the first and the last 5,000 of 11,0\d\d events<\/dd>/);
    assert.doesNotMatch(await text(`${id}?node=last&tab=input`), said);
  });

  it("pages through all events, even if a page has no match", async () => {
    const id = await runTo(app, "long", 6000, "failed");
    const next = (page: string): string =>
      /href="\/_svc\/ops\/runs\/([^"]+)" rel="next"/.exec(page)?.[1]?.replaceAll("&amp;", "&") ?? "";
    const seqs = (page: string): number[] => [...page.matchAll(/id="event-(\d+)"/g)].map(([, seq]) => Number(seq));
    const far = await text(`${id}?view=events&after=5900`);
    assert.deepEqual([seqs(far).length > 50, seqs(far)[0], next(far)], [true, 5901, ""]);
    const first = await text(`${id}?view=events`);
    assert.deepEqual(
      seqs(first),
      Array.from({ length: 200 }, (_, at) => at + 1),
    );
    assert.equal(seqs(await text(next(first)))[0], 201);
    const sought = await text(`${id}?view=events&text=late+in`);
    assert.match(sought, /No matching events/);
    assert.match(await text(next(sought)), /late in the day/);
  });
});
