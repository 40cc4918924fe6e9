/** The runs list: its content, its filters, and bulk actions. */
import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { localClient, opsSample, orderInput, until } from "./ops-app.ts";

const ids: string[] = [];

async function text(path: string): Promise<string> {
  const answer = await client.get(path);
  assert.equal(answer.status, 200, path);
  return answer.text();
}

/** The IDs of the runs on a screen. */
async function listed(query: string): Promise<string[]> {
  const page = await text(`/_svc/ops/runs${query}`);
  return [...page.matchAll(/href="\/_svc\/ops\/runs\/(g_\w+)"/g)].map((match) => match[1] ?? "");
}

const app = opsSample();
await app.boot();
const client = localClient(app);
for (let number = 0; number < 10; number++) {
  const { snapshot } = await app.engine.start("order", orderInput(number), { tags: [number < 2 ? "vip" : "web"] });
  ids.push(snapshot.graph_id);
}
const under = async (status: "running" | "pending"): Promise<number> => (await app.engine.list({ status })).total;
await until(async () => (await under("running")) + (await under("pending")) === 0, "all runs to end");
after(() => app.close());

describe("The runs list", () => {
  it("shows the newest runs first, with status, worker, tags and failure", async () => {
    const page = await text("/_svc/ops/runs");
    assert.deepEqual((await listed("")).slice(0, 3), [...ids].reverse().slice(0, 3));
    assert.match(page, /svc-status-word">failed</);
    assert.match(page, /The card of order 2026-1007 was declined/);
    assert.match(page, /tag=vip/);
  });

  it("is filtered by the URL, and shows the filters as chips", async () => {
    assert.deepEqual(await listed("?status=failed"), [ids[7]]);
    assert.deepEqual((await listed("?tag=vip")).length, 2);
    assert.deepEqual(await listed(`?id=${ids[4]}`), [ids[4]]);
    assert.deepEqual(await listed("?error=declined"), [ids[7]]);
    assert.deepEqual(await listed("?worker=nobody"), []);
    assert.equal((await listed("?since=1h")).length, 10);
    const page = await text("/_svc/ops/runs?status=failed&tag=web");
    assert.match(page, /aria-label="Remove filter status failed"/);
    assert.match(page, /href="\/_svc\/ops\/runs\?tag=web"/);
  });

  it("counts runs by tag and status on request, with each count as a link to its runs", async () => {
    const page = await text("/_svc/ops/runs?worker=order&group=tag");
    assert.match(page, /of 10 runs</);
    const rows = [...page.matchAll(/<th scope="row" data-label="Tag">.*?<\/tr>/gs)].map(([row]) => row);
    assert.deepEqual(
      rows.map((row) => [...row.matchAll(/aria-label="([^"]*)"/g)].map((label) => label[1])),
      [["7 done with the tag web", "1 failed with the tag web"], ["2 done with the tag vip"]],
    );
    const [href = ""] = [...(rows[0] ?? "").matchAll(/href="[^"]*(\?[^"]*status=failed[^"]*)"/g)].map(([, one]) => one);
    assert.deepEqual(await listed(href.replaceAll("&amp;", "&")), [ids[7]]);
    assert.match(href, /group=tag/);
    assert.doesNotMatch(await text("/_svc/ops/runs"), /By tag</);
  });

  it("shows its grouping as a chip, and counts other tags besides the filtered one", async () => {
    const page = await text("/_svc/ops/runs?tag=vip&group=tag");
    assert.match(page, /aria-label="Remove filter grouped by tag"/);
    assert.match(page, /<option value="tag" selected/);
    assert.match(page, /aria-current="true"[^>]*>vip</);
    assert.match(page, /aria-label="1 failed with the tag web"/);
    assert.match(await text("/_svc/ops/runs?group=colour"), /Runs cannot be grouped by "colour", only by tag/);
  });

  it("shows the summary, the origin and the attempts of each run", async () => {
    const page = await text(`/_svc/ops/runs?id=${ids[3]}`);
    assert.match(page, /class="summary">Order 2026-1003 for ada, 3 lines</);
    assert.match(page, /data-label="Started by"[^>]*>code</);
    assert.match(page, /data-label="Attempts"[^>]*><span>\d+ <span class="quiet" role="img" aria-label="1 retry"/);
    assert.deepEqual(await listed("?summary=ORDER+2026-1003"), [ids[3]]);
    assert.deepEqual(await listed("?origin=api"), []);
    assert.equal((await listed("?origin=code")).length, 10);
    assert.match(await text("/_svc/ops/runs?origin=nobody"), /Unknown origin "nobody"/);
    const csv = await text(`/_svc/ops/runs/export?summary=2026-1003&format=csv`);
    assert.match(csv, /"Order 2026-1003 for ada, 3 lines",code,\d+,\{\}\r\n$/);
  });

  it("shows a histogram of durations with links to the runs, and as a table", async () => {
    const page = await text("/_svc/ops/runs?worker=order&longer=1d");
    assert.match(page, /of 10 runs/);
    const hrefs = [...page.matchAll(/<a href="([^"]+)" aria-label="[^"]+: ([1-9]\d*) runs?"/g)];
    let sum = 0;
    for (const [, href = "", count] of hrefs) {
      const query = href.replaceAll("&amp;", "&").slice("/_svc/ops/runs".length);
      assert.match(query, /worker=order&(longer|shorter)=/);
      assert.equal((await listed(query)).length, Number(count));
      sum += Number(count);
    }
    assert.equal(sum, 10);
    assert.match(page, /<th scope="row" data-label="Duration">/);
  });

  it("draws each duration against the typical ones of its worker, except for workers with few runs", async () => {
    const page = await text("/_svc/ops/runs?worker=order");
    const bars =
      /role="img" aria-label="(less|more) than (?:the median|p99)" title="order: median [^"]+, p99 [^"]+; this run took \1 than [^"]+" (?:data-over(?:="")? )?style="--share:[\d.]+%;--median:[\d.]+%;--p99:80%"/g;
    assert.equal([...page.matchAll(bars)].length, 10);
    assert.ok((await text("/_svc/ops")).includes('title="order: median '), "on the overview");
    await app.engine.start("nightly-report", null, { tags: ["seldom"] });
    const seldom = await text("/_svc/ops/runs?tag=seldom");
    assert.match(seldom, /data-label="Duration"/);
    assert.doesNotMatch(seldom, /length-bar/);
  });

  it("reports invalid parameters, and says if no run matches", async () => {
    const page = await text("/_svc/ops/runs?status=dead&worker=nobody");
    assert.match(page, /Unknown status "dead"/);
    assert.match(page, /No runs match these filters/);
  });

  it("escapes hostile text", async () => {
    const { snapshot } = await app.engine.start("nightly-report", null, { tags: ["<img src=x onerror=alert(1)>"] });
    const page = await text(`/_svc/ops/runs?id=${snapshot.graph_id}&worker=%22%3E%3Cscript%3Ealert(1)%3C/script%3E`);
    assert.ok(!page.includes("<script>alert"));
    assert.ok(!(await text(`/_svc/ops/runs?id=${snapshot.graph_id}`)).includes("<img"));
  });

  it("offers itself as a shell command", async () => {
    const page = await text("/_svc/ops/runs?status=failed");
    assert.match(page, /svc graph ls --status failed/);
    assert.match(
      page,
      /curl -H &quot;Authorization: Bearer \$SVC_EXEC_API_KEY&quot;|curl -H "Authorization: Bearer \$SVC_EXEC_API_KEY"/,
    );
  });

  it("is paged by a cursor", async () => {
    for (let more = 0; more < 50; more++) await app.engine.start("nightly-report", null, { tags: ["many"] });
    const first = await text("/_svc/ops/runs?tag=many");
    const next = /href="([^"]+)" rel="next"/.exec(await text("/_svc/ops/runs"))?.[1]?.replaceAll("&amp;", "&");
    assert.ok(next);
    assert.ok(!/rel="next"/.test(first));
    const rest = await listed(next.slice("/_svc/ops/runs".length));
    assert.ok(rest.length > 0 && rest.includes(ids[0] ?? ""));
  });
});

