/** The other operator screens: overview, queues, schedules, webhooks, deliveries, workers, audit trail, settings. */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { createFullStackApp } from "svckit/fullstack";
import { createReceiver, createTestClient } from "svckit/testing";
import { localClient, opsSample, orderInput, runTo, until } from "./ops-app.ts";

const SECRET = "webhook-secret-of-the-sample";

async function text(path: string): Promise<string> {
  const answer = await client.get(`/_svc/ops${path}`);
  assert.equal(answer.status, 200, path);
  return answer.text();
}

async function step(path: string, fields: Record<string, string> = {}): Promise<{ to: string; page: string }> {
  const back = `/_svc/ops${path.slice(0, path.lastIndexOf("/"))}`;
  const answer = await client.submit(`/_svc/ops${path}`, { back, ...fields });
  assert.equal(answer.status, 303, await answer.text());
  const to = answer.headers.get("location") ?? "";
  return { to, page: await (await client.get(to)).text() };
}

const receiver = await createReceiver();
const app = opsSample({ env: { SVC_WEBHOOK_ALLOW_CIDRS: "127.0.0.0/8", SVC_WEBHOOK_SECRET: SECRET } });
await app.boot();
const client = localClient(app);
after(async () => {
  await app.close();
  await receiver.close();
});

describe("The overview", () => {
  it("says what to do if nothing has run yet", async () => {
    const page = await text("");
    // A machine that has just been blocked may report its event-loop lag, but nothing else.
    assert.match(page, /Healthy|<\/dl><p>The event-loop lag p99 of [^<]+ is [^<]+<\/p><\/div>/);
    assert.match(page, /No runs yet/);
    assert.match(page, /href="\/_svc\/ops\/workers#start">Start a worker of this app/);
    assert.ok(!page.includes("Needs attention"));
  });

  it("groups similar failures, with an action for all of them", async () => {
    for (const number of [7, 17, 27]) await runTo(app, "order", orderInput(number), "failed");
    await runTo(app, "order", orderInput(1), "done");
    const page = await text("");
    assert.match(page, /trouble-count">3</);
    assert.match(page, /order › charge/);
    assert.match(page, /name="error" value="The card of order|name="error" value="was declined"/);
    assert.match(page, /Failed, last hour[\s\S]*3 runs/);
  });

  it("charts durations and active runs per minute, with accessible descriptions", async () => {
    const page = await text("");
    assert.match(page, /aria-label="Median duration, per minute: p95: maximum [^;"]+; median: maximum [^"]+"/);
    const [tile = ""] = /<a [^>]*>Median duration<[\s\S]*?<\/svg>/.exec(page) ?? [];
    assert.match(tile, /class="spark-line" data-more="" d="M[\s\S]*class="spark-line" d="M/);
    assert.match(page, /aria-label="Active, per minute: not finished, including paused runs: maximum \d+, latest 0"/);
  });

  it("shows the activity of each graph per minute or over the day, and links each cell to its runs", async () => {
    const page = await text("");
    assert.match(page, /<title>order, \d\d:\d\d: \d+ started, \d+ done, \d failed \([\d.]+ %\)<\/title>/);
    const row =
      /<a [^>]*worker=order&amp;since=1h">order<\/a><\/th><td[^>]*>4<\/td><td[^>]*><a[^>]*>1<\/a><\/td><td[^>]*><a[^>]*>3</;
    assert.match(page, row);
    const [, cell = ""] = /<a href="([^"]*status=failed[^"]*from=[^"]*)"/.exec(page) ?? [];
    const runs = await text(cell.replaceAll("&amp;", "&").replace("/_svc/ops", ""));
    assert.match(runs, /ended since[\s\S]*ended before/);
    assert.match(page, /class="heat-mark" d="M[\d.]+ 0V20"[\s\S]*build <code>[^<]+<\/code> started <time/);
    assert.match(await text("?range=day"), /1 cell = 15 minutes/);
  });

  it("shows the latest activity first", async () => {
    const id = await runTo(app, "nightly-report", null, "done");
    const [first = ""] = /<li data-tick[\s\S]*?<\/li>/.exec(await text("")) ?? [];
    assert.ok(first.includes(id) && first.includes("done") && /after \d/.test(first), first);
  });

  it("says why the app is degraded", async () => {
    await app.engine.queues.pause("pack");
    assert.match(await text(""), /Degraded[\s\S]*The queue pack is paused/);
    await app.engine.queues.resume("pack");
  });
});

