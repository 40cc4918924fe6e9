import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { packageNameProblem, suggestedName } from "./package-name.ts";

describe("the name of a new app", () => {
  for (const name of ["shop", "shop-2", "my.shop", "~shop", "a_b", "@me/shop", "7", "a".repeat(214)])
    it(`may be ${name.slice(0, 20)}`, () => assert.equal(packageNameProblem(name), undefined));

  for (const [name, fault] of [
    ["", /empty/],
    ["a".repeat(215), /more than 214/],
    ["Shop", /lowercase letters/],
    ["my shop", /lowercase letters/],
    [".shop", /lowercase letters/],
    ["_shop", /lowercase letters/],
    ["caf\u00e9", /lowercase letters/],
    ["@me", /lowercase letters/],
    ["@me/a/b", /lowercase letters/],
    ["a/b", /lowercase letters/],
    ["node_modules", /taken/],
    ["http", /taken/],
    ["svckit", /taken/],
  ] as const)
    it(`may not be "${name.slice(0, 20)}"`, () => assert.match(packageNameProblem(name) ?? "", fault));

  it("is turned into the closest valid name, if a character is left", () => {
    assert.deepEqual(["My Shop!", "Caf\u00e9", ".shop", "http", "\u5e97"].map(suggestedName), [
      "my-shop",
      "cafe",
      "shop",
      "http-app",
      undefined,
    ]);
  });
});