describe("Saved views", () => {
  const save = async (fields: Record<string, string>): Promise<string> => {
    const back = "/_svc/ops/runs?status=failed";
    const answer = await client.submit("/_svc/ops/runs/views", { ...fields, back });
    assert.deepEqual([answer.status, answer.headers.get("location")], [303, back]);
    return text("/_svc/ops/runs?status=failed");
  };

  it("are named links, stored in a cookie of the screens, and can be deleted", async () => {
    assert.match(await text("/_svc/ops/runs?status=failed"), /<summary>Save this view</);
    assert.doesNotMatch(await text("/_svc/ops/runs"), /Save this view|Saved views/);
    const page = await save({ name: "What <failed>", query: "status=failed" });
    assert.match(page, /href="\/_svc\/ops\/runs\?status=failed" aria-current="page"[^>]*>What &lt;failed(>|&gt;)</);
    assert.doesNotMatch(page, /Save this view/);
    assert.match(await text("/_svc/ops/runs"), /Delete the view What (<|&lt;)failed/);
    assert.doesNotMatch(await save({ drop: "What <failed>" }), /Saved views/);
  });

  it("say why one cannot be saved", async () => {
    assert.match(await save({ name: "all", query: "" }), /There is no filter to save/);
  });
});

describe("The exported list", () => {
  it("is CSV or NDJSON of the matching runs, without inputs", async () => {
    const csv = await text("/_svc/ops/runs/export?status=failed&format=csv");
    const [head, row, end] = csv.split("\r\n");
    assert.equal(
      head,
      "graph_id,worker,status,phase,epoch,created,started,finished,tags,error,summary,origin,attempts,attributes",
    );
    assert.ok(
      row?.startsWith(`${ids[7]},order,failed,failed,1,`) &&
        /declined,"Order 2026-1007 for ada, 3 lines",code,\d+,\{\}$/.test(row),
    );
    assert.equal(end, "");
    const lines = (await text("/_svc/ops/runs/export?worker=order&format=ndjson")).trim().split("\n");
    assert.equal(lines.length, 10);
    assert.deepEqual(Object.keys(JSON.parse(lines[0] ?? "{}") as object).includes("input"), false);
  });
});

