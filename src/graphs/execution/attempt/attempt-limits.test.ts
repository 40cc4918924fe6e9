import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SimulatedClock } from "../../../platform/shared/clock.ts";
import { worker } from "../../definition/definition.ts";
import { bench, REMOTE } from "../../engine/engine.testkit.ts";
import type { Worker } from "../../definition/definition-types.ts";

/** Runs a single worker. */
async function startedOn(url: string, only: Worker<never, unknown>, given = new SimulatedClock()) {
  const { engine, clock } = await bench({ workers: [only], random: () => 0.999 }, url, given);
  const { snapshot } = await engine.start(only.name, null);
  const now = async () => {
    const { status, error, nodes } = (await engine.snapshot(snapshot.graph_id)) ?? assert.fail();
    return { status, error: error?.message, reason: error?.reason, attempts: nodes[0]?.attempts };
  };
  return { clock, now };
}

const never = () => new Promise<never>(() => undefined);

for (const url of ["memory:", REMOTE]) {
  const started = startedOn.bind(undefined, url);

  describe(`a heartbeat on ${url}`, () => {
    it("that is missing ends the attempt with a timeout error that says so", async () => {
      const { clock, now } = await started(worker("mute", { heartbeat: "20s", retry: { max: 1 } }, never));
      await clock.advance(19_999);
      assert.equal((await now()).status, "running");
      await clock.advance(1);
      const { status, error, reason } = await now();
      assert.deepEqual([status, reason], ["failed", "timeout"]);
      assert.match(error ?? "", /No heartbeat within 20s/);
    });

    it("is any report of the worker: heartbeat, progress, log, event", async () => {
      const clock = new SimulatedClock();
      const beats = worker("beats", { heartbeat: "20s", retry: { max: 1 } }, async (_input, ctx) => {
        const report = [
          () => ctx.heartbeat(),
          () => ctx.progress(0.5),
          () => ctx.log("info", "here"),
          () => ctx.emit("here"),
        ];
        report.forEach((one, at) => clock.schedule((at + 1) * 19_000, one));
        return never();
      });
      const { now } = await started(beats, clock);
      await clock.advance(4 * 19_000 + 19_999);
      assert.equal((await now()).status, "running");
      await clock.advance(1);
      assert.equal((await now()).reason, "timeout");
    });

    it("that is missing leads to the next attempt", async () => {
      let calls = 0;
      const { clock, now } = await started(
        worker("twice", { heartbeat: "5s" }, () => (++calls === 1 ? never() : Promise.resolve("there"))),
      );
      await clock.advance(7_000);
      assert.deepEqual([(await now()).status, (await now()).attempts], ["done", 2]);
    });
  });

  describe(`an error on ${url}`, () => {
    const broken = (error: unknown) => () => {
      throw error;
    };

    it("that the policy lists as not retryable ends the retries", async () => {
      const { now, clock } = await started(
        worker("typed", { retry: { max: 5, nonRetryable: ["TypeError"] } }, broken(new TypeError("no text"))),
      );
      await clock.advance(0);
      assert.deepEqual([(await now()).status, (await now()).attempts, (await now()).error], ["failed", 1, "no text"]);
    });

    it("is retried as long as retryIf allows it", async () => {
      const asked: unknown[] = [];
      const retryIf = (error: unknown, attempt: number): boolean => {
        asked.push([(error as Error).message, attempt]);
        return attempt < 2;
      };
      const { now, clock } = await started(worker("asked", { retry: { max: 5, retryIf } }, broken(new Error("busy"))));
      await clock.advance(60_000);
      assert.deepEqual([(await now()).status, (await now()).attempts], ["failed", 2]);
      assert.deepEqual(asked, [
        ["busy", 1],
        ["busy", 2],
      ]);
    });

    it("is final if retryIf throws, and both errors are reported", async () => {
      const { now, clock } = await started(
        worker("unsure", { retry: { retryIf: broken(new Error("no idea")) } }, broken(new Error("busy"))),
      );
      await clock.advance(0);
      assert.deepEqual([(await now()).status, (await now()).attempts], ["failed", 1]);
      assert.match((await now()).error ?? "", /^busy .*retryIf failed: no idea/);
    });

    it("with a retry time delays the next attempt until then, also beyond the maximum delay", async () => {
      const busy = Object.assign(new Error("busy"), { retryAfter: "5m" });
      const { now, clock } = await started(worker("later", { retry: { max: 2, cap: "1s" } }, broken(busy)));
      await clock.advance(299_999);
      assert.equal((await now()).attempts, 1);
      await clock.advance(1);
      assert.deepEqual([(await now()).attempts, (await now()).status], [2, "failed"]);
    });

    it("with an invalid retry time is retried after the usual delay", async () => {
      const odd = Object.assign(new Error("busy"), { retryAfter: "Tuesday" });
      const { now, clock } = await started(worker("odd", { retry: { max: 2, jitter: false } }, broken(odd)));
      await clock.advance(999);
      assert.equal((await now()).attempts, 1);
      await clock.advance(1);
      assert.equal((await now()).attempts, 2);
    });
  });
}
