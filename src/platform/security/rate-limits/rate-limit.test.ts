import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import { SimulatedClock } from "../../shared/clock.ts";
import type { RateCounters } from "../../shared/rate-counters.ts";
import { MemoryCounters } from "./memory-counters.ts";
import { clientKey, clientName, RateLimit, type RateLimitResult } from "./rate-limit.ts";

/** Converts a flat list into an object. */
function headersOf({ headers }: RateLimitResult): Record<string, string | undefined> {
  return Object.fromEntries(headers.flatMap((name, at) => (at % 2 === 0 ? [[name, headers[at + 1]]] : [])));
}

async function takeTimes(limit: RateLimit, client: string, times: number): Promise<RateLimitResult[]> {
  const verdicts: RateLimitResult[] = [];
  for (let at = 0; at < times; at++) verdicts.push(await limit.take(client));
  return verdicts;
}

describe("a rate limit", () => {
  let clock: SimulatedClock;
  beforeEach(() => void (clock = new SimulatedClock()));
  const newLimit = (name: string, perMinute: number, counters?: RateCounters): RateLimit =>
    new RateLimit({ name, perMinute, clock, ...(counters ? { counters } : {}) });

  it("allows its number of calls per minute, refuses further ones, and allows calls again in the next minute", async () => {
    const limit = newLimit("actions", 3);
    const verdicts = await takeTimes(limit, "203.0.113.9", 5);
    assert.deepEqual(
      verdicts.map(({ isAllowed }) => isAllowed),
      [true, true, true, false, false],
    );
    await clock.advance(59_999);
    assert.equal((await limit.take("203.0.113.9")).isAllowed, false);
    await clock.advance(1);
    assert.equal((await limit.take("203.0.113.9")).isAllowed, true);
  });

  it("returns its policy, the remaining calls and the time to the next window", async () => {
    const limit = newLimit("actions", 2);
    assert.deepEqual(headersOf(await limit.take("203.0.113.9")), {
      "ratelimit-policy": '"actions";q=2;w=60',
      ratelimit: '"actions";r=1;t=60',
    });
    await clock.advance(20_500);
    assert.equal(headersOf(await limit.take("203.0.113.9"))["ratelimit"], '"actions";r=0;t=40');
  });

  it("returns a sufficient wait in whole seconds to a refused client", async () => {
    const limit = newLimit("actions", 1);
    await limit.take("203.0.113.9");
    await clock.advance(29_500);
    const refusal = headersOf(await limit.take("203.0.113.9"));
    assert.equal(refusal["retry-after"], "31");
    assert.equal(refusal["ratelimit"], '"actions";r=0;t=31');
    await clock.advance(Number(refusal["retry-after"]) * 1000);
    assert.equal((await limit.take("203.0.113.9")).isAllowed, true);
  });

  it("is not prolonged by refused calls", async () => {
    const limit = newLimit("actions", 1);
    await limit.take("203.0.113.9");
    for (let at = 0; at < 6; at++) {
      await clock.advance(10_000);
      const { isAllowed } = await limit.take("203.0.113.9");
      assert.equal(isAllowed, at === 5, `after ${(at + 1) * 10} s`);
    }
  });

  it("counts each client and each limit separately", async () => {
    const [actions, submits] = [newLimit("actions", 1), newLimit("submits", 1)];
    await actions.take("203.0.113.9");
    assert.equal((await actions.take("203.0.113.9")).isAllowed, false);
    assert.equal((await actions.take("203.0.113.10")).isAllowed, true);
    assert.equal((await submits.take("203.0.113.9")).isAllowed, true);
  });

  it("counts an IPv6 client by network", async () => {
    const limit = newLimit("actions", 1);
    await limit.take("2001:db8:1:2::1");
    assert.equal((await limit.take("2001:db8:1:2:ffff::9")).isAllowed, false);
    assert.equal((await limit.take("2001:db8:1:3::1")).isAllowed, true);
  });

  it("refuses an IPv6 /48 whose networks call 16 times as often as one client may, in memory and in a store", async () => {
    const [here, stored] = [new MemoryCounters(), new MemoryCounters()];
    for (const counters of [here, { add: (...call: Parameters<MemoryCounters["add"]>) => stored.add(...call) }]) {
      const limit = newLimit("actions", 2, counters);
      for (let at = 0; at < 2 * 16; at++)
        assert.equal((await limit.take(`2001:db8:1:${at.toString(16)}::1`)).isAllowed, true, `call ${at}`);
      const refusal = await limit.take("2001:db8:1:ffff::1");
      assert.deepEqual([refusal.isAllowed, headersOf(refusal)["retry-after"]], [false, "60"]);
      assert.equal((await limit.take("2001:db8:2::1")).isAllowed, true);
    }
  });

  it("does not let a refused IPv6 client use up the calls of its /48", async () => {
    const limit = newLimit("actions", 2);
    await takeTimes(limit, "2001:db8:1:1::1", 100);
    assert.equal((await limit.take("2001:db8:1:2::1")).isAllowed, true);
  });

  it("reports each refusal with limit, client and target", async () => {
    const reported: unknown[] = [];
    const onRefused = (...refusal: unknown[]): number => reported.push(refusal);
    const [here, stored] = [new MemoryCounters(), new MemoryCounters()];
    const elsewhere: RateCounters = { add: (...call) => stored.add(...call) };
    for (const counters of [here, elsewhere]) {
      const limit = new RateLimit({ name: "actions", perMinute: 1, clock, counters, onRefused });
      await limit.take("203.0.113.9", "save");
      await limit.take("203.0.113.9", "send");
      await limit.take("203.0.113.9");
    }
    const once = [
      ["actions", "203.0.113.9", "send"],
      ["actions", "203.0.113.9", "actions"],
    ];
    assert.deepEqual(reported, [...once, ...once]);
  });

  it("names clients by the counted unit", () => {
    assert.equal(clientName("203.0.113.9"), "203.0.113.9");
    assert.equal(clientName("2001:db8:1:2::1"), "2001:db8:1:2::/64");
    assert.equal(clientName("2001:db8::1"), "2001:db8::/64");
    assert.equal(clientName("::1"), "::/64");
    assert.equal(clientName("all"), undefined);
  });

  it("counts concurrent calls one by one", async () => {
    const limit = newLimit("actions", 10);
    const verdicts = await Promise.all(Array.from({ length: 25 }, async () => limit.take("203.0.113.9")));
    assert.equal(verdicts.filter(({ isAllowed }) => isAllowed).length, 10);
  });
});