describe("The free disk space", () => {
  it("is shown if the database is a file", async () => {
    assert.ok(!(await text("")).includes("Free disk space"), "for a database in memory");
    const folder = await mkdtemp(join(tmpdir(), "svc-ops-disk-"));
    const kept = opsSample({ env: { SVC_DATABASE_URL: `sqlite:${join(folder, "svc.db")}` } });
    await kept.boot();
    assert.match(
      await (await localClient(kept).get("/_svc/ops")).text(),
      /<dt>Free disk space<\/dt><dd>[\d.,]+ [KMGT]?B</,
    );
    await kept.close();
    await rm(folder, { recursive: true });
  });
});

describe("The first run", () => {
  const bare = (env: Record<string, string>) =>
    createFullStackApp(
      {
        env: { SVC_DATABASE_URL: "memory:", SVC_LOG_LEVEL: "error", ...env },
        ops: { authorize: () => "operator" },
      },
      {},
    );

  it("has a link to the webhook demo on the webhooks screen, if there is one", async () => {
    assert.match(await text("/webhooks"), /<a href="\/_svc\/demo">Webhook demo</);
    const other = opsSample({ more: { demo: false } });
    await other.boot();
    try {
      assert.doesNotMatch(await (await localClient(other).get("/_svc/ops/webhooks")).text(), /_svc\/demo/);
    } finally {
      await other.close();
    }
  });

  it("is a demo graph in development if the app has no graphs", async () => {
    const young = bare({});
    await young.boot();
    const fetch = (request: Request): Promise<Response> => young.fetch(request, { peerAddress: "127.0.0.1" });
    const visitor = createTestClient({ fetch }, { tokenPage: "/_svc/ops/runs" });
    assert.match(await (await visitor.get("/_svc/ops/runs")).text(), /Run the demo graph/);
    const { status, headers } = await visitor.submit("/_svc/ops/runs/start", { worker: "svc-demo" });
    assert.deepEqual([status, /\/runs\/g_/.test(headers.get("location") ?? "")], [303, true]);
    await young.close();
  });

  it("is not a demo graph in production or in an app with graphs", async () => {
    const grown = bare({ NODE_ENV: "production", SVC_SITE_URL: "http://localhost", SVC_SECRET: "s".repeat(32) });
    await grown.boot();
    assert.deepEqual([...grown.definitions.keys()], []);
    assert.ok(!app.definitions.has("svc-demo"));
    await grown.close();
  });
});

describe("Times", () => {
  it("are in the visitor's time zone, and in UTC for an unknown zone", async () => {
    const visitor = localClient(app);
    const settings = async (): Promise<string> => (await visitor.get("/_svc/ops/settings")).text();
    assert.match(await settings(), /Now: [\d-]+ [\d:.]+ UTC/);
    await visitor.submit("/_svc/ops/zone", { zone: "Asia/Kolkata", local: "on" });
    assert.match(await settings(), /Now: [\d-]+ [\d:.]+ (?:IST|GMT\+5:30)/);
    await visitor.submit("/_svc/ops/zone", { zone: "Nowhere/Land", local: "on" });
    assert.match(await settings(), /Now: [\d-]+ [\d:.]+ UTC/);
  });
});

