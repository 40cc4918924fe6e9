import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { SimulatedClock } from "../../shared/clock.ts";
import type { OpenSession } from "./session.ts";
import type { CookieChange, SessionStore } from "./session-keys.ts";
import { Sessions } from "./session-keys.ts";

declare module "./session.ts" {
  interface SessionData {
    user?: string;
    cart?: string[];
    big?: bigint;
  }
}

const DAY_MS = 86_400_000;

class MemorySessions implements SessionStore {
  readonly rows = new Map<string, { data: string; expiresMs: number }>();
  read(id: string): string | undefined {
    return this.rows.get(id)?.data;
  }
  async write(id: string, data: string, expiresMs: number): Promise<void> {
    this.rows.set(id, { data, expiresMs });
  }
  remove(id: string): void {
    this.rows.delete(id);
  }
}

/** A store that can atomically replace existing data. */
class ReplacingSessions extends MemorySessions {
  replace(id: string, data: string, expiresMs: number): boolean {
    if (!this.rows.has(id)) return false;
    this.rows.set(id, { data, expiresMs });
    return true;
  }
}

/** A browser: keeps the cookie, and opens a session for each request. */
function visitor(sessions: Sessions) {
  let cookie: string | undefined;
  return {
    get cookie() {
      return cookie;
    },
    use(other: Sessions, withCookie = cookie) {
      sessions = other;
      cookie = withCookie;
    },
    async request(handler: (session: Awaited<ReturnType<Sessions["open"]>>) => void): Promise<CookieChange> {
      const ticket = sessions.ticket(cookie);
      const session = await sessions.open(ticket);
      handler(session);
      const change = await sessions.save(session, ticket);
      if (change === "remove") cookie = undefined;
      else if (change) cookie = change.value;
      return change;
    },
    async sees(): Promise<string | undefined> {
      let user: string | undefined;
      await this.request((session) => (user = session.get("user")));
      return user;
    },
  };
}