describe("counts in memory", () => {
  it("are bounded under a flood of addresses, and keep the latest ones", () => {
    const counters = new MemoryCounters(1000);
    for (let at = 0; at < 50_000; at++) {
      counters.add(`client ${at}`, 1, 60_000, at);
      assert.ok(counters.size <= 1000);
    }
    assert.equal(counters.add("client 49501", 1, 60_000, 50_000).consumed, 2);
  });

  it("last for their whole window and are dropped soon after, without a timer", () => {
    const counters = new MemoryCounters();
    for (let at = 0; at < 300; at++) {
      const { consumed } = counters.add(`client ${at % 100}`, 1, 60_000, at * 500);
      // Each of a hundred clients calls every 50 s, so the second call is in the window of the first.
      assert.equal(consumed, at < 100 || at >= 200 ? 1 : 2, `call ${at}`);
    }
    counters.add("late", 1, 60_000, 1_000_000);
    counters.add("later", 1, 60_000, 2_000_000);
    assert.equal(counters.size, 2);
  });

  it("restart if the clock was set back, so that nobody waits too long", () => {
    const counters = new MemoryCounters();
    counters.add("client", 5, 60_000, 10_000_000);
    assert.deepEqual(counters.add("client", 1, 60_000, 1_000_000), { consumed: 1, endMs: 1_060_000 });
  });
});

describe("a limit whose counters fail", () => {
  it("continues to count in memory", async () => {
    const counters: RateCounters = {
      add: () => {
        throw new Error("disk full");
      },
    };
    const limit = new RateLimit({ name: "actions", perMinute: 2, clock: new SimulatedClock(), counters });
    const verdicts = await takeTimes(limit, "203.0.113.9", 3);
    assert.deepEqual(
      verdicts.map(({ isAllowed }) => isAllowed),
      [true, true, false],
    );
  });
});

describe("the key of a client", () => {
  it("is the IPv4 address in either spelling, and never equals that of an IPv6 network", () => {
    assert.equal(clientKey("::ffff:203.0.113.9"), clientKey("203.0.113.9"));
    assert.notEqual(clientKey("203.0.113.9"), clientKey("203.0.113.10"));
    assert.notEqual(clientKey("::1"), clientKey("0.0.0.0"));
  });

  it("is the text itself if it is not an address", () => {
    assert.equal(clientKey("unix socket"), "unix socket");
  });
});