describe("Queues", () => {
  it("can be paused and resumed, and show the actor and the reason", async () => {
    const { page } = await step("/queues/mail-receipt/pause", { note: "the mailer is down", back: "/_svc/ops/queues" });
    assert.match(page, /The queue mail-receipt is paused/);
    assert.match(page, /by operator: the mailer is down/);
    assert.match((await step("/queues/mail-receipt/resume", { back: "/_svc/ops/queues" })).page, /is resumed/);
  });

  it("show the rates of incoming and finished nodes", async () => {
    const page = await text("/queues");
    const [row = ""] = /<th[^>]*>(?:(?!<\/tr>)[\s\S])*>nightly-report<[\s\S]*?<\/tr>/.exec(page) ?? [];
    const rate = /data-label="Incoming"[^>]*>1\.0 \/ min<\/td><td data-label="Finished"[^>]*>1\.0 \/ min</;
    assert.match(row, rate);
    assert.match(row, /title="incoming: 1\.0 \/ min, finished: 1\.0 \/ min"/);
  });

  it("report an unknown worker", async () => {
    assert.match(
      (await step("/queues/nobody/pause", { back: "/_svc/ops/queues" })).page,
      /No worker is named "nobody"/,
    );
  });
});

describe("Schedules", () => {
  it("show their times, and can be run now, paused and resumed", async () => {
    assert.match(await text("/schedules"), /30 2 1 1 \*[\s\S]*Europe\/Berlin/);
    const { to } = await step("/schedules/nightly-report/trigger");
    const started = /\/runs\/(g_\w+)$/.exec(to)?.[1] ?? assert.fail();
    await until(async () => (await app.engine.snapshot(started))?.phase === "done", "the triggered run");
    const next = /<h2 id="next">[\s\S]*/.exec(await text(""))?.[0] ?? "";
    assert.match(next, /nightly-report<[\s\S]*?aria-label="Pause nightly-report"/);
    assert.match((await step("/schedules/nightly-report/pause", { back: "/_svc/ops/schedules" })).page, /is paused/);
    assert.equal((await app.engine.schedule.get("nightly-report"))?.paused, true);
    await step("/schedules/nightly-report/resume", { back: "/_svc/ops/schedules" });
    assert.equal((await app.engine.schedule.get("nightly-report"))?.paused, false);
  });
});

