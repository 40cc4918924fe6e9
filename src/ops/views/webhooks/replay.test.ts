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
  // The text depends on nothing else.
  return { request } as unknown as Preview;
}

describe("The preview of a request", () => {
  it("shows the request as it is sent, with the webhook's own headers hidden", () => {
    assert.equal(
      requestText(preview(), true),
      [
        "POST /in?of=1 HTTP/1.1",
        "host: shop.example",
        "authorization: (hidden: set by the webhook)",
        "X-Svc-Signature: sha256=ab12",
        "webhook-signature: v1,c2ln",
        "",
        '{"a":1}',
      ].join("\n"),
    );
  });

  it("hides the signatures from readers", () => {
    const text = requestText(preview(), false);
    assert.ok(!text.includes("ab12") && !text.includes("c2ln"));
    assert.match(text, /X-Svc-Signature: \(hidden/);
  });

  it("says when it would be sent, depending on the circuit breaker", () => {
    const word = (breaker: Preview["breaker"], untilMs: number | null = null): string =>
      readinessText({ breaker, open_until_ms: untilMs }, 1000).word;
    assert.deepEqual(
      [word("closed"), word("probing"), word("open", 61_000), word("disabled")],
      ["immediately", "one at a time", "in 1 m 00 s", "never"],
    );
  });
});

describe("Failed deliveries", () => {
  it("are searched in the last day, unless the URL has another range", () => {
    const nowMs = 1_000 * 3_600_000;
    assert.deepEqual(spanOf(null, nowMs), { name: "24h", sinceMs: nowMs - 24 * 3_600_000 });
    assert.deepEqual(spanOf("1h", nowMs), { name: "1h", sinceMs: nowMs - 3_600_000 });
    assert.deepEqual([spanOf("all", nowMs).sinceMs, spanOf("x", nowMs).name], [0, "24h"]);
  });

  it("are counted by event", () => {
    assert.equal(eventsText({ ping: 1, "graph.failed": 1200 }), "1,200 graph.failed, 1 ping");
  });
});