for (const kind of ["cookie", "store"] as const) {
  describe(`a session in a ${kind}`, () => {
    const clock = new SimulatedClock(DAY_MS);
    const make = (secrets: readonly [string, ...string[]] = ["secret"]) => {
      const store = kind === "store" ? new MemorySessions() : undefined;
      const options = { clock, lifetimeMs: 10 * DAY_MS, longestMs: 30 * DAY_MS, store };
      return {
        store,
        sessions: new Sessions({ ...options, secrets }),
        rotated: new Sessions({ ...options, secrets: ["new", ...secrets] }),
      };
    };

    it("has no cookie until something is set", async () => {
      const ada = visitor(make().sessions);
      assert.equal(await ada.request((session) => session.delete("user")), undefined);
      assert.equal(ada.cookie, undefined);
      const change = await ada.request((session) => session.set("user", "Ada"));
      assert.deepEqual(typeof change === "object" && change.maxAgeSeconds, 864_000);
      assert.equal(await ada.sees(), "Ada");
      assert.doesNotMatch(Buffer.from(ada.cookie ?? "", "base64url").toString("latin1"), /Ada|user/);
    });

    it("is saved only after a change, including changes inside of values", async () => {
      const ada = visitor(make().sessions);
      await ada.request((session) => session.set("cart", ["tea"]));
      assert.equal(await ada.request((session) => session.get("cart")), undefined);
      assert.equal(await ada.request((session) => session.set("cart", ["tea"])), undefined);
      assert.notEqual(await ada.request((session) => session.get("cart")?.push("milk")), undefined);
      await ada.request((session) => assert.deepEqual(session.get("cart"), ["tea", "milk"]));
    });

    it("is renewed by use after half of its lifetime, and ends without use", async () => {
      const ada = visitor(make().sessions);
      await ada.request((session) => session.set("user", "Ada"));
      await clock.advance(5 * DAY_MS);
      assert.equal(await ada.request(() => undefined), undefined);
      await clock.advance(2 * DAY_MS);
      assert.notEqual(await ada.request(() => undefined), undefined);
      await clock.advance(9 * DAY_MS);
      assert.equal(await ada.sees(), "Ada");
      await clock.advance(11 * DAY_MS);
      assert.equal(await ada.sees(), undefined);
    });

    it("ends after its longest lifetime regardless of use, counted from the creation of its id", async () => {
      const ada = visitor(make().sessions);
      await ada.request((session) => session.set("user", "Ada"));
      for (let day = 0; day < 30; day += 3) {
        assert.equal(await ada.sees(), "Ada", `day ${day}`);
        await clock.advance(3 * DAY_MS);
      }
      assert.equal(await ada.sees(), undefined);
      await ada.request((session) => session.set("user", "Ada"));
      await clock.advance(9 * DAY_MS);
      await ada.request((session) => session.regenerate());
      for (let day = 0; day < 27; day += 9) {
        await clock.advance(9 * DAY_MS);
        assert.equal(await ada.sees(), "Ada");
      }
    });

    it("gets a new id and keeps its data when regenerated; a store then rejects the old id", async () => {
      const { sessions, store } = make();
      const ada = visitor(sessions);
      await ada.request((session) => session.set("user", "Ada"));
      const stolen = ada.cookie;
      const before = sessions.ticket(stolen)?.id;
      await ada.request((session) => session.regenerate());
      assert.notEqual(sessions.ticket(ada.cookie)?.id, before);
      assert.equal(await ada.sees(), "Ada");
      const thief = visitor(sessions);
      thief.use(sessions, stolen);
      // Without a store, ended ids are not remembered; this is documented.
      assert.equal(await thief.sees(), store ? undefined : "Ada");
    });

    it("ends when destroyed, and a later set creates a new one", async () => {
      const { sessions, store } = make();
      const ada = visitor(sessions);
      await ada.request((session) => session.set("user", "Ada"));
      const id = sessions.ticket(ada.cookie)?.id;
      assert.equal(await ada.request((session) => session.destroy()), "remove");
      assert.equal(store?.rows.size ?? 0, 0);
      assert.equal(await ada.sees(), undefined);
      await ada.request((session) => session.set("user", "Ada"));
      await ada.request((session) => {
        session.destroy();
        session.set("cart", []);
      });
      assert.equal(await ada.sees(), undefined);
      assert.notEqual(sessions.ticket(ada.cookie)?.id, id);
    });

    it("survives a new secret while the old one is known, and is sealed again at its next use", async () => {
      const { sessions, rotated } = make();
      const ada = visitor(sessions);
      await ada.request((session) => session.set("user", "Ada"));
      const old = ada.cookie;
      ada.use(rotated);
      assert.equal(await ada.sees(), "Ada");
      assert.notEqual(ada.cookie, old);
      assert.equal(rotated.ticket(ada.cookie)?.isCurrent, true);
      assert.equal(sessions.ticket(ada.cookie), undefined, "the old secret alone can't open it");
    });

    it("does not exist for a cookie that svc has not sealed", () => {
      const { sessions } = make();
      fc.assert(fc.property(fc.string({ unit: "binary" }), (raw) => sessions.ticket(raw) === undefined));
    });

    it("rejects values that are not JSON, and changes after it was closed", async () => {
      const ada = visitor(make().sessions);
      await assert.rejects(
        ada.request((session) => session.set("big", 1n)),
        { code: "SVC_SESSION" },
      );
      const late = { code: "SVC_TOO_LATE" };
      await ada.request((session) => {
        session.close();
        assert.throws(() => session.set("user", "Ada"), late);
        assert.throws(() => session.delete("user"), late);
        assert.throws(() => session.regenerate(), late);
        assert.throws(() => session.destroy(), late);
        assert.equal(session.get("user"), undefined);
      });
    });

    it("may be large in a store, but has a limit in a cookie", async () => {
      const ada = visitor(make().sessions);
      const filled = ada.request((session) => session.set("user", "x".repeat(4000)));
      if (kind === "cookie")
        await assert.rejects(filled, { code: "SVC_SESSION", message: /a cookie has room for 4064/ });
      else await filled;
    });
  });
}

