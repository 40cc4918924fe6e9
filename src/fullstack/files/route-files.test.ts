import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { readRouteFiles } from "./route-files.ts";

/** Paths of the route of one file. */
function paths(...files: string[]): string[] {
  return readRouteFiles(files).routes.flatMap((route) => route.paths);
}

describe("names of files below pages/", () => {
  const cases: [file: string, paths: string[]][] = [
    ["index.tsx", ["/"]],
    ["about.tsx", ["/about"]],
    ["users/index.tsx", ["/users"]],
    ["users/[id].tsx", ["/users/:id"]],
    ["users/[id]/posts/[post].tsx", ["/users/:id/posts/:post"]],
    ["[[lang]]/about.tsx", ["/about", "/:lang/about"]],
    ["[[lang]]/index.tsx", ["/", "/:lang"]],
    ["docs/[...rest].tsx", ["/docs/**:rest"]],
    ["docs/[[...rest]].tsx", ["/docs", "/docs/**:rest"]],
    ["(shop)/cart.tsx", ["/cart"]],
    ["(shop)/index.tsx", ["/"]],
    ["feed.xml.ts", ["/feed.xml"]],
    ["grüße.tsx", ["/grüße"]],
    ["index/index.tsx", ["/index"]],
  ];
  for (const [file, expected] of cases) {
    it(`${file} is ${expected.join(" and ")}`, () => assert.deepEqual(paths(file), expected));
  }

  it(".tsx and .jsx are pages, .ts and .js endpoints", () => {
    const { routes } = readRouteFiles(["a.tsx", "b.ts", "c.jsx", "d.js"]);
    assert.deepEqual(
      routes.map(({ kind }) => kind),
      ["page", "endpoint", "page", "endpoint"],
    );
  });

  it("have the same roles in JavaScript", () => {
    const files = ["_layout.jsx", "_middleware.js", "_404.jsx", "shop/_layout.tsx", "shop/cart.jsx"];
    const { routes, notFound } = readRouteFiles(files);
    assert.deepEqual(routes[0]?.around.layout, ["_layout.jsx", "shop/_layout.tsx"]);
    assert.deepEqual(routes[0]?.around.middleware, ["_middleware.js"]);
    assert.deepEqual(
      notFound.map(({ file }) => file),
      ["_404.jsx"],
    );
  });

  it("tests, type declarations and folders that begin with _ are the app's own", () => {
    assert.deepEqual(paths("index.test.ts", "types.d.ts", "_parts/card.tsx", "users/_parts/list/row.tsx"), []);
  });

  const refusals: [files: string[], message: RegExp][] = [
    [["user-[id].tsx"], /pages\/user-\[id\]\.tsx has the segment "user-\[id\]"; allowed: text, \[id\]/],
    [["a b.tsx"], /the segment "a b"/],
    [["[...rest]/edit.tsx"], /has "\[\.\.\.rest\]" before its end/],
    [["[1].tsx"], /the segment "\[1\]"/],
    [["style.css"], /is neither a page \(\.tsx, \.jsx\) nor an endpoint \(\.ts, \.js\)/],
    [["_page.tsx"], /begins with "_"; only these names may: _layout\.tsx, _error\.tsx, _404\.tsx, _middleware\.ts/],
    [["_layout.ts"], /only these names may/],
    [["users.tsx", "users/index.tsx"], /pages\/users\.tsx and pages\/users\/index\.tsx are both the page \/users/],
    [["(a)/x.tsx", "(b)/x.tsx"], /are both the page \/x/],
    [["[id].tsx", "[name].tsx"], /are both the page \/:name/],
    [["[[lang]]/a.tsx", "a.tsx"], /are both the page \/a/],
  ];
  for (const [files, message] of refusals) {
    it(`${files.join(" beside ")} is refused, by name`, () =>
      assert.throws(() => readRouteFiles(files), { code: "SVC_DEFINITION", message }));
  }

  it("a page and an endpoint may share a path", () => {
    assert.deepEqual(paths("users.tsx", "users.ts"), ["/users", "/users"]);
  });
});

describe("a route below pages/", () => {
  const files = [
    "_layout.tsx",
    "_error.tsx",
    "_404.tsx",
    "_middleware.ts",
    "index.tsx",
    "(admin)/_layout.tsx",
    "(admin)/users/_middleware.ts",
    "(admin)/users/_404.tsx",
    "(admin)/users/_submits.ts",
    "(admin)/users/[id].tsx",
  ];

  it("has the layouts, error pages and middleware of its folder and the folders above, outermost first", () => {
    const { routes } = readRouteFiles(files);
    assert.deepEqual(routes.find(({ file }) => file.includes("[id]"))?.around, {
      layout: ["_layout.tsx", "(admin)/_layout.tsx"],
      error: ["_error.tsx"],
      notFound: ["_404.tsx", "(admin)/users/_404.tsx"],
      middleware: ["_middleware.ts", "(admin)/users/_middleware.ts"],
      submits: ["(admin)/users/_submits.ts"],
    });
  });

  it("has no layout of a sibling folder", () => {
    const { routes } = readRouteFiles(files);
    assert.deepEqual(routes.find(({ file }) => file === "index.tsx")?.around.layout, ["_layout.tsx"]);
  });

  it("from a _404.tsx file answers every path in its folder and below", () => {
    const { notFound } = readRouteFiles(files);
    assert.deepEqual(
      notFound.map((route) => route.paths),
      [
        ["/users", "/users/**:path"],
        ["/", "/**:path"],
      ],
    );
  });
});

describe("the order of files below pages/", () => {
  it("does not change the routes", () => {
    const files = ["index.tsx", "[id].tsx", "a/[id].tsx", "a/index.tsx", "a/_layout.tsx", "[[lang]]/b.tsx", "c.ts"];
    const expected = readRouteFiles(files);
    fc.assert(
      fc.property(fc.shuffledSubarray(files, { minLength: files.length }), (shuffled) => {
        assert.deepEqual(readRouteFiles(shuffled), expected);
      }),
    );
  });
});
