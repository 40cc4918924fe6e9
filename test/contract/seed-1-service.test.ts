/** Seed section 1: the purpose of the service. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { verify } from "svckit/webhooks";
import { openBuiltApp, type BuiltApp } from "./built-app.ts";
import { operate, received, SECRET, SIGNED, withReceiver } from "./calls.ts";
import { describeBothAdapters } from "./both-adapters.ts";

describe("a built app", () => {
  let built: BuiltApp;
  before(async () => void (built = await openBuiltApp()));
  after(() => built?.close());

  it("rendered on the server and resumed in the browser by small scripts loaded on demand", async () => {
    const page = await (await built.client.get("/")).text();
    assert.match(page, /<button[^>]*>0/, "rendered on the server");
    const scripts = [...page.matchAll(/<script[^>]* src="([^"]+)"/g)].map(([, source]) => source);
    assert.deepEqual(scripts, ["/_svc/loader.js"], "the rest is loaded on demand");
    const chunk = /counter-[\w-]+/.exec(page)?.[0] ?? "";
    const code = await built.client.get(`/_svc/handler/${chunk}.js`);
    assert.equal(code.headers.get("content-type"), "text/javascript; charset=utf-8");
    assert.ok((await code.text()).length < 2000);
  });
});

describeBothAdapters(
  "the service",
  (site) => {
    it("runs graphs executed by named workers", async () => {
      const { status, reply } = await operate(site, "POST", "/_svc/graphs", { worker: "double", input: { value: 2 } });
      assert.deepEqual([status, reply["worker"]], [202, "double"]);
      await site.app.engine.idle();
      const shown = await operate(site, "GET", `/_svc/graphs/${String(reply["graph_id"])}`);
      assert.deepEqual([shown.reply["status"], shown.reply["result"]], ["done", 4]);
    });

    it("sends outbound HTTP callbacks (webhooks) to registered URLs", () =>
      withReceiver(site, async (receiver) => {
        await site.app.engine.start("double", { value: 2 });
        assert.equal((await received(receiver, 1))[0]?.path, "/hook");
      }));

    it("The payloads are signed with HMAC", () =>
      withReceiver(site, async (receiver) => {
        await site.app.engine.start("double", { value: 2 });
        const [delivery] = await received(receiver, 1);
        assert.ok(delivery);
        assert.equal(verify({ ...delivery, secret: SECRET }).event, "graph.done");
        assert.throws(() => verify({ ...delivery, secret: "another secret" }));
      }));

    it("serves static runtime assets, handles server-action calls (RPC)", async () => {
      assert.equal((await site.send("/_svc/core.js")).status, 200);
      assert.deepEqual((await site.client.action("echo", 1)).reply.value, [1]);
    });

    it("handles form submits in the full-stack variant: the base app answers 404", async () => {
      assert.equal((await site.client.post("/_svc/submit/x", {})).status, 404);
    });

    it('Endpoints marked "full-stack only" exist only in the latter', async () => {
      for (const path of ["/robots.txt", "/sitemap.xml", "/llms.txt", "/_svc/submit/x"])
        assert.equal((await site.send(path)).status, 404, path);
    });

    it("applies security headers, CSRF protection and rate limiting by default", async () => {
      const page = await site.send("/plain");
      assert.equal(page.headers.get("x-frame-options"), "DENY");
      const forged = await site.send("/_svc/action/echo", {
        method: "POST",
        body: '{"args":[]}',
        headers: { "content-type": "application/json" },
      });
      assert.equal(forged.status, 403);
      assert.match(forged.headers.get("ratelimit-policy") ?? "", /q=120;w=60/);
    });
  },
  SIGNED,
);

describe("the demo page", () => {
  describeBothAdapters(
    "with a secret",
    (site) => {
      it("registers an on-site inbox at {base_url}/_svc/demo/webhook-inbox, fires a sample graph.done payload to it, and displays the JSON received; The sample is signed with X-Svc-Signature when the webhook secret is set", async () => {
        const sent = await site.client.submit("/_svc/demo", {});
        // The app can call itself only if it listens.
        if (site.port() === undefined) return assert.equal(sent.status, 503);
        assert.equal(sent.status, 303);
        const hooks = await operate(site, "GET", "/_svc/webhooks");
        assert.match(JSON.stringify(hooks.reply), /http:\/\/127\.0\.0\.1:\d+\/_svc\/demo\/webhook-inbox/);
        const page = await (await site.client.get(sent.headers.get("location") ?? "")).text();
        assert.match(page, /graph\.done/);
        assert.match(page, /x-svc-signature/);
        assert.match(page, /Signature verified/);
      });
    },
    { SVC_WEBHOOK_SECRET: SECRET },
  );

  describeBothAdapters("without a secret", (site) => {
    it("signs the sample with a secret of the demo", async () => {
      const sent = await site.client.submit("/_svc/demo", {});
      if (site.port() === undefined) return assert.equal(sent.status, 503);
      const page = await (await site.client.get(sent.headers.get("location") ?? "")).text();
      assert.match(page, /x-svc-signature/);
      assert.match(page, /Signature verified/);
      assert.match(page, /unsigned until a secret is set/);
    });
  });
});
