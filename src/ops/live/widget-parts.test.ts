import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { Parts } from "./widget-parts.ts";

describe("The parts of a widget", () => {
  it("are sent if they have changed since the page's state", () => {
    const parts = new Parts();
    parts.update(
      3,
      new Map([
        ["a", "1"],
        ["b", "1"],
      ]),
    );
    parts.update(
      5,
      new Map([
        ["a", "1"],
        ["b", "2"],
      ]),
    );
    assert.deepEqual(parts.since("3"), { cursor: "5", patch: { parts: { b: "2" } } });
    assert.equal(parts.since("5"), undefined);
  });

  it("are all sent to a page with an unknown state: older than the feed, from another server, or none", () => {
    const parts = new Parts();
    assert.equal(parts.since(""), undefined);
    parts.update(7, new Map([["a", "1"]]));
    for (const cursor of ["", "2", "99"])
      assert.deepEqual(parts.since(cursor), { cursor: "7", patch: { parts: { a: "1" } } });
  });

  it("bring a page to the server's state, however often it asks", () => {
    const names = fc.constantFrom("a", "b", "c");
    const step = fc.record({ changes: fc.dictionary(names, fc.string({ maxLength: 2 })), doesAsk: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        const parts = new Parts();
        const server = new Map<string, string>();
        const page = new Map<string, string>();
        let cursor = "";
        const ask = (): void => {
          const news = parts.since(cursor);
          if (!news) return;
          cursor = news.cursor;
          for (const [name, html] of Object.entries(news.patch.parts ?? {})) page.set(name, html);
        };
        steps.forEach(({ changes, doesAsk }, at) => {
          for (const [name, html] of Object.entries(changes)) server.set(name, html);
          parts.update(at + 1, new Map(server));
          if (doesAsk) ask();
        });
        ask();
        assert.deepEqual(page, server);
      }),
    );
  });
});
