import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { routeTypes, writeRouteTypes } from "./route-types.ts";

/** Route names in the written file. */
const namesIn = (text: string): string[] => [...text.matchAll(/^ {4}"(.*)": true;$/gm)].map(([, name = ""]) => name);

describe("types of routes", () => {
  it("name pages and endpoints after their files, without groups and index", () => {
    const files = ["index.tsx", "(shop)/cart.tsx", "users/[id]/index.tsx", "docs/[[...path]].tsx", "api/users.ts"];
    assert.deepEqual(namesIn(routeTypes(files, "svckit/fullstack")), [
      "/",
      "/api/users",
      "/cart",
      "/docs/[[...path]]",
      "/users/[id]",
    ]);
  });

  it("leave out files that are not routes", () => {
    const files = ["_layout.tsx", "_parts/card.tsx", "a/_error.tsx", "index.test.ts", "types.d.ts", "style.css"];
    assert.deepEqual(namesIn(routeTypes(files, "svckit/fullstack")), []);
  });

  it("are written beside an app with file routes, and only if they change", () => {
    const root = mkdtempSync(join(tmpdir(), "svc-routes-"));
    try {
      mkdirSync(join(root, "pages/users"), { recursive: true });
      writeFileSync(join(root, "pages/users/[id].tsx"), "");
      const entry = join(root, "app.ts");
      writeFileSync(entry, 'import { createApp } from "svckit";');
      assert.equal(writeRouteTypes(entry), undefined);
      writeFileSync(entry, 'import { createFullStackApp } from "svckit/fullstack";');
      const target = writeRouteTypes(entry);
      assert.equal(target, join(root, "svc-routes.d.ts"));
      assert.deepEqual(namesIn(readFileSync(target, "utf8")), ["/users/[id]"]);
      assert.equal(writeRouteTypes(entry), undefined);
    } finally {
      rmSync(root, { recursive: true });
    }
  });
});
