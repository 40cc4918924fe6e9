import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SimulatedClock } from "../../platform/shared/clock.ts";
import { SvcError } from "../../platform/shared/errors.ts";
import { recordLog } from "../../testing/log.ts";
import { verify } from "../../webhooks/signing/verify.ts";
import { CsrfRefusal } from "../pipeline/csrf-guard.ts";
import { SecurityLog } from "./security-log.ts";

describe("The security log", () => {
  it("has a line for each refusal by a protection, and none for other errors", () => {
    const log = recordLog();
    const security = new SecurityLog(log, new SimulatedClock());
    const refusalOf = (run: () => unknown): unknown => {
      try {
        return run();
      } catch (error) {
        return error;
      }
    };
    const errors = [
      new CsrfRefusal(),
      new SvcError("SVC_HOST", "x"),
      new SvcError("SVC_RATE_LIMIT", "x"),
      refusalOf(() => verify({ body: "{}", headers: {}, secret: "s".repeat(32) })),
      new SvcError("SVC_NOT_FOUND", "x"),
      new SvcError("SVC_UNAUTHORIZED", "x"),
      new Error("x"),
    ];
    const subject = { requestId: "r1", clientIp: "203.0.113.9", route: { pattern: "/a/:id" } };
    for (const error of errors) security.refused(error, subject);
    const more = '"client":"203.0.113.9","route":"/a/:id","reqId":"r1"}';
    assert.deepEqual(
      log.texts.map((text) => text.slice(text.indexOf("{"))),
      ["csrf-refused", "host-refused", "rate-limited", "signature-refused"].map(
        (event) => `{"category":"security","event":"${event}",${more}`,
      ),
    );
  });

  it("has at most 30 lines for an event and minute, and then the number of the others", async () => {
    const log = recordLog();
    const clock = new SimulatedClock();
    const security = new SecurityLog(log, clock);
    for (let attempt = 0; attempt < 1000; attempt++) security.note("wrong-key", { clientIp: "203.0.113.9" });
    security.note("sign-in-failed", {});
    assert.equal(log.texts.length, 31);
    await clock.advance(60_000);
    security.note("wrong-key", {});
    assert.deepEqual(
      log.texts.slice(31).map((text) => text.slice(text.indexOf("{"))),
      ['{"category":"security","event":"wrong-key","omitted":970}', '{"category":"security","event":"wrong-key"}'],
    );
  });
});
