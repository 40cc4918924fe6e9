import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { throughBothAdapters } from "../adapters.test.ts";
import { compose } from "./middleware.ts";
import { text } from "../response/response.ts";
import type { Context, Middleware } from "../types.ts";
import { withHeaders } from "../response/with-headers.ts";

const twice: Middleware = async function twice(_ctx, next) {
  await next();
  return next();
};
const forgetful = ((_ctx: Context) => undefined) as unknown as Middleware;
const rescue: Middleware = async (ctx, next) => {
  try {
    return await next();
  } catch (error) {
    if (ctx.query.has("rethrow")) throw error;
    return text(`rescued: ${(error as Error).message}`, 200);
  }
};
const stamped: Middleware = async (_ctx, next) => withHeaders(await next(), { "X-Stamp": "new", "x-gone": undefined });

const SITE = {
  routes: {
    "GET /plain": () => text("plain", 200, ["x-stamp", "old", "X-Gone", "here"]),
    "GET /web": () =>
      new Response("web", {
        headers: [
          ["x-stamp", "old"],
          ["set-cookie", "a=1"],
          ["set-cookie", "b=2"],
        ],
      }),
    "GET /fail": () => {
      throw new Error("broken");
    },
  },
  middleware: [rescue, stamped],
};

throughBothAdapters("middleware around answers", SITE, (send) => {
  it("sets and removes headers of both kinds of responses, and keeps cookies", async () => {
    const plain = await send("/plain");
    assert.deepEqual([plain.text, plain.headers["x-stamp"], plain.headers["x-gone"]], ["plain", "new", undefined]);
    const web = await send("/web");
    assert.deepEqual([web.text, web.headers["x-stamp"], web.cookies], ["web", "new", ["a=1", "b=2"]]);
  });

  it("may turn an error into a response, or let it propagate", async () => {
    assert.equal((await send("/fail")).text, "rescued: broken");
    assert.equal((await send("/fail?rethrow")).status, 500);
  });
});

describe("misused middleware", () => {
  const ctx = {} as Context;
  const run = async (...middleware: Middleware[]): Promise<unknown> => compose(middleware, () => text("in"))(ctx);

  it("that calls next twice is reported by name, and the handler runs once", async () => {
    let runs = 0;
    const handler = compose([twice], () => text(String((runs += 1))));
    await assert.rejects(async () => handler(ctx), {
      code: "SVC_DEFINITION",
      message: /Middleware twice called next\(\) twice/,
    });
    assert.equal(runs, 1);
  });

  it("that returns no response is reported by name", async () => {
    await assert.rejects(run(forgetful), {
      code: "SVC_DEFINITION",
      message: /Middleware forgetful returned no response/,
    });
  });

  it("may be an empty list", async () => {
    assert.deepEqual(await run(), text("in"));
  });
});