describe("A bulk action", () => {
  const slow = async (tag: string): Promise<string> => {
    const { snapshot } = await app.engine.start("sync-catalogue", null, { tags: [tag] });
    const { graph_id: id } = snapshot;
    await until(async () => (await app.engine.snapshot(id))?.phase === "running", "the run to start");
    return id;
  };

  it("is previewed with a count, and applied after confirmation with the actor and the reason on record", async () => {
    const preview = await text("/_svc/ops/runs/bulk?status=failed&which=all&step=retry");
    assert.match(preview, /Retry 1 run\?/);
    assert.match(preview, /reruns charge, approve, 12 of pick, pack, mail</);
    assert.match(
      preview,
      /Copy as command \(applies to all matching runs[\s\S]*svc graph bulk retry --status failed --yes</,
    );
    assert.equal((await app.engine.snapshot(ids[7] ?? ""))?.epoch, 1);
    const answer = await client.submit("/_svc/ops/runs/bulk", {
      status: "failed",
      step: "retry",
      expected: "1",
      note: "the gateway is back",
      list: "/_svc/ops/runs?status=failed",
    });
    assert.deepEqual([answer.status, answer.headers.get("location")], [303, "/_svc/ops/runs?status=failed"]);
    assert.match(await text("/_svc/ops/runs"), /Retry: 1 changed/);
    assert.equal((await app.engine.snapshot(ids[7] ?? ""))?.epoch, 2);
    const { items } = await app.operations.audit({ operation: "graphs" });
    assert.deepEqual([items[0]?.actor, items[0]?.note], ["operator", "the gateway is back"]);
  });

  it("applies only to the selected runs, and reports how many did not allow it", async () => {
    const query = `run=${ids[0]}&run=${ids[1]}&which=chosen&step=cancel`;
    const preview = await text(`/_svc/ops/runs/bulk?${query}`);
    assert.match(preview, /Cancel 2 runs\?/);
    assert.match(preview, /2 of 2 would stay unchanged/);
    assert.match(preview, /unchanged, because it is done/);
    await client.submit("/_svc/ops/runs/bulk", { runs: `${ids[0]},${ids[1]}`, step: "cancel", expected: "2" });
    assert.match(await text("/_svc/ops/runs"), /Cancel: 0 changed. 2 did not allow it/);
  });

  it("applies to the runs in the preview, however many were started since", async () => {
    const [field, first] = [(page: string) => /name="newest" value="(g_\w+)"/.exec(page)?.[1], await slow("burst")];
    const preview = await text("/_svc/ops/runs/bulk?tag=burst&which=all&step=cancel");
    assert.match(preview, /Cancel 1 run\?/);
    assert.equal(field(preview), first);
    const later = await slow("burst");
    await client.submit("/_svc/ops/runs/bulk", { tag: "burst", step: "cancel", expected: "1", newest: first });
    assert.match(await text("/_svc/ops/runs"), /Cancel: 1 changed/);
    assert.equal((await app.engine.snapshot(later))?.phase, "running");
    await app.engine.cancel(later);
  });

  it("is not applied but previewed again if more runs match than were confirmed", async () => {
    const [first, second] = [await slow("grows"), await slow("grows")];
    const form = { tag: "grows", status: "running", step: "cancel", expected: "1", newest: second };
    const answer = await client.submit("/_svc/ops/runs/bulk", form);
    const to = answer.headers.get("location") ?? "";
    assert.match(to, /^\/_svc\/ops\/runs\/bulk\?/);
    const preview = await text(to);
    assert.match(preview, /Nothing was changed: you confirmed 1/);
    assert.match(preview, /Cancel 2 runs\?/);
    for (const id of [first, second]) assert.equal((await app.engine.snapshot(id))?.phase, "running");
    await Promise.all([first, second].map((id) => app.engine.cancel(id)));
  });

  it("needs the typed number for more than fifty runs", async () => {
    await client.submit("/_svc/ops/runs/bulk", { step: "cancel", expected: "60", typed: "6" });
    assert.match(await text("/_svc/ops/runs"), /Type 60 to confirm/);
  });

  it("says if there is nothing to do", async () => {
    assert.match(await text("/_svc/ops/runs/bulk?which=chosen&step=pause"), /Nothing to do/);
    assert.equal((await client.get("/_svc/ops/runs/bulk?step=explode")).status, 422);
  });
});

describe("An active run", () => {
  it("is found by its duration so far", async () => {
    const { snapshot } = await app.engine.start("sync-catalogue", null, { tags: ["long"] });
    const id = snapshot.graph_id;
    await until(async () => (await app.engine.snapshot(id))?.phase === "running", "the run to start");
    assert.equal((await listed("?longer=1d")).length, 0);
    assert.ok((await listed("?shorter=1d")).includes(id));
    assert.equal((await listed("?shorter=1d&tag=vip")).length, 2);
    await app.engine.cancel(id);
  });
});

describe("The origin of a run", () => {
  it("links to the schedule or the run that started it, and names an operator", async () => {
    await client.submit("/_svc/ops/runs/start", { worker: "nightly-report" });
    const [byHand] = (await app.engine.list({ origin: "operator" })).items;
    assert.match(await text(`/_svc/ops/runs/${byHand?.graph_id}`), /<dt>Started by<\/dt><dd>operator</);
    const run = await app.engine.schedule.trigger("nightly-report");
    const page = await text(`/_svc/ops/runs/${run.graph_id}`);
    assert.match(page, /schedule<\/span> <a href="\/_svc\/ops\/schedules">nightly-report</);
    const fork = await app.engine.fork(ids[1] ?? "", { from: "mail" });
    const list = await text(`/_svc/ops/runs?id=${fork.graph_id}`);
    assert.match(list, new RegExp(`fork</span> <a href="/_svc/ops/runs/${ids[1]}"`));
    assert.match(list, /class="summary">Order 2026-1001/);
  });

  it("shows its attributes as links to the runs that share them, and the list is filtered by several conditions", async () => {
    const attributes = { plan: "pro", cents: 500, order: "17" };
    const { snapshot } = await app.engine.start("nightly-report", null, { attributes });
    const { snapshot: other } = await app.engine.start("nightly-report", null, {
      attributes: { plan: "pro", cents: 7 },
    });
    const pages = [
      await text(`/_svc/ops/runs/${snapshot.graph_id}`),
      await text(`/_svc/ops/runs?id=${snapshot.graph_id}`),
    ];
    for (const page of pages) {
      const labels = [...page.matchAll(/<a class="tag" href="[^"]*\?attributes=([^"]*)"[^>]*>/g)].map(([, one = ""]) =>
        new URLSearchParams(`one=${one}`).get("one"),
      );
      assert.deepEqual(labels, ["plan=pro", "cents=500", 'order="17"']);
    }
    const search = (conditions: string): Promise<string[]> => listed(`?attributes=${encodeURIComponent(conditions)}`);
    assert.deepEqual(await search("plan=pro"), [other.graph_id, snapshot.graph_id]);
    assert.deepEqual(await search("plan=pro cents>=500"), [snapshot.graph_id]);
    assert.deepEqual(await search('order="17"'), [snapshot.graph_id]);
    const list = await text("/_svc/ops/runs?attributes=plan%3Dpro+cents%3E%3D500");
    assert.match(
      list,
      /aria-label="Remove filter attributes plan=pro cents&gt;=500"|aria-label="Remove filter attributes plan=pro cents>=500"/,
    );
    assert.match(list, /svc graph ls --attribute/);
    assert.match(list, /name="attributes" value="plan=pro cents(&gt;|>)=500"/);
    assert.match(await text("/_svc/ops/runs?attributes=plan"), /where a condition is expected/);
    const csv = await text("/_svc/ops/runs/export?attributes=plan%3Dpro+cents%3E%3D500&format=csv");
    assert.match(csv, /"\{""plan"":""pro"",""cents"":500,""order"":""17""\}"\r\n$/);
    const preview = await text("/_svc/ops/runs/bulk?attributes=plan%3Dpro&which=all&step=cancel");
    assert.match(preview, /Cancel \d+ runs?\?|No/);
  });

  it("does not reveal attributes that the app hides, nor finds runs by them", async () => {
    const hiding = opsSample({ ops: { undo: false, redact: ["email"] } });
    await hiding.boot();
    const attributes = { email: "ada@example.com", plan: "pro" };
    const { snapshot } = await hiding.engine.start("nightly-report", null, { attributes });
    const far = localClient(hiding);
    for (const path of ["", `/${snapshot.graph_id}`, "/export?format=csv", "/export?format=ndjson"]) {
      const page = await (await far.get(`/_svc/ops/runs${path}`)).text();
      assert.match(page, /plan/);
      assert.doesNotMatch(page, /ada@example/);
    }
    const guess = await (await far.get("/_svc/ops/runs?attributes=email%3Dnobody")).text();
    assert.match(guess, /cannot be filtered by the attribute/);
    assert.ok(guess.includes(snapshot.graph_id), "the filter is ignored");
    assert.equal((await far.get("/_svc/ops/runs/bulk?which=all&step=pause&attributes=email%3Dnobody")).status, 422);
    await hiding.close();
  });

  it("does not reveal summaries that the app hides", async () => {
    const other = opsSample({ ops: { undo: false, redact: ["summary"] } });
    await other.boot();
    const { snapshot } = await other.engine.start("nightly-report", null, { summary: "Report for Ada" });
    const far = localClient(other);
    for (const path of ["", `/${snapshot.graph_id}`, "/export?format=csv"]) {
      const page = await (await far.get(`/_svc/ops/runs${path}`)).text();
      assert.match(page, /hidden/);
      assert.doesNotMatch(page, /Report for Ada/);
    }
    const guess = await (await far.get("/_svc/ops/runs?summary=nobody")).text();
    assert.match(guess, /summaries are hidden in this app/);
    assert.ok(guess.includes(snapshot.graph_id), "the filter is ignored");
    assert.equal((await far.get("/_svc/ops/runs/bulk?which=all&step=pause&summary=nobody")).status, 422);
    await other.close();
  });
});
