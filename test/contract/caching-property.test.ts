/** Pages, layouts and middleware that read visitors in any way and place: no cache ever keeps what they read. */
import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import fc from "fast-check";
import { page, type Context } from "svckit";
import { a, html, t } from "svckit/jsx-runtime";
import { closeSites, isShared, LOOKS, siteOf, visitor, VISITORS } from "./cached-site.ts";

describe("data that a page reads of a visitor", () => {
  after(closeSites);

  it("is in no response that caches may share, and in no response to another visitor", async () => {
    const places = ["load", "view", "head", "before", "behind"] as const;
    const look = fc.constantFrom(...Object.keys(LOOKS));
    const plan = fc.record({
      looks: fc.array(fc.record({ look, place: fc.constantFrom(...places) }), { maxLength: 3 }),
      cache: fc.record({
        public: fc.constant(true),
        maxAge: fc.constantFrom("0s", "1m"),
        sharedMaxAge: fc.constantFrom("1s", "1m"),
        staleWhileRevalidate: fc.constantFrom("0s", "1m"),
        vary: fc.constantFrom([], ["x-visitor"], ["accept-language"]),
      }),
      requests: fc.array(
        fc.record({
          who: fc.constantFrom(...VISITORS),
          isPlain: fc.boolean(),
          passMs: fc.constantFrom(0, 900, 70_000),
        }),
        { minLength: 2, maxLength: 6 },
      ),
    });
    await fc.assert(
      fc.asyncProperty(plan, async ({ looks, cache, requests }) => {
        const at = async (place: string, ctx: Context): Promise<string> => {
          const found = looks.filter((one) => one.place === place).map((one) => LOOKS[one.look]?.(ctx));
          return (await Promise.all(found)).join();
        };
        const now = (place: string, ctx: Context): string => {
          const found = looks.filter((one) => one.place === place).map((one) => LOOKS[one.look]?.(ctx));
          return found.filter((one) => !(one instanceof Promise)).join();
        };
        const site = siteOf({
          pages: [
            page("/", {
              title: "",
              load: (ctx) => at("load", ctx),
              view: (data, ctx) => html(() => t([data, now("view", ctx)])),
              head: (_, ctx) => html(() => `<meta content="${a(now("head", ctx))}">`),
              middleware: [
                async (ctx, next) => {
                  const before = await at("before", ctx);
                  const answer = (await next()) as { status: number; headers: string[]; body: string };
                  const found = `${before}${await at("behind", ctx)}`;
                  return { ...answer, headers: [...answer.headers, "x-found", encodeURIComponent(found)] };
                },
              ],
              cache,
            }),
          ],
        });
        for (const { who, isPlain, passMs } of requests) {
          const answer = await site.get("/", isPlain ? {} : visitor(who));
          // A response repeats the id of its request. A cached response has the id of the request that created it.
          const said = answer.text + (answer.headers.get("x-found") ?? "");
          const isVaried = cache.vary.length > 0;
          for (const other of VISITORS) {
            const isOwn = !isPlain && other === who;
            if (isShared(answer) && !(isVaried && isOwn)) assert.ok(!said.includes(other), `shared: ${said}`);
            if (!isOwn) assert.ok(!said.includes(other), `${isPlain ? "nobody" : who} was shown ${other}: ${said}`);
          }
          await site.clock.advance(passMs);
        }
        await closeSites();
      }),
      { numRuns: 120 },
    );
  });
});
