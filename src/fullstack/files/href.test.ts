import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { href } from "./href.ts";

describe("href", () => {
  const cases: [actual: string, expected: string][] = [
    [href("/"), "/"],
    [href("/about"), "/about"],
    [href("/grüße"), "/gr%C3%BC%C3%9Fe"],
    [href("/users/[id]", { id: "a/b ?" }), "/users/a%2Fb%20%3F"],
    [href("/docs/[...path]", { path: "a b/c" }), "/docs/a%20b/c"],
    [href("/docs/[[...path]]", {}), "/docs"],
    [href("/[[lang]]", {}), "/"],
    [href("/[[lang]]/about", { lang: "de" }), "/de/about"],
    [
      href("/", {}, { query: { a: "1&2", b: [1, 2], c: undefined, d: false }, hash: "x y" }),
      "/?a=1%262&b=1&b=2&d=false#x%20y",
    ],
  ];
  for (const [actual, expected] of cases) it(`returns ${expected}`, () => assert.equal(actual, expected));

  it("throws an error that names a missing parameter", () => {
    const path: string = "/users/[id]";
    assert.throws(() => href(path, {}), { code: "SVC_DEFINITION", message: /needs the parameter "id"/ });
  });
});