describe("Webhooks", () => {
  // Finish earlier runs, so that the webhooks registered here do not receive their events.
  before(() => app.engine.idle());

  let id = "";

  it("can be added on the screen, and are rejected with a reason", async () => {
    const refused = await step("/webhooks", { url: "http://10.0.0.1/", "graph.done": "1", back: "/_svc/ops/webhooks" });
    assert.match(refused.page, /role="alert"/);
    const { to } = await step("/webhooks", {
      url: `${receiver.url}/hooks`,
      "graph.done": "1",
      description: "The shop",
    });
    id = /\/webhooks\/(wh_\w+)$/.exec(to)?.[1] ?? "";
    assert.ok(id);
    assert.match(await text("/webhooks"), /The shop/);
  });

  it("are checked before they are added: address class, verdict and reason", async () => {
    const allowed = await text("/webhooks/add?url=http%3A%2F%2F127.0.0.1%3A8080%2Fin&graph.done=1&description=Till");
    assert.match(allowed, /role="status"><p>127\.0\.0\.1 resolves to an address of this machine[^<]*allowed because/);
    assert.match(allowed, /name="url" value="http:\/\/127\.0\.0\.1:8080\/in"[\s\S]*name="graph.done" value="1"/);
    assert.ok(allowed.includes("Add the webhook"));
    const refused = await text("/webhooks/add?url=http%3A%2F%2F10.0.0.1%2F");
    assert.match(
      refused,
      /role="alert"><p>10\.0\.0\.1 resolves to an address of a private network\. Rejected by the rule/,
    );
    assert.ok(!refused.includes("Add the webhook"));
    assert.ok(!(await text("/webhooks")).includes("8080"), "kept");
  });

  it("show each delivery with its attempts, the exact signed text, and how to verify it", async () => {
    receiver.reply({ status: 202, headers: { "X-Request-Id": "req<7>", "Set-Cookie": "planted=1" } });
    const run = await runTo(app, "order", orderInput(2), "done");
    const [got] = await receiver.received(1);
    receiver.reply(204);
    const deliveryId = String(got?.headers["webhook-id"]);
    await until(async () => (await app.webhooks.delivery(deliveryId)).status === "delivered", "its record");
    assert.match(await text(`/deliveries?status=delivered&graph_id=${run}`), new RegExp(deliveryId));
    const page = await text(`/deliveries/${deliveryId}`);
    const body = /aria-label="Body"[^>]*><code>([\s\S]*?)<\/code>/.exec(page)?.[1] ?? "";
    const unescaped = body
      .replaceAll("&lt;", "<")
      .replaceAll("&gt;", ">")
      .replaceAll("&quot;", '"')
      .replaceAll("&amp;", "&");
    assert.equal(unescaped, got?.body);
    assert.match(page, /openssl dgst -sha256 -hmac/);
    assert.match(
      page,
      /aria-label="In Python"[^>]*><code>def verify\([\s\S]*aria-label="In Go"[^>]*><code>func verify\(/,
    );
    assert.match(page, /x-request-id: req&lt;7>\nset-cookie: \[hidden\]/);
    assert.ok(!page.includes("planted"));
  });

  it("filter deliveries by receiver, with a removable chip and as a command", async () => {
    const { host } = new URL(receiver.url);
    const page = await text(`/deliveries?webhook=${id}&event=graph.done`);
    assert.match(
      page,
      new RegExp(`href="/_svc/ops/deliveries\\?event=graph.done" aria-label="Remove filter receiver ${host}"`),
    );
    assert.match(page, new RegExp(`data-label="Receiver"><a href="/_svc/ops/webhooks/${id}">${host}<`));
    assert.ok(page.includes(`/_svc/webhooks/${id}/deliveries?event=graph.done`), "the endpoint of the command");
  });

  it("show what is wrong with a response, and all that is stored of it", async () => {
    const long = "moved ".repeat(100);
    receiver.reply({ status: 302, headers: { Location: "/elsewhere" }, body: long });
    const other = await app.webhooks.create({ url: `${receiver.url}/moved`, events: ["graph.paused"] });
    const { delivery_id: pinged } = await app.webhooks.ping(other.registration.id);
    await until(async () => (await app.webhooks.delivery(pinged)).attempt_count === 1, "the answer");
    const list = await text(`/deliveries?webhook=${other.registration.id}`);
    assert.match(
      list,
      /data-label="Response"><span title="answered 302; redirects are not followed">302 <span class="quiet">in /,
    );
    await app.webhooks.remove(other.registration.id);
    receiver.reply(204);
    const page = await text(`/deliveries/${pinged}`);
    assert.match(page, /data-label="Response">302 <span class="quiet">answered 302; redirects are not followed</);
    assert.ok(page.includes(`aria-label="Response 1"><code>${long}<`));
  });

  it("are listed in pages", async () => {
    const more = await Promise.all(
      Array.from({ length: 26 }, (_, at) =>
        app.webhooks.create({ url: `${receiver.url}/page/${at}`, events: ["graph.paused"] }),
      ),
    );
    const shown = new Set<string>();
    const idsOf = (page: string): string[] =>
      [...page.matchAll(/action="[^"]*\/webhooks\/(wh_\w+)\/ping"/g)].map(([, of = ""]) => of);
    const first = await text("/webhooks");
    for (const each of idsOf(first)) shown.add(each);
    assert.equal(shown.size, 25);
    const next = /href="\/_svc\/ops(\/webhooks\?cursor=[^"]+)"/.exec(first)?.[1] ?? "";
    for (const each of idsOf(await text(next))) shown.add(each);
    const { total } = await app.webhooks.list(new URLSearchParams());
    assert.deepEqual([shown.size, shown.has(more.at(-1)?.registration.id ?? "")], [total, true]);
    for (const { registration } of more) await app.webhooks.remove(registration.id);
  });

  it("let an operator abandon a pending delivery, and say why one cannot be abandoned", async () => {
    receiver.reply(500);
    const other = await app.webhooks.create({ url: `${receiver.url}/down`, events: ["graph.paused"] });
    const { delivery_id: pinged } = await app.webhooks.ping(other.registration.id);
    await until(async () => (await app.webhooks.delivery(pinged)).attempt_count === 1, "the answer");
    assert.match(
      await text(`/deliveries/${pinged}`),
      /formaction="\/_svc\/ops\/deliveries\/\w+\/give-up"[^>]*>Abandon</,
    );
    const { page } = await step(`/deliveries/${pinged}/give-up`, {
      back: `/_svc/ops/deliveries/${pinged}`,
      note: "gone",
    });
    assert.match(page, /The delivery is abandoned/);
    assert.match(page, /disabled title="Already failed, without further retries"[^>]*>Abandon</);
    const { items } = await app.operations.audit({ target: pinged });
    assert.deepEqual([items[0]?.operation, items[0]?.note], ["delivery.give-up", "gone"]);
    await app.webhooks.remove(other.registration.id);
    receiver.reply(204);
  });

  it("refill the form after a rejected change, and ask for the headers again", async () => {
    const refused = await step(`/webhooks/${id}/edit`, {
      url: "http://10.0.0.1/",
      headers: "Authorization: Bearer typed",
      note: "it has moved",
    });
    assert.match(refused.page, /role="alert"[\s\S]*Enter the headers again: they were not kept/);
    assert.match(refused.page, /name="note" value="it has moved"/);
    assert.ok(!(refused.to + refused.page).includes("Bearer typed"));
  });

  it("can be pinged, disabled, enabled and resent, and get a new secret that is shown once", async () => {
    const { to } = await step(`/webhooks/${id}/ping`);
    assert.match(to, /\/deliveries\/msg_/);
    const pinged = to.slice("/_svc/ops/deliveries/".length);
    await until(async () => (await app.webhooks.delivery(pinged)).status === "delivered", "the ping");
    assert.match((await step(`/deliveries/${pinged}/replay`, { back: to })).page, /queued again/);
    assert.match(
      (await step(`/webhooks/${id}/disable`, { back: `/_svc/ops/webhooks/${id}` })).page,
      /data-tone="held">disabled/,
    );
    assert.match((await step(`/webhooks/${id}/enable`, { back: `/_svc/ops/webhooks/${id}` })).page, /active/);
    const { page } = await step(`/webhooks/${id}/rotate`, { back: `/_svc/ops/webhooks/${id}` });
    const shown = /class="secret">(whsec_[^<]+)</.exec(page)?.[1] ?? "";
    assert.ok(shown.length > 40);
    assert.ok(!(await text(`/webhooks/${id}`)).includes(shown), "a second time");
    const { items } = await app.operations.audit({ target: id });
    assert.ok(
      ["webhook.ping", "webhook.disable", "webhook.rotate"].every((what) =>
        items.some(({ operation }) => operation === what),
      ),
    );
    assert.ok(!JSON.stringify(items).includes(shown));
  });

  it("preview a resend without sending: every byte of one delivery, or the list of many", async () => {
    const path = new URL(receiver.url).pathname;
    const query = `?event=ping`;
    const pinged = /\/deliveries\/(msg_\w+)/.exec(await text(`/deliveries${query}`))?.[1] ?? assert.fail();
    const isOver = async (): Promise<boolean> => (await app.webhooks.delivery(pinged)).attempt_count === 2;
    await until(isOver, "the first resend");
    const before = receiver.deliveries.length;
    const one = await text(`/deliveries/${pinged}/replay`);
    assert.match(one, new RegExp(`POST ${path}\\S* HTTP/1.1`));
    assert.match(one, /X-Svc-Attempt: 3/);
    assert.match(one, /X-Svc-Signature: sha256=[\da-f]{64}/);
    assert.match(one, /data-tone="good">immediately/);
    assert.match(one, /data-tone="good">yes<[\s\S]*allowed because it is in the exempt ranges/);
    for (const secret of [SECRET, "whsec_"]) assert.ok(!one.includes(secret), secret);
    receiver.reply(...Array.from({ length: 3 }, () => 410));
    const other = await app.webhooks.create({ url: `${receiver.url}/gone`, events: ["graph.failed"] });
    const gone = other.registration.id;
    const { delivery_id: lost } = await app.webhooks.ping(gone);
    await until(async () => !(await app.webhooks.get(gone)).enabled, "the webhook to be disabled");
    await until(async () => (await app.webhooks.delivery(lost)).status === "failed", "its record");
    const off = await text(`/webhooks/${gone}/recover`);
    assert.match(off, /data-tone="bad">never/);
    receiver.reply(204);
    assert.match(off, /Resend 1 delivery\?[\s\S]*disabled title="The webhook is disabled[\s\S]*1 ping/);
    const overview = await text("");
    assert.match(
      overview,
      new RegExp(`href="/_svc/ops/webhooks/${gone}" data-row>The webhook [^<]* is disabled after a 410 response<`),
    );
    await app.webhooks.update(gone, { enabled: true });
    const many = await text(`/webhooks/${gone}/recover?since=1h`);
    const [, sinceMs = ""] = /name="since_ms" value="(\d+)"/.exec(many) ?? [];
    const [, digest = ""] = /name="digest" value="([\w-]+)"/.exec(many) ?? [];
    const stale = await step(`/webhooks/${gone}/recover`, { since_ms: sinceMs, digest: "another", expected: "1" });
    assert.match(stale.page, /Nothing was sent: the failed deliveries have changed since the preview/);
    assert.equal(receiver.deliveries.length, before + 1);
    const sent = await step(`/webhooks/${gone}/recover`, { since_ms: sinceMs, digest, expected: "1" });
    assert.match(sent.page, /Resending 1 delivery\./);
    await receiver.received(before + 2, 30_000);
    assert.match(await text(`/webhooks/${gone}/recover?since=all`), /Nothing to resend/);
    const { items } = await app.operations.audit({ target: gone });
    assert.ok(items.some(({ operation }) => operation === "webhook.recover"));
  });

  it("can be removed", async () => {
    const { to } = await step(`/webhooks/${id}/remove`);
    assert.equal(to, "/_svc/ops/webhooks");
    assert.equal((await client.get(`/_svc/ops/webhooks/${id}`)).status, 404);
  });
});

describe("Workers", () => {
  it("are shown with their limits, and can be started with an input", async () => {
    const page = await text("/workers");
    const { host } = (await app.operations.processes())[0] ?? { host: "" };
    assert.ok(
      host !== "" && page.includes(`<code>${host}</code></th><td data-label="State"`),
      "a row for each process",
    );
    assert.match(page, /pages and workers/);
    assert.match(page, /charge-card[\s\S]*?data-label="Concurrency">4</);
    assert.match(page, /50 in 1m/);
    const { to } = await step("/runs/start", { worker: "nightly-report", input: '{"day":1}' });
    const id = to.slice("/_svc/ops/runs/".length);
    assert.deepEqual((await app.engine.snapshot(id))?.input, { day: 1 });
  });
});

describe("The audit trail", () => {
  it("is filtered by actor, operation and target", async () => {
    const page = await text("/audit?operation=queue&target=mail-receipt");
    assert.match(page, /queue\.pause[\s\S]*the mailer is down/);
    assert.ok(!page.includes("schedule.trigger"));
    assert.match(await text("/audit?actor=nobody"), /No entries match these filters/);
  });
});

describe("The settings screen", () => {
  it("shows the effective settings, and secrets only as set or not set", async () => {
    const page = await text("/settings");
    assert.match(page, /SVC_WEBHOOK_SECRET<\/code>[\s\S]*?class="tag">set</);
    assert.match(page, /SVC_EXEC_API_KEY<\/code>[\s\S]*?class="tag">not set</);
    assert.ok(!page.includes(SECRET) && !page.includes("s".repeat(32)));
  });

  it("offers a compact density, without script", async () => {
    assert.ok(!(await text("/runs")).includes('data-density="compact"'));
    await step("/density", { density: "compact", back: "/_svc/ops/settings" });
    assert.ok((await text("/runs")).includes('data-density="compact"'));
    await step("/density", { density: "comfortable", back: "/_svc/ops/settings" });
    assert.ok(!(await text("/runs")).includes('data-density="compact"'));
  });
});
