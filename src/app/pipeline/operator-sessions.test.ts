import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SimulatedClock } from "../../platform/shared/clock.ts";
import { openedStore } from "../../storage/contract/opened-store.testkit.ts";
import { OperatorSessions } from "./operator-sessions.ts";

const HOUR_MS = 3_600_000;
const purposes = (key: string) => ({
  sessionPurpose: (proof: string) => (proof === "key" ? `ops key ${key}` : undefined),
});

for (const url of ["memory:", "postgres:"])
  describe(`Operator sessions in several processes on one ${url.slice(0, -1)} database`, () => {
    it("end in all of them at the sign-out, after eight hours and with the key, and are not stored in a usable form", async () => {
      const opened = openedStore(url);
      const rows = (await opened.open()).sessions;
      const clock = new SimulatedClock(Date.UTC(2026, 0, 1));
      const process = (key = "a") =>
        new OperatorSessions({ rows, clock, secrets: ["s".repeat(32)], access: purposes(key) });
      const [first, second] = [process(), process()];
      const { cookie, session, maxAgeSeconds } = (await first.open("key", "read")) ?? assert.fail();
      assert.equal(maxAgeSeconds, 8 * 3600);
      assert.deepEqual(await second.find(cookie), session);
      assert.deepEqual([session.role, session.proof], ["read", "key"]);
      assert.equal(await process("b").find(cookie), undefined);
      assert.equal(await second.find(session.id), undefined);
      assert.equal(await second.find(undefined), undefined);
      await second.close(cookie);
      assert.equal(await first.find(cookie), undefined);
      const { cookie: next } = (await first.open("key", "operator")) ?? assert.fail();
      await clock.advance(8 * HOUR_MS - 1);
      assert.equal((await second.find(next))?.role, "operator");
      await clock.advance(1);
      assert.equal(await second.find(next), undefined);
      assert.equal(await first.open("link", "operator"), undefined);
      await opened.close();
    });
  });
