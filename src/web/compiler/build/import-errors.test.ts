import assert from "node:assert/strict";
import path from "node:path";
import { describe, it } from "node:test";
import { withTempApp } from "../temp-app.testkit.ts";
import { importError } from "./import-errors.ts";

describe("a missing export of a package", () => {
  it("is reported in the module that imports it, although the stack of the built app does not name it", async () => {
    const files = {
      "app.ts": 'import { createApp } from "svckit";\nexport default createApp;\n',
      "pages/home.tsx": 'import { computd, signal } from "svckit";\nexport const twice = [computd, signal];\n',
    };
    await withTempApp(files, async ({ root }) => {
      const error = new SyntaxError("The requested module 'svckit' does not provide an export named 'computd'");
      error.stack = `file://${root}/dist/server/app.js:1\n${String(error)}\n    at ModuleJob._instantiate (node:internal)`;
      const importers = Object.keys(files).map((file) => path.join(root, file));
      const found = await importError(error, root, async () => ["computed", "signal"], importers);
      assert.match(
        found?.message ?? "",
        /^SVC_DEFINITION pages\/home\.tsx:1:10\n"svckit" has no export "computd"; did you mean "computed"\?\n/,
      );
      assert.equal(await importError(error, root, async () => []), undefined, "without the modules of the app");
    });
  });
});
