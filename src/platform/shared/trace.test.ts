import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isSampledBy, readTraceparent, readTracestate, traceparent } from "./trace.ts";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT = "00f067aa0ba902b7";

describe("a traceparent header", () => {
  it("is parsed into trace id, parent id and sampling flag", () => {
    assert.deepEqual(readTraceparent(`00-${TRACE}-${PARENT}-01`), {
      traceId: TRACE,
      parentId: PARENT,
      isSampled: true,
    });
    assert.equal(readTraceparent(`00-${TRACE}-${PARENT}-00`)?.isSampled, false);
  });

  it("may have unknown flags; only the first bit counts", () => {
    assert.equal(readTraceparent(`00-${TRACE}-${PARENT}-03`)?.isSampled, true);
    assert.equal(readTraceparent(`00-${TRACE}-${PARENT}-fe`)?.isSampled, false);
  });

  it("of a later version may be longer", () => {
    assert.equal(readTraceparent(`01-${TRACE}-${PARENT}-01-what-may-come`)?.traceId, TRACE);
    assert.equal(readTraceparent(`cc-${TRACE}-${PARENT}-01`)?.traceId, TRACE);
  });

  const invalid: Record<string, string | undefined> = {
    "that is not there": undefined,
    "that is empty": "",
    "of the version that is forbidden": `ff-${TRACE}-${PARENT}-01`,
    "of our version with more behind it": `00-${TRACE}-${PARENT}-01-x`,
    "of a later version without a dash behind it": `01-${TRACE}-${PARENT}-01x`,
    "with a trace id of zeros": `00-${"0".repeat(32)}-${PARENT}-01`,
    "with a parent id of zeros": `00-${TRACE}-${"0".repeat(16)}-01`,
    "in upper case": `00-${TRACE.toUpperCase()}-${PARENT}-01`,
    "with a short trace id": `00-${TRACE.slice(1)}-${PARENT}-01`,
    "with a space before it": ` 00-${TRACE}-${PARENT}-01`,
    "sent twice": `00-${TRACE}-${PARENT}-01, 00-${TRACE}-${PARENT}-01`,
    "without flags": `00-${TRACE}-${PARENT}`,
  };
  for (const [what, header] of Object.entries(invalid)) {
    it(`${what} is invalid`, () => assert.equal(readTraceparent(header), undefined));
  }

  it("that was formatted is parsed with the same values", () => {
    const trace = { traceId: TRACE, spanId: PARENT, isSampled: true };
    assert.deepEqual(readTraceparent(traceparent(trace)), { traceId: TRACE, parentId: PARENT, isSampled: true });
  });
});

describe("a tracestate header", () => {
  it("is passed on without empty members, several headers as one list", () => {
    assert.equal(
      readTracestate("congo=t61rcWkgMzE , rojo=00f067aa0ba902b7,,"),
      "congo=t61rcWkgMzE,rojo=00f067aa0ba902b7",
    );
    assert.equal(readTracestate("tenant@system=1"), "tenant@system=1");
  });

  const invalid: Record<string, string | undefined> = {
    "that is not there": undefined,
    "that is empty": " ,",
    "with a key twice": "a=1,a=2",
    "with a key in upper case": "Congo=1",
    "without a value": "congo=",
    "with an equals sign in a value": "congo=a=b",
    "of more than 32 members": Array.from({ length: 33 }, (_, at) => `k${at}=1`).join(","),
    "that is very long": `a=${"x".repeat(600)}`,
    "with a line end": "a=1\r\nb: 2",
  };
  for (const [what, header] of Object.entries(invalid)) {
    it(`${what} is dropped`, () => assert.equal(readTracestate(header), undefined));
  }
});

describe("sampling", () => {
  it("records all traces, none, or the configured share of ids", () => {
    const ids = Array.from(
      { length: 1000 },
      (_, at) =>
        `${"0".repeat(19)}${Math.floor((at / 1000) * 2 ** 52)
          .toString(16)
          .padStart(13, "0")}`,
    );
    const taken = (ratio: number): number => ids.filter((id) => isSampledBy(ratio, id)).length;
    assert.deepEqual([taken(0), taken(0.25), taken(1)], [0, 250, 1000]);
  });
});
