import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { tagCountsOf } from "./tag-counts.ts";

describe("counts of runs by tag", () => {
  it("count a run once for each of its tags, and include the runs without tags", () => {
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

  it("support tags that are JavaScript property names", () => {
    const { tags } = tagCountsOf([{ status: "done", tags: ["__proto__", "constructor"] }], true);
    assert.deepEqual(
      tags.map(({ tag }) => tag),
      ["__proto__", "constructor"],
    );
  });
});
