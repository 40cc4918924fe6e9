import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { tagGroupsOf } from "./tag-groups.ts";

describe("Runs grouped by tag", () => {
  it("are rows, largest first, with the statuses that occur in their order", () => {
    const groups = tagGroupsOf({
      tags: [
        { tag: "a", byStatus: { failed: 1 } },
        { tag: "b", byStatus: { failed: 1, running: 2 } },
      ],
      looked: 5,
      untagged: 1,
      isAll: true,
    });
    assert.deepEqual(
      groups.rows.map(({ tag, all }) => [tag, all]),
      [
        ["b", 3],
        ["a", 1],
      ],
    );
    assert.deepEqual(groups.statuses, ["running", "failed"]);
    assert.equal(groups.more, 0);
  });

  it("are limited to the tags with the most runs, with the number of omitted tags", () => {
    const tags = Array.from({ length: 130 }, (_, at) => ({ tag: `t${String(at)}`, byStatus: { done: at + 1 } }));
    const { rows, more } = tagGroupsOf({ tags, looked: 130, untagged: 0, isAll: false });
    assert.deepEqual([rows.length, rows[0]?.tag, more], [100, "t129", 30]);
  });
});
