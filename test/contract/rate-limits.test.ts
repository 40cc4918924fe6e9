/** Rate limits as clients see them: on routes of the app, in one process and across processes of one machine. */
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { accountLimit, action, fail, group, page, rateLimit, route, text, type AppOptions } from "svckit";
import { SimulatedClock } from "svckit/testing";
import { withFixture } from "./app.ts";

const hello = (path: string, ...limits: ReturnType<typeof rateLimit>[]) =>
  route("GET", path, () => text("hello"), { middleware: limits });

describe("rateLimit as middleware", () => {
  it("admits a client a number of times per minute, then answers 429 with Retry-After", async () => {
    const clock = new SimulatedClock();
    const options: AppOptions = { routes: [hello("/hello", rateLimit({ perMinute: 2, name: "hello" }))], clock };
    await withFixture(
      async ({ client }) => {
        const first = await client.get("/hello");
        assert.equal(first.status, 200);
        assert.equal(first.headers.get("ratelimit-policy"), '"hello";q=2;w=60');
        assert.equal(first.headers.get("ratelimit"), '"hello";r=1;t=60');
        await client.get("/hello");
        const refused = await client.get("/hello");
        assert.equal(refused.status, 429);
        assert.equal(refused.headers.get("retry-after"), "60");
        assert.equal(refused.headers.get("content-type"), "application/problem+json");
        assert.equal(((await refused.json()) as { code: string }).code, "SVC_RATE_LIMIT");
        await clock.advance(60_000);
        assert.equal((await client.get("/hello")).status, 200);
      },
      {},
      options,
    );
  });

  it("counts routes with the same limiter together, and routes with different limiters separately", async () => {
    const shared = rateLimit({ perMinute: 2 });
    const routes = [hello("/a", shared), hello("/b", shared), hello("/c", rateLimit({ perMinute: 2 }))];
    await withFixture(
      async ({ client }) => {
        const statuses: number[] = [];
        for (const path of ["/a", "/b", "/a", "/c"]) statuses.push((await client.get(path)).status);
        assert.deepEqual(statuses, [200, 200, 429, 200]);
      },
      {},
      { routes },
    );
  });

  it("works on groups and pages, and on responses of the type Response", async () => {
    const inside = group("/in", { middleware: [rateLimit({ perMinute: 2 })] }, [
      route("GET", "/web", () => new Response("web", { headers: { "x-own": "1" } })),
      page("/page", { title: "Page", view: () => "<p>page</p>" }),
    ]);
    await withFixture(
      async ({ client }) => {
        const web = await client.get("/in/web");
        assert.deepEqual([web.status, web.headers.get("x-own")], [200, "1"]);
        assert.ok(web.headers.get("ratelimit"));
        assert.equal((await client.get("/in/page")).status, 200);
        assert.equal((await client.get("/in/web")).status, 429);
      },
      {},
      { routes: [inside] },
    );
  });

  it("rejects invalid options", () => {
    for (const options of [{ perMinute: 0 }, { perMinute: 1.5 }, { perMinute: 1, name: 'a"b' }])
      assert.throws(() => rateLimit(options), { code: "SVC_DEFINITION" }, JSON.stringify(options));
  });
});

describe("SVC_RATE_FILE", () => {
  it("makes all processes of a machine count together, also after a process has ended", async () => {
    const folder = mkdtempSync(join(tmpdir(), "svc-rate-"));
    try {
      const file = join(folder, "made/rate.db");
      const env = { SVC_RATE_FILE: file, SVC_RATE_ACTIONS: "3" };
      const options = () => ({
        actions: { one: action(() => 1) },
        routes: [hello("/hello", rateLimit({ perMinute: 1, name: "hello" }))],
        clock: new SimulatedClock(),
      });
      await withFixture(
        async ({ client: first }) => {
          await withFixture(
            async ({ client: second }) => {
              const statuses: number[] = [];
              for (const client of [first, second, first, second]) statuses.push((await client.action("one")).status);
              assert.deepEqual(statuses, [200, 200, 200, 429]);
              assert.deepEqual([(await first.get("/hello")).status, (await second.get("/hello")).status], [200, 429]);
            },
            env,
            options(),
          );
        },
        env,
        options(),
      );
      await withFixture(async ({ client }) => assert.equal((await client.action("one")).status, 429), env, options());
      assert.ok(existsSync(file));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it("makes all processes count the wrong passwords of an account together, from any address", async () => {
    const folder = mkdtempSync(join(tmpdir(), "svc-account-limit-"));
    const signIns = [0, 1].map(() => accountLimit({ perMinute: 3, name: "sign-in" }));
    const signIn = (at: number) =>
      action(async (password: string) => {
        await signIns[at]?.attempt("ada");
        if (password !== "right") fail("Wrong password");
        await signIns[at]?.succeeded("ada");
      });
    const env = { SVC_RATE_FILE: join(folder, "rate.db") };
    await withFixture(
      (first) =>
        withFixture(
          async (second) => {
            const statuses: number[] = [];
            for (const { client } of [first, second, first, second, first]) {
              statuses.push((await client.action("signIn", "right")).status);
              statuses.push((await client.action("signIn", "wrong")).status);
            }
            assert.deepEqual(statuses, [200, 422, 200, 422, 200, 422, 429, 429, 429, 429]);
          },
          env,
          { actions: { signIn: signIn(1) } },
        ),
      env,
      { actions: { signIn: signIn(0) } },
    );
    rmSync(folder, { recursive: true });
  });

  it("fails the boot if the file is unusable", async () => {
    await withFixture(
      async ({ app }) => {
        await assert.rejects(app.boot(), { code: "SVC_STORE", message: /rate limits \/dev\/null\/rate\.db/ });
      },
      { SVC_RATE_FILE: "/dev/null/rate.db" },
    );
  });
});
