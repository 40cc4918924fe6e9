import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { AHEAD_MS, BACK_MS, PrefetchCache, MAX_PAGES } from "./prefetch-cache.ts";

describe("a cached page", () => {
  it("is returned until it exceeds the maximum age given", () => {
    const pages = new PrefetchCache<string>();
    pages.keep("/a", "page", 1_000);
    assert.equal(pages.find("/a", 1_000 + AHEAD_MS, AHEAD_MS), "page");
    assert.equal(pages.find("/a", 1_001 + AHEAD_MS, AHEAD_MS), undefined);
    assert.equal(pages.find("/a", 1_001 + AHEAD_MS, BACK_MS), "page");
    assert.equal(pages.find("/a", 1_001 + BACK_MS, BACK_MS), undefined);
  });

  it("has the age of its latest fetch", () => {
    const pages = new PrefetchCache<string>();
    pages.keep("/a", "old", 0);
    pages.keep("/a", "new", 100);
    assert.equal(pages.find("/a", 150, 50), "new");
    assert.equal(pages.size, 1);
  });

  it("is evicted above the maximum number, oldest first", () => {
    const pages = new PrefetchCache<number>();
    for (let at = 0; at <= MAX_PAGES; at++) pages.keep(`/${at}`, at, at);
    assert.equal(pages.size, MAX_PAGES);
    assert.equal(pages.find("/0", 0, BACK_MS), undefined);
    assert.equal(pages.find(`/${MAX_PAGES}`, MAX_PAGES, BACK_MS), MAX_PAGES);
  });

  it("is removed by forget unless another page has replaced it", () => {
    const pages = new PrefetchCache<string>();
    pages.keep("/a", "first", 0);
    pages.keep("/a", "second", 0);
    pages.forget("/a", "first");
    assert.equal(pages.find("/a", 0, 0), "second");
    pages.forget("/a", "second");
    assert.equal(pages.find("/a", 0, 0), undefined);
  });

  it("is removed by clear, as all others are", () => {
    const pages = new PrefetchCache<string>();
    pages.keep("/a", "a", 0);
    pages.keep("/b", "b", 0);
    pages.clear();
    assert.equal(pages.size, 0);
  });
});
