import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { Router } from "./router.ts";
import type { Handler } from "../types.ts";

const none: Handler = () => ({ status: 200, headers: [], body: null });

/** The matching pattern, by its handler. */
function finder(
  patterns: readonly string[],
  apart?: string,
): (path: string) => { pattern: string; params: object } | undefined {
  const router = new Router(apart);
  const handlers = patterns.map((pattern) => [pattern, (() => none) as unknown as Handler] as const);
  for (const [pattern, handler] of handlers) router.add("GET", pattern, handler);
  return (path) => {
    const match = router.match("GET", path);
    if (match.kind !== "found") return undefined;
    const [pattern] = handlers.find(([, handler]) => handler === match.route.handler) ?? assert.fail();
    return { pattern, params: { ...match.params } };
  };
}

/** The rule in its simplest form: text before parameter before rest, segment by segment from the left. */
function expected(patterns: readonly string[], path: string): string | undefined {
  const segments = path.slice(1).split("/");
  const rank = (pattern: string): string | undefined => {
    const parts = pattern.slice(1).split("/");
    const isRest = parts.at(-1)?.startsWith("**") ?? false;
    if (isRest ? segments.length < parts.length : segments.length !== parts.length) return undefined;
    if (!parts.every((part, at) => /^[:*]/.test(part) || part === segments[at])) return undefined;
    return parts.map((part) => (part.startsWith("**") ? "2" : part.startsWith(":") ? "1" : "0")).join("");
  };
  const ranked = patterns.flatMap((pattern) => {
    const order = rank(pattern);
    return order === undefined ? [] : [[order, pattern] as const];
  });
  return ranked.sort(([left], [right]) => (left < right ? -1 : 1))[0]?.[1];
}

describe("the pattern that handles a path", () => {
  it("has text before a parameter before a rest, in any order of definition", () => {
    const patterns = ["/**:all", "/todos/:id", "/todos/new", "/todos/:id/edit", "/files/**:file"];
    for (const order of [patterns, patterns.toReversed()]) {
      const find = finder(order);
      assert.deepEqual(find("/todos/new"), { pattern: "/todos/new", params: {} });
      assert.deepEqual(find("/todos/7"), { pattern: "/todos/:id", params: { id: "7" } });
      assert.deepEqual(find("/todos/new/edit"), { pattern: "/todos/:id/edit", params: { id: "new" } });
      assert.deepEqual(find("/files/a/b.txt"), { pattern: "/files/**:file", params: { file: "a/b.txt" } });
      assert.deepEqual(find("/other"), { pattern: "/**:all", params: { all: "other" } });
    }
  });

  it("needs one segment for a rest, and ignores a final slash", () => {
    const find = finder(["/files/**:file", "/todos", "/todos/:id"]);
    assert.equal(find("/files"), undefined);
    assert.equal(find("/todos/")?.pattern, "/todos");
    assert.deepEqual(find("/todos/7/"), { pattern: "/todos/:id", params: { id: "7" } });
  });

  it("matches text in any script as it is written", () => {
    const find = finder(["/café", "/straße/:nr", "/<b>/:id"]);
    assert.equal(find("/café")?.pattern, "/café");
    assert.deepEqual(find("/straße/7"), { pattern: "/straße/:nr", params: { nr: "7" } });
    assert.deepEqual(find("/<b>/ä ö"), { pattern: "/<b>/:id", params: { id: "ä ö" } });
  });

  it("is below the separate prefix if the path is", () => {
    const find = finder(["/**:rest", "/:a/:b", "/own/x", "/own/:name/more"], "/own");
    for (const [path, pattern] of [
      ["/own", "/**:rest"],
      ["/own/x", "/own/x"],
      ["/own/x/more", "/own/:name/more"],
      ["/own/y", undefined],
      ["/own/y/z", undefined],
      ["/owner/x", "/:a/:b"],
    ] as const)
      assert.equal(find(path)?.pattern, pattern, path);
  });

  it("follows the same rule for random patterns and paths", () => {
    const text = fc.constantFrom("a", "b");
    const pattern = fc
      .tuple(fc.array(fc.oneof(text, fc.constantFrom(":x")), { maxLength: 3 }), fc.boolean())
      .map(
        ([parts, hasRest]) =>
          `/${[...parts.map((part, at) => (part === ":x" ? `:x${at}` : part)), ...(hasRest ? ["**:rest"] : [])].join("/")}`,
      )
      .filter((path) => path !== "/");
    const path = fc
      .array(fc.constantFrom("a", "b", "c"), { minLength: 1, maxLength: 4 })
      .map((parts) => `/${parts.join("/")}`);
    fc.assert(
      fc.property(fc.uniqueArray(pattern, { minLength: 1, maxLength: 6 }), path, (patterns, asked) => {
        assert.equal(finder(patterns)(asked)?.pattern, expected(patterns, asked));
      }),
      { numRuns: 500 },
    );
  });
});
