/** Seed section 5: authentication. */
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { API_KEY } from "./app.ts";
import { openBuiltApp, type BuiltApp } from "./built-app.ts";
import { received, SECRET, SIGNED, withReceiver } from "./calls.ts";
import { describeBothAdapters } from "./both-adapters.ts";

describeBothAdapters(
  "authentication",
  (site) => {
    it("Webhook registration over HTTP: Header Authorization: Bearer <API_KEY>, where the key is the value of SVC_EXEC_API_KEY", async () => {
      const post = async (headers: Record<string, string>): Promise<number> => {
        const body = '{"url":"https://93.184.216.34/"}';
        const all = { "content-type": "application/json", ...headers };
        return (await site.send("/_svc/webhooks", { method: "POST", headers: all, body })).status;
      };
      assert.equal(await post({ authorization: `Bearer ${API_KEY}` }), 201);
      assert.equal(await post({ authorization: `Bearer ${API_KEY}x` }), 401);
      assert.equal(await post({}), 401);
    });

    it("Mutations (server actions, form submits): Header X-Svc-CSRF must carry the CSRF token", async () => {
      const post = async (headers: Record<string, string>): Promise<number> => {
        const all = { "content-type": "application/json", ...headers };
        return (await site.client.request("/_svc/action/echo", { method: "POST", headers: all, body: '{"args":[]}' }))
          .status;
      };
      assert.equal(await post({ "x-svc-csrf": await site.client.csrfToken() }), 200);
      assert.equal(await post({}), 403);
    });

    it("Webhook signature: See section 6", () =>
      withReceiver(site, async (receiver) => {
        await site.app.engine.start("double", { value: 1 });
        const [delivery] = await received(receiver, 1);
        const digest = createHmac("sha256", SECRET)
          .update(delivery?.body ?? "")
          .digest("hex");
        assert.equal(delivery?.headers["x-svc-signature"], `sha256=${digest}`);
      }));

    it("A mutation without a valid CSRF token is refused", async () => {
      for (const headers of [{}, { "x-svc-csrf": "" }, { "x-svc-csrf": "x".repeat(43) }] as Record<string, string>[]) {
        const sent = await site.client.request("/echo", { method: "POST", headers, body: "x" });
        assert.equal(sent.status, 403);
      }
    });
  },
  SIGNED,
);

describe("a page", () => {
  let built: BuiltApp;
  before(async () => void (built = await openBuiltApp()));
  after(() => built?.close());

  it("CSRF token delivery: Server-side rendering embeds csrf_token in the state script of the page and sets the cookie __svc-csrf", async () => {
    const response = await built.client.get("/");
    assert.match(response.headers.get("set-cookie") ?? "", /^__svc-csrf=/);
    const state = /<script type="application\/json" id="svc-state"[^>]*>(.+?)<\/script>/s.exec(await response.text());
    const { csrf_token: token } = JSON.parse(state?.[1] ?? "") as { csrf_token: string };
    assert.match(token, /^[\w-]{20,}$/);
  });
});
