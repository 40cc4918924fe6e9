import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { VERIFY_SNIPPETS } from "./verify-snippets.ts";

const guide = readFileSync(new URL("../../../../docs/guide/webhooks.md", import.meta.url), "utf8");

describe("The code that verifies a delivery", () => {
  for (const { language, text } of VERIFY_SNIPPETS)
    it(`is the tested code of the guide, in ${language}`, () => {
      assert.match(text, /verify\(secret/);
      const blocks = guide.split(/^```/m);
      assert.ok(blocks.some((block) => block.startsWith(language.toLowerCase()) && block.includes(text)));
    });
});
