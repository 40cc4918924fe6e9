import assert from "node:assert/strict";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, it } from "node:test";
import { SimulatedClock, type Timer } from "../../../platform/shared/clock.ts";
import { recordLog } from "../../../testing/log.ts";
import { Exporter } from "./exporter.ts";
import type { Span } from "./span.ts";

const span = (name: string): Span => ({
  traceId: "1".repeat(32),
  spanId: "2".repeat(16),
  parentId: undefined,
  state: undefined,
  name,
  kind: "internal",
  startMs: 1_700_000_000_000,
  endMs: 1_700_000_000_001.5,
  attributes: {},
  error: undefined,
});

/** Counts all timers: the interval's, and for each attempt its timeout and the delay before the next. */
class CountingClock extends SimulatedClock {
  scheduled = 0;
  override schedule(delayMs: number, run: () => void): Timer {
    this.scheduled++;
    return super.schedule(delayMs, run);
  }
}

const open: (() => unknown)[] = [];
/** @param answers responses of the collector in turn; `undefined` leaves a request without one */
async function rig(...answers: ((reply: ServerResponse) => void)[]) {
  const bodies: string[] = [];
  const server = createServer((message, reply) => {
    let body = "";
    message.setEncoding("utf8").on("data", (text: string) => (body += text));
    message.on("end", () => {
      bodies.push(body);
      const answer = answers.shift() ?? ((it) => it.writeHead(200).end("{}"));
      answer(reply);
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  open.push(
    () => server.closeAllConnections(),
    () => server.close(),
  );
  const counts = { exported: 0, dropped: 0 };
  const [clock, log] = [new CountingClock(), recordLog()];
  const exporter = new Exporter({
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`,
    headers: {},
    serviceName: "test",
    clock,
    log,
    count: (outcome, spans) => (counts[outcome] += spans),
    random: () => 1,
  });
  return { exporter, clock, log, counts, bodies };
}

async function until(isTrue: () => boolean): Promise<void> {
  for (let attempt = 0; attempt < 6000 && !isTrue(); attempt++) await new Promise((done) => setTimeout(done, 5));
  assert.ok(isTrue(), "not within 30 s");
}

const status =
  (code: number, headers: Record<string, string> = {}) =>
  (reply: ServerResponse) =>
    void reply.writeHead(code, headers).end();
const silence = (): void => undefined;

describe("the trace exporter", () => {
  afterEach(async () => {
    for (const close of open.splice(0).reverse()) await close();
  });

  it("sends the spans of 5 s in one request, with times as decimal nanoseconds", async () => {
    const { exporter, clock, counts, bodies } = await rig();
    exporter.add(span("first"));
    await clock.advance(4999);
    exporter.add(span("second"));
    assert.equal(bodies.length, 0);
    await clock.advance(1);
    await until(() => counts.exported === 2);
    assert.match(bodies[0] ?? "", /"startTimeUnixNano":"1700000000000000000","endTimeUnixNano":"1700000000001500000"/);
  });

  it("sends a full batch immediately", async () => {
    const { exporter, counts } = await rig();
    for (let at = 0; at < 512; at++) exporter.add(span(`s${at}`));
    await until(() => counts.exported === 512);
  });

  it("retries a batch when the collector is busy, after the time in its response", async () => {
    const { exporter, clock, counts, bodies } = await rig(status(503, { "retry-after": "7" }));
    exporter.add(span("late"));
    await clock.advance(5000);
    await until(() => clock.scheduled === 3);
    await clock.advance(6999);
    assert.equal(bodies.length, 1);
    await clock.advance(1);
    await until(() => counts.exported === 1);
    assert.equal(bodies[1], bodies[0]);
  });

  it("drops a batch after five attempts, or at once if it is rejected, and logs this once", async () => {
    const { exporter, clock, counts, log } = await rig(...[503, 429, 502, 504, 503, 400].map((code) => status(code)));
    exporter.add(span("unwanted"));
    await clock.advance(5000);
    for (let tried = 1; tried < 5; tried++) {
      await until(() => clock.scheduled === 1 + 2 * tried);
      await clock.advance(1000 * 2 ** (tried - 1));
    }
    await until(() => counts.dropped === 1);
    exporter.add(span("refused"));
    await clock.advance(5000);
    await until(() => counts.dropped === 2);
    assert.equal(log.entries.length, 1);
    exporter.add(span("welcome"));
    await clock.advance(5000);
    await until(() => counts.exported === 1);
    assert.deepEqual(
      log.entries.map(({ level }) => level),
      ["warn", "info"],
    );
  });

  it("keeps 2,048 spans while the collector does not respond, and drops further ones", async () => {
    const { exporter, counts, bodies } = await rig(silence);
    for (let at = 0; at < 512; at++) exporter.add(span("sent"));
    await until(() => bodies.length === 1);
    for (let at = 0; at < 2048 + 5; at++) exporter.add(span("queued"));
    assert.equal(counts.dropped, 5);
  });

  it("makes one last attempt when it closes, and waits no longer than the deadline", async () => {
    const busy = await rig(status(503));
    busy.exporter.add(span("last"));
    await busy.clock.advance(5000);
    await until(() => busy.clock.scheduled === 3);
    await busy.exporter.close(1000);
    assert.deepEqual(busy.counts, { exported: 1, dropped: 0 });

    const stuck = await rig(silence);
    stuck.exporter.add(span("last"));
    const closed = stuck.exporter.close(1000);
    await until(() => stuck.bodies.length === 1);
    await stuck.clock.advance(1000);
    await closed;
    assert.deepEqual(stuck.counts, { exported: 0, dropped: 1 });
  });
});
