import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readViews, viewsText, withoutView, withView, type SavedView } from "./saved-views.ts";

/** The views, asserting that they could be saved. */
function kept(views: SavedView[] | string): SavedView[] {
  assert.ok(typeof views !== "string", String(views));
  return views;
}

describe("Saved views", () => {
  it("survive the cookie unchanged, whatever characters their names contain", () => {
    const first = kept(withView([], "  Failed   today ", "status=failed&since=24h"));
    const both = kept(withView(first, "Größe & <b>=1</b>", "error=a%26b"));
    assert.deepEqual(readViews(viewsText(both)), [
      { name: "Failed today", query: "status=failed&since=24h" },
      { name: "Größe & <b>=1</b>", query: "error=a%26b" },
    ]);
    assert.match(viewsText(both), /^[\w-]+$/);
  });

  it("contain only filters", () => {
    assert.deepEqual(kept(withView([], "a", "status=failed&cursor=g_1&x=2")), [{ name: "a", query: "status=failed" }]);
    assert.match(String(withView([], "a", "cursor=g_1")), /no filter to save/);
    assert.match(String(withView([], "  ", "status=failed")), /needs a name/);
  });

  it("are replaced by a view with the same name, and can be deleted", () => {
    const views = kept(withView(kept(withView([], "a", "status=failed")), "b", "tag=x"));
    assert.deepEqual(kept(withView(views, "a", "status=done"))[0], { name: "a", query: "status=done" });
    assert.deepEqual(withoutView(views, "a"), [{ name: "b", query: "tag=x" }]);
  });

  it("are limited to ten, and to two kilobytes", () => {
    const ten = Array.from({ length: 10 }, (_, at) => ({ name: `v${at}`, query: "status=failed" }));
    assert.match(String(withView(ten, "one more", "tag=x")), /limit of 10 views/);
    assert.equal(kept(withView(ten, "v3", "tag=x")).length, 10);
    let views: SavedView[] | string = [];
    let count = 0;
    while (typeof views !== "string" && count < 10)
      views = withView(views, `long ${count++}`, `error=${"e".repeat(200)}&tag=${"t".repeat(200)}`);
    assert.match(String(views), /too long for their cookie/);
  });

  it("are reduced to the valid ones if the cookie was tampered with", () => {
    assert.deepEqual(readViews(undefined), []);
    assert.deepEqual(readViews("%%%"), []);
    assert.deepEqual(readViews("A".repeat(5000)), []);
    const forged = Buffer.from("a=status%3Dfailed&a=tag%3Dx&b=&=tag%3Dx&c=nothing%3D1").toString("base64url");
    assert.deepEqual(readViews(forged), [{ name: "a", query: "status=failed" }]);
  });
});
