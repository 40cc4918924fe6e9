/** Seed section 8: limits. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "node:test";
import { withFixture } from "./app.ts";
import { describeBothAdapters } from "./both-adapters.ts";

describeBothAdapters(
  "limits",
  (site) => {
    it("Rate limiting applies to POST server actions and POST form submits (full-stack only, 404 here)", async () => {
      const statuses: number[] = [];
      for (let call = 0; call < 3; call++) statuses.push((await site.client.action("echo")).status);
      assert.deepEqual(statuses, [200, 200, 429]);
      assert.equal((await site.client.post("/_svc/submit/echo", {})).status, 404);
      for (let call = 0; call < 5; call++) assert.equal((await site.send("/plain")).status, 200);
    });

    it("Content-Security-Policy with a per-request nonce on HTML pages", async () => {
      const policies = [await site.send("/plain"), await site.send("/plain")].map(
        ({ headers }) => /'nonce-([\w+/=]+)'/.exec(headers.get("content-security-policy") ?? "")?.[1],
      );
      assert.equal(policies[0]?.length, 24);
      assert.notEqual(policies[0], policies[1]);
    });

    it("Strict-Transport-Security when HTTPS is detected", async () => {
      assert.equal((await site.send("/plain")).headers.get("strict-transport-security"), null);
      const response = await site.app.fetch(new Request("https://localhost/plain"));
      assert.match(response.headers.get("strict-transport-security") ?? "", /^max-age=31536000/);
    });

    it("X-Frame-Options: DENY", async () => {
      assert.equal((await site.send("/plain")).headers.get("x-frame-options"), "DENY");
    });

    it("X-Content-Type-Options: nosniff", async () => {
      assert.equal((await site.send("/plain")).headers.get("x-content-type-options"), "nosniff");
    });
  },
  { SVC_RATE_ACTIONS: "2" },
);

it("It uses a built-in in-memory or on-disk counter and needs no external store", async () => {
  /** The responses of two apps to one call each. */
  const answers = async (env: Record<string, string>): Promise<number[]> => {
    const found: number[] = [];
    const limited = { SVC_RATE_ACTIONS: "1", ...env };
    await withFixture(
      async (first) =>
        withFixture(async (second) => {
          for (const { client } of [first, second, first]) found.push((await client.action("echo")).status);
        }, limited),
      limited,
    );
    return found;
  };
  assert.deepEqual(await answers({}), [200, 200, 429], "each in its own memory");
  const folder = mkdtempSync(join(tmpdir(), "svc-rates-"));
  try {
    assert.deepEqual(await answers({ SVC_RATE_FILE: join(folder, "rates.db") }), [200, 429, 429], "together in a file");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

it("Security headers applied by default (configurable through the security configuration)", async () => {
  await withFixture(
    async ({ client }) => {
      const { headers } = await client.get("/plain");
      assert.equal(headers.get("x-frame-options"), "SAMEORIGIN");
      assert.match(headers.get("content-security-policy") ?? "", /img-src [^;]*https:\/\/images\.example/);
    },
    {},
    { security: { frameOptions: "SAMEORIGIN", csp: { "img-src": ["https://images.example"] } } },
  );
});
