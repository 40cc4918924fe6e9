/** Contract section 3: the endpoints of webhooks. See contract-3-deliveries.test.ts for deliveries. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { verify } from "svckit/webhooks";
import { OPERATOR } from "./app.ts";
import { describeBothAdapters } from "./both-adapters.ts";
import { operate, received, SECRET, SIGNED, textOf, until, withReceiver, type Called } from "./calls.ts";

/** A receiver that gets no deliveries, so that its registrations stay unchanged. */
const URL_OF_NOBODY = "https://93.184.216.34/hook";

describeBothAdapters(
  "the endpoints of webhooks",
  (site) => {
    const call = (method: string, path: string, body?: unknown): Promise<Called> => operate(site, method, path, body);
    const register = async (more: object = {}): Promise<string> => {
      const { reply } = await call("POST", "/_svc/webhooks", { url: URL_OF_NOBODY, enabled: false, ...more });
      return textOf(reply, "id");
    };

    it("POST /_svc/webhooks: {url, events?, enabled?, description?, secret?}; events default: all three: 201 the registration; the same URL again updates that registration, 200", async () => {
      const url = "https://93.184.216.34/first";
      const created = await call("POST", "/_svc/webhooks", { url });
      assert.deepEqual(
        [created.status, created.reply["events"]],
        [201, ["graph.done", "graph.failed", "graph.paused"]],
      );
      const more = {
        url,
        events: ["graph.done"],
        enabled: false,
        description: "first",
        secret: "a-long-enough-secret-0123",
      };
      const again = await call("POST", "/_svc/webhooks", more);
      assert.deepEqual([again.status, again.reply["id"]], [200, created.reply["id"]]);
      const { events, enabled, description, secret_set: isSigned } = again.reply;
      assert.deepEqual([events, enabled, description, isSigned], [["graph.done"], false, "first", true]);
    });

    it("store worker filters, custom headers and a description, and never return header values", async () => {
      const more = { workers: ["double"], headers: { Authorization: "Bearer of-theirs" }, description: "audits" };
      const path = `/_svc/webhooks/${await register({ url: "https://93.184.216.34/narrow", ...more })}`;
      const { reply } = await call("GET", path);
      assert.deepEqual([reply["workers"], reply["header_names"]], [["double"], ["Authorization"]]);
      assert.ok(!JSON.stringify(reply).includes("of-theirs"));
      const widened = await call("PATCH", path, { workers: [], headers: {} });
      assert.deepEqual(
        [widened.status, "workers" in widened.reply, "header_names" in widened.reply],
        [200, false, false],
      );
      for (const headers of [{ "X-Svc-Event": "x" }, { host: "x" }, { a: "b\r\nc: d" }])
        assert.equal((await call("PATCH", path, { headers })).status, 422, JSON.stringify(headers));
    });

    it("GET /_svc/webhooks: ?limit&cursor: 200 {webhooks:[…], total, next_cursor}", async () => {
      await register();
      await register({ url: "https://93.184.216.34/second" });
      const first = await call("GET", "/_svc/webhooks?limit=1");
      assert.deepEqual([first.status, Object.keys(first.reply)], [200, ["webhooks", "total", "next_cursor"]]);
      assert.equal((first.reply["webhooks"] as unknown[]).length, 1);
      const cursor = encodeURIComponent(textOf(first.reply, "next_cursor"));
      const rest = await call("GET", `/_svc/webhooks?limit=200&cursor=${cursor}`);
      assert.equal((rest.reply["webhooks"] as unknown[]).length, Number(first.reply["total"]) - 1);
      assert.equal(rest.reply["next_cursor"], null);
      for (const query of ["limit=0", "limit=201", "limit=x"])
        assert.equal((await call("GET", `/_svc/webhooks?${query}`)).status, 422, query);
    });

    it("GET, PATCH, DELETE /_svc/webhooks/:id: PATCH {events?, enabled?, description?, url?}: 200 / 200 / 204; unknown id 404", async () => {
      const path = `/_svc/webhooks/${await register({ url: "https://93.184.216.34/third" })}`;
      assert.equal((await call("GET", path)).status, 200);
      const change = { events: ["graph.failed"], enabled: false, description: "x", url: "https://93.184.216.34/moved" };
      const changed = await call("PATCH", path, change);
      const { events, enabled, description, url } = changed.reply;
      assert.deepEqual([changed.status, { events, enabled, description, url }], [200, change]);
      assert.equal((await call("PATCH", path, { secret: "not-here-but-by-rotation" })).status, 422);
      assert.equal((await call("DELETE", path)).status, 204);
      for (const [method, body] of [["GET"], ["PATCH", {}], ["DELETE"]] as const)
        assert.equal((await call(method, path, body)).status, 404, method);
    });

    it("POST /_svc/webhooks/:id/ping: 202 {delivery_id}: a signed ping event through the real path", () =>
      withReceiver(site, async (receiver) => {
        const { status, reply } = await call("POST", `/_svc/webhooks/${receiver.id}/ping`);
        const [delivery] = await received(receiver, 1);
        assert.ok(delivery);
        assert.deepEqual([status, reply["delivery_id"]], [202, delivery.headers["x-svc-delivery"]]);
        assert.equal(delivery.headers["x-svc-event"], "ping");
        assert.equal(verify({ ...delivery, secret: SECRET }).event, "ping");
      }));

    it("POST /_svc/webhooks/:id/rotate-secret: {secret?}: 200 {secret}, shown once; the old one stays valid for 24 h in webhook-signature", () =>
      withReceiver(site, async (receiver) => {
        const path = `/_svc/webhooks/${receiver.id}`;
        const rotated = await call("POST", `${path}/rotate-secret`);
        const secret = textOf(rotated.reply, "secret");
        assert.deepEqual([rotated.status, Object.keys(rotated.reply)], [200, ["secret"]]);
        assert.ok(!JSON.stringify((await call("GET", path)).reply).includes(secret));
        await call("POST", `${path}/ping`);
        const [delivery] = await received(receiver, 1);
        assert.ok(delivery);
        assert.equal(String(delivery.headers["webhook-signature"]).split(" ").length, 2);
        for (const valid of [secret, SECRET]) assert.equal(verify({ ...delivery, secret: valid }).event, "ping");
        const given = "a-secret-of-their-own-0123456789";
        assert.equal((await call("POST", `${path}/rotate-secret`, { secret: given })).reply["secret"], given);
      }));

    it("GET /_svc/webhooks/:id/deliveries · GET /_svc/deliveries: ?status&event&graph_id&since_ms&limit&cursor: 200 {deliveries:[…], total, next_cursor}", () =>
      withReceiver(site, async (receiver) => {
        await call("POST", `/_svc/webhooks/${receiver.id}/ping`);
        const { snapshot } = await site.app.engine.start("double", { value: 1 });
        await received(receiver, 2);
        for (const path of [`/_svc/webhooks/${receiver.id}/deliveries`, "/_svc/deliveries"]) {
          await until(async () => {
            const { reply } = await call("GET", `${path}?status=pending`);
            return reply["total"] === 0;
          }, "both on record");
          const total = async (query: string): Promise<unknown> =>
            (await call("GET", `${path}?${query}`)).reply["total"];
          const first = await call("GET", `${path}?limit=1`);
          assert.deepEqual(Object.keys(first.reply), ["deliveries", "total", "next_cursor"]);
          assert.equal((first.reply["deliveries"] as unknown[]).length, 1);
          const cursor = encodeURIComponent(textOf(first.reply, "next_cursor"));
          const second = await call("GET", `${path}?limit=1&cursor=${cursor}`);
          assert.notDeepEqual(second.reply["deliveries"], first.reply["deliveries"]);
          assert.equal(await total(`graph_id=${snapshot.graph_id}`), 1);
          assert.equal(await total(`event=graph.done&status=delivered&graph_id=${snapshot.graph_id}`), 1);
          assert.equal(await total(`since_ms=${Date.now() + 60_000}`), 0);
          for (const query of ["status=odd", "event=odd", "since_ms=x", "limit=-1", "cursor=x"])
            assert.equal((await call("GET", `${path}?${query}`)).status, 422, query);
        }
      }));

    it("GET /_svc/deliveries/:id: 200 the delivery with every attempt: times, status code, first 2 KB of the response, error; and its headers, without credentials", () =>
      withReceiver(site, async (receiver) => {
        receiver.reply({ status: 200, body: "y".repeat(5000), headers: { "X-Id": "7", "Set-Cookie": "planted" } });
        const { reply } = await call("POST", `/_svc/webhooks/${receiver.id}/ping`);
        const path = `/_svc/deliveries/${textOf(reply, "delivery_id")}`;
        await until(async () => (await call("GET", path)).reply["status"] === "delivered", "the record");
        const [attempt] = (await call("GET", path)).reply["attempts"] as Record<string, unknown>[];
        assert.deepEqual(Object.keys(attempt ?? {}), [
          "number",
          "started_ms",
          "duration_ms",
          "status_code",
          "response",
          "response_headers",
          "error",
          "timings",
        ]);
        assert.deepEqual([attempt?.["status_code"], attempt?.["error"]], [200, null]);
        assert.equal(String(attempt?.["response"]).length, 2048);
        const { "x-id": id, "set-cookie": cookie } = (attempt?.["response_headers"] ?? {}) as Record<string, string>;
        assert.deepEqual([id, cookie], ["7", "[hidden]"]);
        assert.equal((await call("GET", "/_svc/deliveries/msg_none")).status, 404);
      }));

    it("POST /_svc/deliveries/:id/replay: 202; same delivery id", () =>
      withReceiver(site, async (receiver) => {
        const { reply } = await call("POST", `/_svc/webhooks/${receiver.id}/ping`);
        const id = textOf(reply, "delivery_id");
        await until(
          async () => (await call("GET", `/_svc/deliveries/${id}`)).reply["status"] === "delivered",
          "the record",
        );
        const replayed = await call("POST", `/_svc/deliveries/${id}/replay`);
        assert.deepEqual([replayed.status, replayed.reply], [202, { delivery_id: id }]);
        assert.equal((await received(receiver, 2))[1]?.headers["x-svc-delivery"], id);
      }));

    it("POST /_svc/deliveries/:id/give-up: 200 the delivery, which has failed; one that is not pending 409 with both states; on record", () =>
      withReceiver(site, async (receiver) => {
        receiver.reply(500);
        const { reply } = await call("POST", `/_svc/webhooks/${receiver.id}/ping`);
        const path = `/_svc/deliveries/${textOf(reply, "delivery_id")}`;
        await until(async () => (await call("GET", path)).reply["attempt_count"] === 1, "the attempt");
        receiver.reply(204);
        const given = await call("POST", `${path}/give-up`);
        assert.deepEqual([given.status, given.reply["status"], given.reply["next_attempt_ms"]], [200, "failed", null]);
        const refused = await call("POST", `${path}/give-up`);
        assert.equal(refused.status, 409);
        assert.match(JSON.stringify(refused.reply), /is failed; only a pending delivery can be given up/);
        assert.equal((await call("POST", "/_svc/deliveries/msg_none/give-up")).status, 404);
        const audit = await call("GET", `/_svc/audit?target=${textOf(reply, "delivery_id")}`);
        assert.match(JSON.stringify(audit.reply), /"delivery\.give-up"/);
        assert.equal((await call("POST", `${path}/replay`)).status, 202);
        await until(async () => (await call("GET", path)).reply["status"] === "delivered", "the record");
      }));

    it('Registration: {id:"wh_…", url, events, enabled, description, state, created_ms, updated_ms, secret_set}. Secrets never come back', async () => {
      const secret = "a-secret-of-its-own-0123456789";
      const { reply } = await call("POST", "/_svc/webhooks", { url: URL_OF_NOBODY, secret });
      assert.deepEqual(Object.keys(reply), [
        "id",
        "url",
        "events",
        "enabled",
        "description",
        "state",
        "created_ms",
        "updated_ms",
        "secret_set",
      ]);
      assert.match(textOf(reply, "id"), /^wh_/);
      assert.deepEqual([reply["state"], reply["secret_set"]], ["active", true]);
      const path = `/_svc/webhooks/${textOf(reply, "id")}`;
      for (const shown of [reply, (await call("GET", path)).reply, (await call("GET", "/_svc/webhooks")).reply])
        assert.ok(!JSON.stringify(shown).includes(secret));
      assert.equal((await call("PATCH", path, { enabled: false })).reply["state"], "disabled");
    });

    it("a valid key needs no CSRF token, compared in constant time: a key of any length is refused alike", async () => {
      for (const key of ["x", "operator-kez", "x".repeat(5000)]) {
        const response = await site.send("/_svc/webhooks", { headers: { authorization: `Bearer ${key}` } });
        assert.equal(response.status, 401);
      }
      const headers = { ...OPERATOR, "content-type": "application/json", origin: "https://ops.example" };
      const body = JSON.stringify({ url: URL_OF_NOBODY, enabled: false });
      assert.ok((await site.send("/_svc/webhooks", { method: "POST", headers, body })).ok);
    });

    it("Refusals: missing or wrong key 401 with WWW-Authenticate: Bearer", async () => {
      for (const authorization of [undefined, "Bearer wrong", "Basic b3A6", "Bearer"]) {
        const response = await site.send(
          "/_svc/webhooks",
          authorization === undefined ? {} : { headers: { authorization } },
        );
        assert.deepEqual([response.status, response.headers.get("www-authenticate")], [401, "Bearer"]);
      }
    });

    it("Refusals: bad JSON, relative or non-HTTP URL, credentials in the URL, unknown event, SSRF-refused URL 422 (the detail names the rule, not the address's owner)", async () => {
      for (const [body, code] of [
        [{ url: "/relative" }, "SVC_WEBHOOK_URL"],
        [{ url: "ftp://example.com/" }, "SVC_WEBHOOK_URL"],
        [{ url: "http://user:pw@example.com/" }, "SVC_WEBHOOK_URL"],
        [{ url: "http://169.254.169.254/" }, "SVC_SSRF"],
        [{ url: URL_OF_NOBODY, events: ["graph.odd"] }, "SVC_WEBHOOK_EVENT"],
        [[], "SVC_INVALID"],
      ] as const) {
        const { status, reply } = await call("POST", "/_svc/webhooks", body);
        assert.deepEqual([status, reply["code"]], [422, code], JSON.stringify(body));
      }
      const headers = { ...OPERATOR, "content-type": "application/json" };
      assert.equal((await site.send("/_svc/webhooks", { method: "POST", headers, body: "{" })).status, 422);
    });

    it("Refusals: body over 64 KiB 413", async () => {
      const large = await call("POST", "/_svc/webhooks", { url: URL_OF_NOBODY, description: "x".repeat(65_536) });
      assert.equal(large.status, 413);
    });

    it("SSRF is checked at registration and at every attempt on the address actually connected to", async () => {
      assert.equal((await call("POST", "/_svc/webhooks", { url: "http://10.0.0.1/" })).status, 422);
    });

    it("A name that does not resolve at registration (or at boot) is accepted; the attempt decides", async () => {
      const { status } = await call("POST", "/_svc/webhooks", { url: "https://nobody.invalid/", enabled: false });
      assert.equal(status, 201);
    });
  },
  SIGNED,
);
