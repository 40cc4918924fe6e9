import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { createGraphToken, graphTokenScope } from "./graph-token.ts";
import type { Secrets } from "./secrets.ts";

const SECRET: Secrets = ["the site's secret"];
const GRAPH = "g_01HXAMPLE00000000000000000";
const NOW_MS = Date.UTC(2026, 0, 1);
const HOUR_MS = 3_600_000;

describe("a graph token", () => {
  const read = createGraphToken(SECRET, GRAPH, "read", NOW_MS + HOUR_MS);
  const control = createGraphToken(SECRET, GRAPH, "control", NOW_MS + HOUR_MS);

  it("allows its scope on its graph", () => {
    assert.equal(graphTokenScope(SECRET, GRAPH, read, NOW_MS), "read");
    assert.equal(graphTokenScope(SECRET, GRAPH, control, NOW_MS), "control");
  });

  it("needs no escaping in a URL", () => {
    assert.equal(encodeURIComponent(read), read);
  });

  it("allows nothing after its expiry", () => {
    assert.equal(graphTokenScope(SECRET, GRAPH, read, NOW_MS + HOUR_MS - 1), "read");
    assert.equal(graphTokenScope(SECRET, GRAPH, read, NOW_MS + HOUR_MS), undefined);
  });

  it("allows nothing on another graph or with another secret", () => {
    assert.equal(graphTokenScope(SECRET, `${GRAPH}1`, read, NOW_MS), undefined);
    assert.equal(graphTokenScope(["the next secret"], GRAPH, read, NOW_MS), undefined);
    assert.equal(graphTokenScope(["the next secret", ...SECRET], GRAPH, read, NOW_MS), "read", "a previous one counts");
  });

  it("is invalid if scope or expiry were changed", () => {
    const [, expiry = "", signature = ""] = read.split(".");
    const later = (Number.parseInt(expiry, 36) + 1).toString(36);
    for (const forged of [`control.${expiry}.${signature}`, `read.${later}.${signature}`, `read.${signature}`, ""])
      assert.equal(graphTokenScope(SECRET, GRAPH, forged, NOW_MS), undefined, forged);
    assert.equal(graphTokenScope(SECRET, GRAPH, undefined, NOW_MS), undefined);
  });

  it("is invalid if any one character was changed", () => {
    const place = fc.integer({ min: 0, max: control.length - 1 });
    fc.assert(
      fc.property(place, fc.string({ minLength: 1, maxLength: 1 }), (at, letter) => {
        fc.pre(letter !== control[at]);
        const changed = control.slice(0, at) + letter + control.slice(at + 1);
        assert.equal(graphTokenScope(SECRET, GRAPH, changed, NOW_MS), undefined);
      }),
    );
  });
});