/** For a day, on a clock that does not move. */
function sessionsIn(store: SessionStore): Sessions {
  const times = { clock: new SimulatedClock(0), lifetimeMs: DAY_MS, longestMs: DAY_MS };
  return new Sessions({ secrets: ["secret"], ...times, store });
}

describe("a session store", () => {
  it("gets hashed ids, and the expiry time of each row", async () => {
    const store = new MemorySessions();
    const clock = new SimulatedClock(0);
    const sessions = new Sessions({ secrets: ["secret"], clock, lifetimeMs: 1000, longestMs: DAY_MS, store });
    const ada = visitor(sessions);
    await ada.request((session) => session.set("user", "Ada"));
    const [[key, row] = assert.fail()] = [...store.rows];
    assert.match(key, /^[\w-]{43}$/);
    assert.notEqual(key, sessions.ticket(ada.cookie)?.id);
    assert.deepEqual(row, { data: '{"user":"Ada"}', expiresMs: 1000 });
  });

  it("that has lost a session ends it and removes its cookie", async () => {
    const store = new MemorySessions();
    const sessions = sessionsIn(store);
    const ada = visitor(sessions);
    await ada.request((session) => session.set("user", "Ada"));
    store.rows.clear();
    assert.equal(await ada.request((session) => assert.equal(session.id, undefined)), "remove");
  });

  for (const [kind, store] of Object.entries({
    "can replace": new ReplacingSessions(),
    "can't": new MemorySessions(),
  })) {
    it(`does not restore a session that ended during a request: one that ${kind}`, async () => {
      const clock = new SimulatedClock(0);
      const sessions = new Sessions({ secrets: ["secret"], clock, lifetimeMs: DAY_MS, longestMs: 9 * DAY_MS, store });
      const handlers: ((session: OpenSession) => void)[] = [
        (session) => session.set("cart", ["tea"]),
        // Renewed by use.
        () => undefined,
      ];
      const ends: ((session: OpenSession) => void)[] = [
        (session) => session.destroy(),
        (session) => session.regenerate(),
      ];
      for (const work of handlers) {
        for (const end of ends) {
          const ada = visitor(sessions);
          await ada.request((session) => session.set("user", "Ada"));
          const stolen = ada.cookie;
          await clock.advance(0.6 * DAY_MS);
          const ticket = sessions.ticket(stolen);
          const slow = await sessions.open(ticket);
          await ada.request(end);
          work(slow);
          // It does not remove the cookie that the browser has by now either.
          assert.equal(await sessions.save(slow, ticket), undefined);
          ada.use(sessions, stolen);
          assert.equal(await ada.sees(), undefined);
        }
      }
    });
  }

  it("is never read and written separately if it can replace", async () => {
    const store = new ReplacingSessions();
    const sessions = sessionsIn(store);
    const ada = visitor(sessions);
    await ada.request((session) => session.set("user", "Ada"));
    store.write = async () => assert.fail("written whether it is there or not");
    await ada.request((session) => session.set("user", "Bob"));
    assert.equal(await ada.sees(), "Bob");
  });

  it("that fails while a session gets a new id keeps the old one", async () => {
    const store = new MemorySessions();
    const sessions = sessionsIn(store);
    const ada = visitor(sessions);
    await ada.request((session) => session.set("user", "Ada"));
    store.write = async () => {
      throw new Error("away");
    };
    await assert.rejects(
      ada.request((session) => session.regenerate()),
      /away/,
    );
    assert.equal(await ada.sees(), "Ada");
  });
});
