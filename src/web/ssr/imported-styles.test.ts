import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { PageStyles } from "./imported-styles.ts";

const STYLES = {
  files: ["/base.css", "/layout.css", "/page.css", "/late.css"],
  always: [0],
  modules: { "page.tsx": [2], "layout.tsx": [1], "late.tsx": [2, 3] },
};

describe("The stylesheets of a page", () => {
  it("are those of its modules in the app's order, whichever was rendered first", () => {
    const styles = new PageStyles(STYLES);
    for (const module of ["page.tsx", "layout.tsx", "page.tsx", "unknown.tsx"]) styles.use(module);
    assert.deepEqual(styles.added(), ["/base.css", "/layout.css", "/page.css"]);
  });

  it("that deferred content adds are linked once", () => {
    const styles = new PageStyles(STYLES);
    styles.use("page.tsx");
    styles.added();
    assert.deepEqual(styles.added(), []);
    styles.use("late.tsx");
    assert.deepEqual(styles.added(), ["/late.css"]);
    assert.deepEqual(styles.all, ["/base.css", "/page.css", "/late.css"]);
  });

  it("are the same list for the same modules, and none in an app without imports", () => {
    const [one, other] = [new PageStyles(STYLES), new PageStyles(STYLES)];
    one.use("page.tsx");
    other.use("page.tsx");
    assert.equal(one.added(), other.added());
    const none = new PageStyles(undefined);
    none.use("page.tsx");
    assert.deepEqual(none.added(), []);
  });
});
