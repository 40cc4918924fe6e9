/** The registrations as the endpoints use them. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SimulatedClock } from "../../platform/shared/clock.ts";
import type { Json } from "../../platform/shared/json.ts";
import { FakeWebhookStore, fakeStore } from "../delivery/fake-store.test.ts";
import { createWebhooks, type WebhooksOptions } from "../webhooks.ts";

const URL_A = "https://a.example.com/hook";
const ALL_EVENTS = ["graph.done", "graph.failed", "graph.paused"];

async function rig(options: Partial<WebhooksOptions> = {}) {
  const store = await FakeWebhookStore.open();
  const clock = new SimulatedClock();
  const resolve = async (): Promise<string[]> => ["93.184.216.34"];
  const webhooks = createWebhooks({ store: fakeStore(store), clock, resolve, ...options });
  return { store, clock, webhooks };
}

const query = (text = ""): URLSearchParams => new URLSearchParams(text);

describe("a registration", () => {
  it("is returned in its public shape, with all events by default, and never with a secret", async () => {
    const { webhooks, clock } = await rig();
    const { registration, created } = await webhooks.create({ url: URL_A, secret: "my-own-secret" });
    assert.equal(created, true);
    assert.match(registration.id, /^wh_[0-9a-f]{32}$/);
    const { id } = registration;
    assert.deepEqual(registration, {
      id,
      url: URL_A,
      events: ALL_EVENTS,
      enabled: true,
      description: "",
      state: "active",
      created_ms: clock.now(),
      updated_ms: clock.now(),
      secret_set: true,
    });
    assert.deepEqual(await webhooks.get(id), registration);
    assert.equal(JSON.stringify(await webhooks.list(query())).includes("my-own-secret"), false);
  });

  it("is updated by another registration of the same URL, in any spelling", async () => {
    const { webhooks, clock } = await rig();
    const first = await webhooks.create({ url: URL_A, description: "audits", secret: "my-own-secret" });
    await clock.advance(1000);
    const again = await webhooks.create({ url: "HTTPS://A.example.com:443/hook#x", events: ["graph.failed"] });
    assert.equal(again.created, false);
    assert.equal(again.registration.id, first.registration.id);
    assert.deepEqual(again.registration.events, ["graph.failed"]);
    assert.deepEqual([again.registration.description, again.registration.secret_set], ["audits", true]);
    assert.equal(again.registration.updated_ms, first.registration.created_ms + 1000);
    assert.equal((await webhooks.list(query())).total, 1);
  });

  it("is created once for concurrent requests", async () => {
    const { webhooks } = await rig();
    const made = await Promise.all(Array.from({ length: 20 }, () => webhooks.create({ url: URL_A })));
    assert.equal(made.filter(({ created }) => created).length, 1);
    assert.equal((await webhooks.list(query())).total, 1);
  });

  it("listens to all events for an empty list, and counts repeated events once", async () => {
    const { webhooks } = await rig();
    const { registration } = await webhooks.create({ url: URL_A, events: [] });
    assert.deepEqual(registration.events, ALL_EVENTS);
    const { registration: twice } = await webhooks.create({ url: URL_A, events: ["graph.done", "graph.done"] });
    assert.deepEqual(twice.events, ["graph.done"]);
  });

  it("shows the names of its custom headers, but never their values", async () => {
    const { webhooks } = await rig();
    const { registration } = await webhooks.create({ url: URL_A, headers: { Authorization: "Bearer hunter2" } });
    assert.deepEqual(registration.header_names, ["Authorization"]);
    assert.equal(JSON.stringify([registration, await webhooks.list(query())]).includes("hunter2"), false);
  });

  it("keeps its headers if an update omits them, and listens to all workers if an update omits those", async () => {
    const { webhooks } = await rig();
    await webhooks.create({ url: URL_A, headers: { "X-Team": "audits" }, workers: ["audit", "audit"] });
    const { registration } = await webhooks.create({ url: URL_A });
    assert.deepEqual([registration.header_names, registration.workers], [["X-Team"], undefined]);
  });

  it("reports whether its deliveries are signed", async () => {
    const isSigned = async (options: Partial<WebhooksOptions>) =>
      (await (await rig(options)).webhooks.create({ url: URL_A })).registration.secret_set;
    assert.deepEqual([await isSigned({}), await isSigned({ secret: "the-common-secret" })], [false, true]);
  });
});

describe("the validation of registrations", () => {
  const cases: [Json, string, RegExp][] = [
    [null, "SVC_INVALID", /JSON object/],
    [[], "SVC_INVALID", /JSON object/],
    [{}, "SVC_WEBHOOK_URL", /missing/],
    [{ url: 7 }, "SVC_WEBHOOK_URL", /"url"/],
    [{ url: "/hook" }, "SVC_WEBHOOK_URL", /\(scheme\).*absolute/],
    [{ url: "ftp://a.example.com/" }, "SVC_WEBHOOK_URL", /\(scheme\)/],
    [{ url: "https://u:p@a.example.com/" }, "SVC_WEBHOOK_URL", /\(credentials\)/],
    [{ url: "http://127.0.0.1/" }, "SVC_SSRF", /\(loopback\)/],
    [{ url: "http://localhost/" }, "SVC_SSRF", /\(local-name\)/],
    [{ url: "https://a.example.com:25/" }, "SVC_SSRF", /\(port\)/],
    [{ url: URL_A, events: "graph.done" }, "SVC_WEBHOOK_EVENT", /array/],
    [{ url: URL_A, events: ["graph.started"] }, "SVC_WEBHOOK_EVENT", /"graph.started".*graph.done/],
    [{ url: URL_A, events: ["constructor"] }, "SVC_WEBHOOK_EVENT", /constructor/],
    [{ url: URL_A, enabled: "yes" }, "SVC_INVALID", /true or false/],
    [{ url: URL_A, description: "x".repeat(501) }, "SVC_INVALID", /500/],
    [{ url: URL_A, workers: "audit" }, "SVC_INVALID", /array.*names/],
    [{ url: URL_A, workers: ["audit", ""] }, "SVC_INVALID", /array.*names/],
    [{ url: URL_A, workers: Array.from({ length: 101 }, (_, at) => `w${at}`) }, "SVC_INVALID", /at most 100/],
    [{ url: URL_A, headers: ["X-Team"] }, "SVC_INVALID", /object from header names/],
    [{ url: URL_A, headers: { "webhook-id": "x" } }, "SVC_INVALID", /use another name/],
    [{ url: URL_A, headers: { "X-Team": 7 } }, "SVC_INVALID", /invalid value/],
    [{ url: URL_A, secret: "short" }, "SVC_INVALID", /secret/],
    [{ url: URL_A, event: ["graph.done"] }, "SVC_INVALID", /"event" is not a key.*events/],
  ];

  for (const [body, code, message] of cases) {
    it(`rejects ${JSON.stringify(body).slice(0, 60)} with ${code}`, async () => {
      const { webhooks, store } = await rig();
      await assert.rejects(webhooks.create(body), { code, message });
      assert.equal(store.saves, 0);
    });
  }

  it("rejects a name that resolves to a private address, without showing the address", async () => {
    const { webhooks } = await rig({ resolve: async () => ["93.184.216.34", "10.11.12.13"] });
    await assert.rejects(webhooks.create({ url: URL_A }), (error: Error & { code?: string }) => {
      assert.equal(error.code, "SVC_SSRF");
      assert.match(error.message, /\(private\)/);
      return !error.message.includes("10.11.12.13");
    });
  });

  it("accepts a name that does not resolve, because each attempt checks it again", async () => {
    const { webhooks } = await rig({ resolve: () => Promise.reject(new Error("no such name")) });
    assert.equal((await webhooks.create({ url: URL_A })).created, true);
  });

  it("reports an unknown id as not found, in every operation", async () => {
    const { webhooks } = await rig();
    const missing = { code: "SVC_NOT_FOUND" };
    for (const id of ["wh_none", "constructor", ""]) {
      await assert.rejects(() => webhooks.get(id), missing);
      await assert.rejects(() => webhooks.delivery(id), missing);
      await assert.rejects(() => webhooks.deliveries(query(), id), missing);
      await assert.rejects(webhooks.update(id, {}), missing);
      await assert.rejects(webhooks.remove(id), missing);
      await assert.rejects(webhooks.ping(id), missing);
      await assert.rejects(webhooks.rotateSecret(id, {}), missing);
      await assert.rejects(webhooks.replay(id), missing);
      await assert.rejects(webhooks.recover(id, { since_ms: 0 }), missing);
    }
  });

  it("rejects invalid queries and bodies of all operations", async () => {
    const { webhooks } = await rig();
    const { registration } = await webhooks.create({ url: URL_A });
    for (const text of ["limit=0", "limit=201", "limit=x", "cursor=%00", "cursor=abc"])
      await assert.rejects(() => webhooks.list(query(text)), { code: "SVC_INVALID" }, text);
    for (const text of ["status=done", "since_ms=x", "since_ms=-1", "limit=1.5"])
      await assert.rejects(() => webhooks.deliveries(query(text)), { code: "SVC_INVALID" }, text);
    await assert.rejects(() => webhooks.deliveries(query("event=graph.started")), { code: "SVC_WEBHOOK_EVENT" });
    for (const body of [{}, { since_ms: "0" }, { since_ms: 1.5 }, { since_ms: 0, x: 1 }])
      await assert.rejects(webhooks.recover(registration.id, body), { code: "SVC_INVALID" });
    await assert.rejects(webhooks.update(registration.id, { secret: "not-by-patch" }), { code: "SVC_INVALID" });
  });
});

describe("a change of a registration", () => {
  it("affects only the given fields", async () => {
    const { webhooks } = await rig();
    const { registration } = await webhooks.create({ url: URL_A, events: ["graph.done"], description: "audits" });
    const changed = await webhooks.update(registration.id, { enabled: false });
    assert.deepEqual(changed, { ...registration, enabled: false, state: "disabled" });
    const moved = await webhooks.update(registration.id, { url: "https://b.example.com/hook", enabled: true });
    assert.deepEqual(moved, { ...registration, url: "https://b.example.com/hook" });
  });

  it("loses no concurrent edit", async () => {
    const { webhooks } = await rig();
    const { registration } = await webhooks.create({ url: URL_A });
    await Promise.all([
      webhooks.update(registration.id, { events: ["graph.failed"] }),
      webhooks.update(registration.id, { description: "audits" }),
      webhooks.update(registration.id, { workers: ["audit"] }),
      webhooks.update(registration.id, { headers: { "X-Team": "audits" } }),
      webhooks.rotateSecret(registration.id, {}),
      webhooks.update(registration.id, { url: "https://b.example.com/" }),
    ]);
    const { events, workers, header_names: names, description, secret_set, url } = await webhooks.get(registration.id);
    assert.deepEqual(
      [events, workers, names, description, secret_set, url],
      [["graph.failed"], ["audit"], ["X-Team"], "audits", true, "https://b.example.com/"],
    );
  });

  it("changes nothing if the new URL is taken or forbidden", async () => {
    const { webhooks } = await rig();
    const a = await webhooks.create({ url: URL_A });
    const b = await webhooks.create({ url: "https://b.example.com/" });
    const taken = { code: "SVC_WEBHOOK_URL", message: new RegExp(a.registration.id) };
    await assert.rejects(webhooks.update(b.registration.id, { url: URL_A }), taken);
    await assert.rejects(webhooks.update(b.registration.id, { url: "http://[::1]/" }), { code: "SVC_SSRF" });
    assert.deepEqual(await webhooks.get(b.registration.id), b.registration);
  });

  it("that deletes it removes the id and frees the URL", async () => {
    const { webhooks } = await rig();
    const { registration } = await webhooks.create({ url: URL_A });
    await webhooks.remove(registration.id);
    await assert.rejects(() => webhooks.get(registration.id), { code: "SVC_NOT_FOUND" });
    assert.notEqual((await webhooks.create({ url: URL_A })).registration.id, registration.id);
  });
});

describe("a rotation of the secret", () => {
  const chosen = "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=";

  it("shows the new secret once, generated or given", async () => {
    const { webhooks } = await rig();
    const { registration } = await webhooks.create({ url: URL_A });
    assert.match((await webhooks.rotateSecret(registration.id, {})).secret, /^whsec_/);
    assert.deepEqual(await webhooks.rotateSecret(registration.id, { secret: chosen }), { secret: chosen });
    await assert.rejects(webhooks.rotateSecret(registration.id, { secret: "whsec_!" }), { code: "SVC_INVALID" });
  });
});

describe("a list of registrations", () => {
  it("is paged oldest first with a total, also across deletions", async () => {
    const { webhooks, clock } = await rig();
    for (const name of ["a", "b", "c", "d", "e"]) {
      await webhooks.create({ url: `https://${name}.example.com/` });
      await clock.advance(1);
    }
    const first = await webhooks.list(query("limit=2"));
    assert.deepEqual([first.webhooks.map(({ url }) => url.slice(8, 9)).join(""), first.total], ["ab", 5]);
    await webhooks.remove(first.webhooks[1]?.id ?? "");
    const second = await webhooks.list(query(`limit=2&cursor=${first.next_cursor}`));
    assert.equal(second.webhooks.map(({ url }) => url.slice(8, 9)).join(""), "cd");
    const third = await webhooks.list(query(`limit=2&cursor=${second.next_cursor}`));
    assert.deepEqual([third.webhooks.length, third.next_cursor], [1, null]);
  });
});

describe("registrations at boot", () => {
  it("are added for all events if they are new, and known ones stay unchanged", async () => {
    const { webhooks } = await rig();
    const { registration } = await webhooks.create({ url: URL_A, events: ["graph.failed"], enabled: false });
    const urls = [URL_A, "https://b.example.com/", "HTTPS://B.example.com:443/"];
    await Promise.all([webhooks.registerAtBoot(urls), webhooks.registerAtBoot(urls)]);
    await webhooks.registerAtBoot(urls);
    assert.deepEqual(await webhooks.get(registration.id), registration);
    const added = (await webhooks.list(query())).webhooks.find(({ id }) => id !== registration.id);
    assert.deepEqual([added?.url, added?.events], ["https://b.example.com/", ALL_EVENTS]);
    assert.equal((await webhooks.list(query())).total, 2);
  });

  it("are rejected with the name of the variable and every invalid URL", async () => {
    const { webhooks } = await rig();
    await assert.rejects(
      webhooks.registerAtBoot(["nonsense", URL_A, "http://10.0.0.1/"]),
      (error: Error & { code?: string }) => {
        assert.equal(error.code, "SVC_CONFIG");
        assert.match(
          error.message,
          /^SVC_WEBHOOK_URLS has "nonsense": .*scheme.*; "http:\/\/10\.0\.0\.1\/": .*private/,
        );
        return !error.message.includes("a.example.com");
      },
    );
  });
});

describe("the webhook configuration", () => {
  it("is rejected before anything is sent if its secret, range or schedule is invalid", async () => {
    for (const options of [{ secret: "whsec_%%%" }, { allowCidrs: ["everything"] }, { schedule: [] }])
      await assert.rejects(rig(options), { code: "SVC_CONFIG" });
  });
});
