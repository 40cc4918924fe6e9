import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { errorText, viteDamage } from "./error-text.ts";

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

  it("asks for version 8 if vite lacks an export", () => {
    const error = new SyntaxError("The requested module 'vite' does not provide an export named 'transformWithOxc'");
    assert.match(errorText(error), /needs version 8.*npm install --save-dev vite@8/);
    const other = new SyntaxError("The requested module 'vite-x' does not provide an export named 'a'");
    assert.doesNotMatch(errorText(other), /version 8/);
  });

  it("keeps a message that names a file of vite, and leaves out calls in vite", () => {
    const text = "Cannot find module '/app/node_modules/vite/dist/node/index.js' imported from /app/x.js";
    const error = missing("ERR_MODULE_NOT_FOUND", text);
    error.stack = `Error: ${text}\n    at build (/app/node_modules/vite/dist/node/index.js:1:2)\n    at app (/app/app.ts:3:4)`;
    assert.equal(errorText(error), `Error: ${text}\n    at app (/app/app.ts:3:4)`);
  });

  it("shows the file of a syntax error", () => {
    const error = new SyntaxError("Unexpected identifier");
    error.stack =
      "file:///app/node_modules/vite/dist/node/index.js:1\nsyntax error\n       ^\n\nSyntaxError: Unexpected identifier";
    assert.match(errorText(error), /^file:.*vite.*index\.js:1\n/);
  });

  it("shows other missing modules with their stack", () => {
    const error = missing("ERR_MODULE_NOT_FOUND", "Cannot find package 'vite-plugin-x' imported from /app/x.js");
    assert.match(errorText(error), /vite-plugin-x/);
  });
});

describe("a damaged installation of vite", () => {
  const failing = (message: string) => () => Promise.reject(missing("ERR_MODULE_NOT_FOUND", message));

  it("is the reason of an error that a second import of vite repeats, and the text says how to repair it", async () => {
    for (const text of [
      "Cannot find module '/app/node_modules/vite/dist/node/chunks/node.js' imported from /app/x.js",
      "Cannot find package 'rolldown' imported from /app/node_modules/vite/dist/node/chunks/node.js",
      "Unexpected end of input",
    ]) {
      const shown = await viteDamage(new Error(`${text}\nRequire stack`), failing(`${text}\nRequire stack`));
      assert.equal(
        shown,
        `SVC_CONFIG: The installed package "vite" is damaged: ${text}. Delete the folder node_modules and install the packages of the app again, for example with: npm install`,
      );
    }
  });

  it("is not the reason of other errors, and not the missing package", async () => {
    const absent = "Cannot find package 'vite' imported from /app/x.js";
    assert.equal(await viteDamage(missing("ERR_MODULE_NOT_FOUND", absent), failing(absent)), undefined);
    assert.equal(await viteDamage(new Error("of the app"), failing(absent)), undefined);
    assert.equal(await viteDamage(new Error("of the app"), () => Promise.resolve({})), undefined);
  });
});
