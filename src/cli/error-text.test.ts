import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { errorText } from "./error-text.ts";

function missing(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}

describe("the text of an error", () => {
  it("names the command that installs a missing vite, for npm, pnpm and Yarn PnP", () => {
    const node = missing("ERR_MODULE_NOT_FOUND", "Cannot find package 'vite' imported from /app/x.js");
    const pnp = missing("MODULE_NOT_FOUND", "svckit tried to access vite (a peer dependency) but it isn't provided");
    for (const error of [node, pnp])
      assert.match(errorText(error), /needs the package "vite".*npm install --save-dev vite/);
  });

  it("shows other missing modules with their stack", () => {
    const error = missing("ERR_MODULE_NOT_FOUND", "Cannot find package 'vite-plugin-x' imported from /app/x.js");
    assert.match(errorText(error), /vite-plugin-x/);
  });
});
