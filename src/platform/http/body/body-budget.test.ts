/** The memory that request bodies take together, alone and through both adapters. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SvcError } from "../../shared/errors.ts";
import { BodyBudget } from "./body-budget.ts";
import { siteHttp, throughBothAdapters } from "../adapters.test.ts";
import { readForm } from "./memory-form.ts";
import { json } from "../response/response.ts";

const isBusy = (error: unknown): boolean =>
  error instanceof SvcError && error.code === "SVC_UNAVAILABLE" && error.headers?.["retry-after"] === "2";

describe("the body budget", () => {
  it("refuses bytes of a second request above the limit, and accepts them after the first has ended", () => {
    const budget = new BodyBudget(100);
    const [first, second] = [budget.lease(), budget.lease()];
    first.accept(new Uint8Array(80));
    assert.throws(() => second.accept(new Uint8Array(21)), isBusy);
    second.accept(new Uint8Array(20));
    assert.equal(budget.bytes, 100);
    first.release();
    second.accept(new Uint8Array(80));
    assert.equal(budget.bytes, 100);
  });

  it("allows a single body above the budget, because the body's own limit applies", () => {
    const budget = new BodyBudget(100);
    const large = budget.lease();
    large.accept(new Uint8Array(90));
    large.accept(new Uint8Array(90));
    assert.throws(() => budget.lease().accept(new Uint8Array(1)), isBusy);
    large.release();
    large.release();
    assert.equal(budget.bytes, 0);
  });

  it("ignores bytes that arrive after the end of a request", () => {
    const budget = new BodyBudget(100);
    const lease = budget.lease();
    lease.accept(new Uint8Array(10));
    lease.release();
    lease.accept(new Uint8Array(10));
    assert.equal(budget.bytes, 0);
  });
});

const budget = new BodyBudget(1000);
const form = { "content-type": "application/x-www-form-urlencoded" };
let proceed = (): void => undefined;
let reached: () => void = () => undefined;

const SITE = {
  bodyBudget: budget,
  routes: {
    "POST /hold": async (ctx) => {
      const { length } = await ctx.bytes(10_000);
      reached();
      await new Promise<void>((resolve) => (proceed = resolve));
      return json(length);
    },
    "POST /form": async (ctx) => json(Object.keys((await readForm(ctx, 10_000)).fields).length),
    "POST /fails": async (ctx) => {
      await ctx.bytes(10_000);
      throw new SvcError("SVC_INVALID", "It fails");
    },
  },
} satisfies Parameters<typeof throughBothAdapters>[1];

throughBothAdapters("bodies in flight", SITE, (send) => {
  it("get 503 with Retry-After while others fill the budget, and 200 afterwards", async () => {
    const isHeld = new Promise<void>((resolve) => (reached = resolve));
    const held = send("/hold", { method: "POST", body: "x".repeat(900) });
    await isHeld;
    assert.equal(budget.bytes, 900);
    const refused = await send("/form", { method: "POST", headers: form, body: `a=${"x".repeat(200)}` });
    assert.deepEqual([refused.status, refused.headers["retry-after"]], [503, "2"]);
    proceed();
    assert.equal((await held).text, "900");
    assert.equal((await send("/form", { method: "POST", headers: form, body: `a=${"x".repeat(200)}` })).status, 200);
    assert.equal(budget.bytes, 0);
  });

  it("release their share if the handler fails, or the body is too large or malformed", async () => {
    assert.equal((await send("/fails", { method: "POST", body: "x".repeat(500) })).status, 422);
    assert.equal((await send("/form", { method: "POST", headers: form, body: "x".repeat(20_000) })).status, 413);
    assert.equal((await send("/form", { method: "POST", headers: form, body: "a=%ff" })).status, 422);
    assert.equal(budget.bytes, 0);
  });

  it("with over 1,000 form fields are refused with 413 before any field is decoded", async () => {
    const fields = (count: number, value = ""): string =>
      Array.from({ length: count }, (_, at) => `f${at}=${value}`).join("&");
    assert.equal((await send("/form", { method: "POST", headers: form, body: fields(1000) })).text, "1000");
    // The last field is not UTF-8, which would give 422.
    const flood = await send("/form", { method: "POST", headers: form, body: `${fields(1001)}%ff` });
    assert.equal(flood.status, 413);
  });
});

describe("a client that disconnects while it sends a body", () => {
  it("releases its share of the budget", async () => {
    const own = new BodyBudget(1000);
    const http = siteHttp({
      bodyBudget: own,
      routes: { "POST /read": async (ctx) => json((await ctx.bytes(900)).length) },
    });
    let fail = (_error: Error): void => undefined;
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(new Uint8Array(500));
        fail = (error) => controller.error(error);
      },
    });
    const init = { method: "POST", body, duplex: "half" };
    const answer = http.fetch(new Request("http://a/read", init as RequestInit));
    fail(new Error("gone"));
    assert.equal((await answer).status, 400);
    assert.equal(own.bytes, 0);
  });
});

describe("large bodies that arrive together", () => {
  it("are released one per turn of the event loop, and small ones immediately", async () => {
    const turns: number[] = [];
    let turn = 0;
    const count = (): void => {
      turn++;
      if (turn < 20) setImmediate(count);
    };
    const http = siteHttp({
      routes: { "POST /large": async (ctx) => json(turns.push((await ctx.bytes(100_000)).length && turn)) },
    });
    const post = (length: number): Promise<Response> =>
      http.fetch(new Request("http://a/large", { method: "POST", body: "x".repeat(length) }));
    setImmediate(count);
    await Promise.all([post(50_000), post(50_000), post(50_000)]);
    assert.equal(new Set(turns).size, 3, `turns ${turns.join()}`);
  });
});
