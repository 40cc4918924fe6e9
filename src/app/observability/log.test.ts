import assert from "node:assert/strict";
import { hostname } from "node:os";
import { describe, it } from "node:test";
import { SimulatedClock } from "../../platform/shared/clock.ts";
import { LogRedaction } from "./log-redaction.ts";
import { createLog, type LogOptions } from "./log.ts";

const SECRET = 'a "quoted" secret';

function rig(options: Partial<LogOptions> = {}) {
  const written: string[] = [];
  const log = createLog({
    level: "info",
    format: "json",
    clock: new SimulatedClock(1_700_000_000_000),
    sink: { write: (text: string) => written.push(text) },
    hidden: new LogRedaction([SECRET]),
    isColored: false,
    ...options,
  });
  return { log, written, first: () => JSON.parse(written[0] ?? "") as Record<string, unknown> };
}

describe("the log of an app", () => {
  it("writes one JSON line per entry, with pino's keys in pino's order", () => {
    const { log, written } = rig();
    log.warn({ reqId: "r1", status: 503, absent: undefined }, "Busy");
    const origin = `"pid":${process.pid},"hostname":${JSON.stringify(hostname())}`;
    assert.deepEqual(written, [`{"level":40,"time":1700000000000,${origin},"reqId":"r1","status":503,"msg":"Busy"}\n`]);
  });

  it("writes an error with type, message, stack, code and causes", () => {
    const { log, first } = rig();
    const cause = Object.assign(new RangeError("inner"), { code: "E_INNER" });
    log.error({ err: new Error("outer", { cause }) }, "It failed");
    const err = first()["err"] as Record<string, unknown>;
    assert.equal(err["type"], "Error");
    assert.equal(err["message"], "outer");
    assert.match(String(err["stack"]), /^Error: outer\n {4}at /);
    const inner = err["cause"] as Record<string, unknown>;
    assert.deepEqual([inner["type"], inner["message"], inner["code"]], ["RangeError", "inner", "E_INNER"]);
  });

  it("handles circular causes, cycles and bigints", () => {
    const { log, written } = rig();
    const round: Error & { cause?: unknown } = new Error("round");
    round.cause = round;
    const cycle: Record<string, unknown> = {};
    cycle["self"] = cycle;
    log.error({ err: round, cycle, big: 1n }, "All of it");
    assert.doesNotThrow(() => JSON.parse(written[0] ?? "") as unknown);
  });

  it("writes nothing below its level, and nothing at all at the level silent", () => {
    const { log, written } = rig({ level: "warn" });
    log.info({}, "quiet");
    log.warn({}, "loud");
    assert.equal(written.length, 1);
    const silent = rig({ level: "silent" });
    silent.log.error({}, "unheard");
    assert.deepEqual(silent.written, []);
  });

  it("hides the app's secrets, also in JSON escapes", () => {
    for (const format of ["json", "text"] as const) {
      const { log, written } = rig({ format });
      log.error({ url: `/?key=${SECRET}`, err: new Error(`refused ${SECRET}`) }, `with ${SECRET}`);
      assert.ok(!/quoted/.test(written.join("")), written.join(""));
      assert.match(written.join(""), /\[hidden\]/);
    }
  });

  it("escapes input in text format, so that it can't start another line or move the cursor", () => {
    const { log, written } = rig({ format: "text" });
    log.info({ reqId: "a\u001b[2Jb\r" }, "Hello");
    assert.deepEqual(written, ["svc info: Hello reqId=a\\x1b[2Jb\\x0d\n"]);
  });

  it("writes the stacks of an error and its cause below the line in text format", () => {
    const { log, written } = rig({ format: "text" });
    log.error({ err: new Error("outer", { cause: new Error("inner") }) }, "It failed");
    assert.match(written[0] ?? "", /^svc error: It failed\nError: outer\n[^]*\ncaused by Error: inner\n/);
  });
});
