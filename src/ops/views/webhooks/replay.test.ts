import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { eventsText, readinessText, requestText, spanOf } from "./replay.ts";

type Preview = Parameters<typeof requestText>[0];

const HEADERS: Preview["request"]["headers"] = [
  { name: "host", value: "shop.example" },
  { name: "authorization", value: null },
  { name: "X-Svc-Signature", value: "sha256=ab12" },
  { name: "webhook-signature", value: "v1,c2ln" },
];

function preview(): Preview {
  const request = { method: "POST", url: "https://shop.example/in?of=1", headers: HEADERS, body: '{"a":1}' } as const;
  // Of the rest nothing is shown by the text.
  return { request } as unknown as Preview;
}

describe("a request that would be sent", () => {
  it("is shown as it goes over the wire, what a webhook adds of its own hidden", () => {
    assert.equal(
      requestText(preview(), true),
      [
        "POST /in?of=1 HTTP/1.1",
        "host: shop.example",
        "authorization: (hidden: the webhook's own)",
        "X-Svc-Signature: sha256=ab12",
        "webhook-signature: v1,c2ln",
        "",
        '{"a":1}',
      ].join("\n"),
    );
  });

  it("is shown without its signatures to who may not send it", () => {
    const text = requestText(preview(), false);
    assert.ok(!text.includes("ab12") && !text.includes("c2ln"));
    assert.match(text, /X-Svc-Signature: \(hidden/);
  });

  it("goes out as the breaker of its webhook says", () => {
    const word = (breaker: Preview["breaker"], untilMs: number | null = null): string =>
      readinessText({ breaker, open_until_ms: untilMs }, 1000).word;
    assert.deepEqual(
      [word("closed"), word("probing"), word("open", 61_000), word("disabled")],
      ["at once", "one at a time", "not for 1 m 00 s", "never"],
    );
  });
});

describe("what failed", () => {
  it("is looked for in the last day, unless another span is asked for", () => {
    const nowMs = 1_000 * 3_600_000;
    assert.deepEqual(spanOf(null, nowMs), { name: "24h", sinceMs: nowMs - 24 * 3_600_000 });
    assert.deepEqual(spanOf("1h", nowMs), { name: "1h", sinceMs: nowMs - 3_600_000 });
    assert.deepEqual([spanOf("all", nowMs).sinceMs, spanOf("x", nowMs).name], [0, "24h"]);
  });

  it("is told by event", () => {
    assert.equal(eventsText({ ping: 1, "graph.failed": 1200 }), "1,200 graph.failed, 1 ping");
  });
});
