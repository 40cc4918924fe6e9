import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it, mock } from "node:test";
import { clientKey, RateLimit, type RateVerdict } from "./rate-limit.ts";

/** Flat list to lookup. */
function headersOf({ headers }: RateVerdict): Record<string, string | undefined> {
  return Object.fromEntries(headers.flatMap((name, at) => (at % 2 === 0 ? [[name, headers[at + 1]]] : [])));
}

async function takeTimes(limit: RateLimit, client: string, times: number): Promise<RateVerdict[]> {
  const verdicts: RateVerdict[] = [];
  for (let at = 0; at < times; at++) verdicts.push(await limit.take(client));
  return verdicts;
}

describe("rate limit", () => {
  // The counter is a library that keeps time by itself; simulated, so that a minute takes none.
  beforeEach(() => mock.timers.enable({ apis: ["Date", "setTimeout"], now: Date.UTC(2026, 0, 1) }));
  afterEach(() => mock.timers.reset());

  it("allows so many a minute, refuses the next, and allows again when the minute is over", async () => {
    const limit = new RateLimit("actions", 3);
    const verdicts = await takeTimes(limit, "203.0.113.9", 5);
    assert.deepEqual(
      verdicts.map(({ isAllowed }) => isAllowed),
      [true, true, true, false, false],
    );
    mock.timers.tick(59_999);
    assert.equal((await limit.take("203.0.113.9")).isAllowed, false);
    mock.timers.tick(1);
    assert.equal((await limit.take("203.0.113.9")).isAllowed, true);
  });

  it("tells policy, what is left and when it starts anew", async () => {
    const limit = new RateLimit("actions", 2);
    assert.deepEqual(headersOf(await limit.take("203.0.113.9")), {
      "ratelimit-policy": '"actions";q=2;w=60',
      ratelimit: '"actions";r=1;t=60',
    });
    mock.timers.tick(20_500);
    assert.equal(headersOf(await limit.take("203.0.113.9"))["ratelimit"], '"actions";r=0;t=40');
  });

  it("tells a refused client how long to wait, in whole seconds that are enough", async () => {
    const limit = new RateLimit("actions", 1);
    await limit.take("203.0.113.9");
    mock.timers.tick(29_500);
    const refusal = headersOf(await limit.take("203.0.113.9"));
    assert.equal(refusal["retry-after"], "31");
    assert.equal(refusal["ratelimit"], '"actions";r=0;t=31');
    mock.timers.tick(Number(refusal["retry-after"]) * 1000);
    assert.equal((await limit.take("203.0.113.9")).isAllowed, true);
  });

  it("refusals don't lengthen the wait", async () => {
    const limit = new RateLimit("actions", 1);
    await limit.take("203.0.113.9");
    for (let at = 0; at < 6; at++) {
      mock.timers.tick(10_000);
      const { isAllowed } = await limit.take("203.0.113.9");
      assert.equal(isAllowed, at === 5, `after ${(at + 1) * 10} s`);
    }
  });

  it("counts each client and each limit by itself", async () => {
    const [actions, submits] = [new RateLimit("actions", 1), new RateLimit("submits", 1)];
    await actions.take("203.0.113.9");
    assert.equal((await actions.take("203.0.113.9")).isAllowed, false);
    assert.equal((await actions.take("203.0.113.10")).isAllowed, true);
    assert.equal((await submits.take("203.0.113.9")).isAllowed, true);
  });

  it("counts a client of IPv6 once, whichever address of its network it takes", async () => {
    const limit = new RateLimit("actions", 1);
    await limit.take("2001:db8:1:2::1");
    assert.equal((await limit.take("2001:db8:1:2:ffff::9")).isAllowed, false);
    assert.equal((await limit.take("2001:db8:1:3::1")).isAllowed, true);
  });

  it("counts calls made at once one by one", async () => {
    const limit = new RateLimit("actions", 10);
    const verdicts = await Promise.all(Array.from({ length: 25 }, () => limit.take("203.0.113.9")));
    assert.equal(verdicts.filter(({ isAllowed }) => isAllowed).length, 10);
  });
});

describe("key of a client", () => {
  it("is the IPv4 address in either spelling, and never that of an IPv6 network", () => {
    assert.equal(clientKey("::ffff:203.0.113.9"), clientKey("203.0.113.9"));
    assert.notEqual(clientKey("203.0.113.9"), clientKey("203.0.113.10"));
    assert.notEqual(clientKey("::1"), clientKey("0.0.0.0"));
  });

  it("is the text itself where it is no address", () => {
    assert.equal(clientKey("unix socket"), "unix socket");
  });
});
