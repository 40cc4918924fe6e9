import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { systemClock } from "../../platform/shared/clock.ts";
import { eventStream, type StreamEvent } from "../../platform/http/response/event-stream.ts";
import { createApp } from "../app.ts";
import { route } from "../pages/route.ts";

const MOST = 1000;

async function* silence(signal: AbortSignal): AsyncGenerator<StreamEvent> {
  yield { data: 1 };
  await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
}

describe("the event streams of a client or token", () => {
  const app = createApp({
    env: {
      SVC_DATABASE_URL: "memory:",
      SVC_SECRET: "s".repeat(32),
      NODE_ENV: "production",
      SVC_TRUST_PROXY: "0.0.0.0/0",
    },
    routes: [
      route("GET", "/news", (ctx) => eventStream(silence(ctx.signal), { clock: systemClock, signal: ctx.signal })),
    ],
  });
  const open: AbortController[] = [];
  const ask = async (path: string): Promise<Response> => {
    const controller = new AbortController();
    open.push(controller);
    return app.fetch(new Request(`http://localhost${path}`, { signal: controller.signal }));
  };
  before(() => app.boot());
  after(async () => {
    for (const controller of open) controller.abort();
    await app.close();
  });

  it(`are at most ${MOST}; a further one gets 429 with Retry-After until another ends`, async () => {
    const streams = await Promise.all(Array.from({ length: MOST }, () => ask("/news")));
    assert.ok(streams.every(({ status }) => status === 200));
    const refusal = await ask("/news");
    assert.deepEqual([refusal.status, refusal.headers.get("retry-after")], [429, "10"]);
    assert.equal(((await refusal.json()) as { code: string }).code, "SVC_RATE_LIMIT");
    await streams[0]?.body?.cancel();
    assert.equal((await ask("/news")).status, 200);
    assert.equal((await ask("/news")).status, 429);
  });
});
