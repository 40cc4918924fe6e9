import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { SvcError } from "../../platform/shared/errors.ts";
import { createNew, manifestOf, nextCommands } from "./new.ts";
import { createOutput } from "../output.ts";

describe("svc new", () => {
  const folder = mkdtempSync(join(tmpdir(), "svc-new-"));
  after(() => rmSync(folder, { recursive: true }));

  /** @returns the printed text */
  function make(name: string): string {
    let text = "";
    const sink = { write: (more: string) => (text += more) };
    createNew(
      { folder: join(folder, name), given: name, name: "shop", svc: "file:../svc.tgz" },
      createOutput(sink, sink),
    );
    return text;
  }

  function refusal(name: string): string {
    try {
      make(name);
    } catch (error) {
      assert.ok(error instanceof SvcError);
      assert.equal(error.code, "SVC_NEW");
      return error.message;
    }
    assert.fail(`${name} was written`);
  }

  it("writes an app, and prints the next steps", () => {
    assert.match(
      make("deep/shop"),
      /^Written deep\/shop: 14 files[\s\S]+ {2}cd deep\/shop\n {2}npm install\n {2}npm run dev\n$/,
    );
    const files = readdirSync(join(folder, "deep/shop"));
    assert.ok(files.includes(".gitignore") && files.includes("app.ts") && !files.includes("gitignore"));
    assert.match(readFileSync(join(folder, "deep/shop/package.json"), "utf8"), /"name": "shop"/);
    // What would publish a secret, or what a build writes.
    const ignored = readFileSync(join(folder, "deep/shop/.gitignore"), "utf8").split("\n");
    for (const name of ["node_modules", "dist", ".svc", ".env*.local"]) assert.ok(ignored.includes(name), name);
  });

  it("rejects a folder that is not empty with its content, and writes nothing", () => {
    mkdirSync(join(folder, "full"));
    for (const name of ["a", "b", "c", "d", "e"]) writeFileSync(join(folder, "full", name), "");
    assert.match(refusal("full"), /^full is not empty: it has a, b, c, 2 more\. Nothing was written/);
    assert.equal(readdirSync(join(folder, "full")).length, 5);
  });

  it("accepts a folder that only contains a repository", () => {
    mkdirSync(join(folder, "begun/.git"), { recursive: true });
    make("begun");
    assert.ok(existsSync(join(folder, "begun/app.ts")));
  });

  it("rejects a file, and a folder that can't be written", () => {
    writeFileSync(join(folder, "file"), "");
    assert.match(refusal("file"), /^file is a file; name a folder/);
    assert.match(refusal("file/shop"), /^file\/shop can't be written: ENOTDIR/);
  });
});

describe("the package.json of a new app", () => {
  const own = {
    engines: { node: ">=20" },
    devDependencies: { "@types/node": "^20.1.0", typescript: "^7.0.0", valibot: "^1.0.0", vite: "^8.0.0" },
  };

  it("has the scripts, this svc, and its dependencies in the tested versions", () => {
    assert.deepEqual(JSON.parse(manifestOf("shop", "file:../svc.tgz", own)), {
      name: "shop",
      version: "0.0.0",
      private: true,
      type: "module",
      engines: { node: ">=20" },
      scripts: { dev: "svc dev", build: "svc build", start: "svc start", test: "svc build && tsc && node --test" },
      dependencies: { svckit: "file:../svc.tgz", valibot: "^1.0.0" },
      devDependencies: { "@types/node": "^20.1.0", typescript: "^7.0.0", vite: "^8.0.0" },
    });
  });
});

describe("the next steps that svc new prints", () => {
  it("include a change of folder, unless the app is in the current one", () => {
    assert.equal(nextCommands("shop")[0], "cd shop");
    assert.equal(nextCommands("My Shop")[0], 'cd "My Shop"');
    assert.deepEqual(
      [".", "./"].map((given) => nextCommands(given).length),
      [2, 2],
    );
  });
});
