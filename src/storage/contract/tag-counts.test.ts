import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { tagCountsOf } from "./tag-counts.ts";

describe("counts by tag", () => {
  it("have a graph with each of its tags once, and tell how many have none", () => {
    const graphs = [
      { status: "done", tags: ["web", "vip"] },
      { status: "failed", tags: ["web", "web"] },
      { status: "done", tags: ["web"] },
      { status: "paused", tags: [] },
    ] as const;
    assert.deepEqual(
      tagCountsOf(
        graphs.map((one) => ({ ...one, tags: [...one.tags] })),
        false,
      ),
      {
        tags: [
          { tag: "vip", byStatus: { done: 1 } },
          { tag: "web", byStatus: { done: 2, failed: 1 } },
        ],
        looked: 4,
        untagged: 1,
        isAll: false,
      },
    );
  });

  it("know tags that are words of the language", () => {
    const { tags } = tagCountsOf([{ status: "done", tags: ["__proto__", "constructor"] }], true);
    assert.deepEqual(
      tags.map(({ tag }) => tag),
      ["__proto__", "constructor"],
    );
  });
});
