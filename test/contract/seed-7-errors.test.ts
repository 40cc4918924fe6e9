/** Seed section 7: errors. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { withFixture } from "./app.ts";
import { describeBothAdapters } from "./both-adapters.ts";

describeBothAdapters(
  "errors of server actions",
  (site) => {
    const refused = (error: string, issues?: unknown) => ({
      ok: false,
      value: null,
      error,
      ...(issues === undefined ? {} : { issues }),
    });

    it('401, 403, 429, 422: {"ok": false, "value": null, "error": "<message>"}', async () => {
      assert.deepEqual(await site.client.action("signedInOnly"), {
        status: 401,
        reply: refused("Sign in to see this"),
      });
      assert.deepEqual(await site.client.action("never"), { status: 403, reply: refused("Forbidden") });
      const issues = [{ path: ["name"], message: "taken" }];
      assert.deepEqual(await site.client.action("picky"), { status: 422, reply: refused("Name is taken", issues) });
    });

    it("200: ok true, error null", async () => {
      assert.deepEqual(await site.client.action("echo"), { status: 200, reply: { ok: true, value: [], error: null } });
    });
  },
  {},
);

it("Status 429 comes from rate limiting", async () => {
  await withFixture(
    async ({ client }) => {
      const statuses: number[] = [];
      for (let call = 0; call < 5; call++) statuses.push((await client.action("echo")).status);
      assert.deepEqual(statuses, [200, 200, 200, 429, 429]);
    },
    { SVC_RATE_ACTIONS: "3" },
  );
});
