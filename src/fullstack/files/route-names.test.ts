import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { recordLog } from "../../testing.ts";
import { RouteNames } from "./route-names.ts";

describe("names of routes", () => {
  const files = [
    "index.tsx",
    "(shop)/cart.tsx",
    "users/[id]/index.tsx",
    "api/users.ts",
    "_layout.tsx",
    "_parts/card.tsx",
  ];

  it("accept the pages and endpoints below pages/", () => {
    const log = recordLog();
    const names = new RouteNames(files, () => log);
    for (const path of ["/", "/cart", "/users/[id]", "/api/users"]) names.check(path);
    assert.deepEqual(log.entries, []);
  });

  it("log an unknown route once, with the route that was probably meant", () => {
    const log = recordLog();
    const names = new RouteNames(files, () => log);
    for (const path of ["/crat", "/crat", "/_layout"]) names.check(path);
    const [first = "", second = "", ...others] = log.entries.map(({ message }) => message);
    assert.deepEqual(others, []);
    assert.match(first, /^href\("\/crat"\) names no page or endpoint below pages\/\. Did you mean href\("\/cart"\)\?$/);
    assert.match(second, /Add the page below pages\//);
  });
});
