import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { LockfileError, MAX_PACKAGES, parseLockfile } from "./lockfile.ts";

const hash = "sha512-x";
const lockfile = (packages: Record<string, unknown>, more: object = {}): object => ({
  name: "shop",
  lockfileVersion: 3,
  packages: { "": { name: "shop" }, ...packages },
  ...more,
});
const refused = (input: unknown, message: RegExp): void =>
  assert.throws(
    () => parseLockfile(input),
    (error: unknown) => error instanceof LockfileError && message.test(error.message),
  );

describe("parseLockfile", () => {
  it("returns every installed package with its data from the lockfile", () => {
    const read = parseLockfile(
      lockfile({
        "node_modules/a": { version: "1.0.0", license: "MIT", integrity: hash, resolved: "https://r/a.tgz" },
        "node_modules/a/node_modules/@x/b": {
          version: "2.0.0",
          dev: true,
          hasInstallScript: true,
          deprecated: "use c",
        },
      }),
    );
    assert.equal(read.project, "shop");
    assert.deepEqual(read.packages[0], {
      path: "node_modules/a",
      name: "a",
      version: "1.0.0",
      license: "MIT",
      dev: false,
      bundled: false,
      hasIntegrity: true,
      hasInstallScript: false,
      deprecated: null,
      source: "registry",
      versions: ["1.0.0"],
    });
    const nested = read.packages[1];
    assert.equal(nested?.name, "@x/b");
    assert.deepEqual([nested?.dev, nested?.hasInstallScript, nested?.deprecated], [true, true, "use c"]);
  });

  it("accepts the text, with or without a byte order mark, and the parsed object", () => {
    const object = lockfile({ "node_modules/a": { version: "1.0.0" } });
    assert.deepEqual(parseLockfile(`\uFEFF${JSON.stringify(object)}`), parseLockfile(object));
  });

  it("omits links, workspaces and the project itself", () => {
    const read = parseLockfile(
      lockfile({
        "packages/tool": { version: "1.0.0" },
        "node_modules/tool": { resolved: "packages/tool", link: true },
      }),
    );
    assert.deepEqual(read.packages, []);
  });

  it("returns the real name of an alias", () => {
    const read = parseLockfile(lockfile({ "node_modules/alias": { name: "real", version: "1.0.0" } }));
    assert.equal(read.packages[0]?.name, "real");
  });

  it("adds all versions of its name to each package in numeric order", () => {
    const read = parseLockfile(
      lockfile({ "node_modules/a": { version: "10.0.0" }, "node_modules/b/node_modules/a": { version: "9.0.0" } }),
    );
    assert.deepEqual(read.packages[0]?.versions, ["9.0.0", "10.0.0"]);
  });

  it("reads licences in the old object and list forms", () => {
    const read = parseLockfile(
      lockfile({
        "node_modules/a": { version: "1.0.0", license: { type: "ISC", url: "u" } },
        "node_modules/b": { version: "1.0.0", license: [{ type: "MIT" }, { type: "GPL-2.0" }] },
        "node_modules/c": { version: "1.0.0", license: 7 },
      }),
    );
    assert.deepEqual(
      read.packages.map((item) => item.license),
      ["ISC", "MIT OR GPL-2.0", null],
    );
  });

  it("distinguishes registry, unencrypted, git and file sources", () => {
    const sources = ["https://r/a.tgz", "http://r/a.tgz", "git+ssh://git@h/a.git#1", "file:a.tgz", undefined];
    const entries = sources.map((resolved, at) => [`node_modules/p${at}`, { version: "1.0.0", resolved }]);
    assert.deepEqual(
      parseLockfile(lockfile(Object.fromEntries(entries))).packages.map((item) => item.source),
      ["registry", "insecure", "git", "file", "unknown"],
    );
  });

  it("reads the lockfile of this repository", () => {
    const text = readFileSync(new URL("../../../package-lock.json", import.meta.url), "utf8");
    const read = parseLockfile(text);
    assert.equal(read.project, "svckit");
    assert.ok(read.packages.length > 100);
  });
});

describe("The error of an invalid lockfile", () => {
  it("contains line and column of a JSON syntax error", () => {
    refused('{\n  "name": "shop",,\n}', /not valid JSON at line 2, column 18: a key in double quotes/);
    refused("", /line 1, column 1: a value was expected/);
  });

  it("names the type of a value that is not an object", () => {
    refused("[]", /this is a list/);
    refused(undefined, /this is missing/);
    refused("null", /this is null/);
  });

  it("names a version that is missing, old or unknown", () => {
    refused({ name: "shop", dependencies: {} }, /"lockfileVersion": it is missing/);
    refused({ lockfileVersion: 1 }, /format of npm 6.*--lockfile-version 3/);
    refused({ lockfileVersion: "3" }, /it is "3", not 2 or 3/);
  });

  it("contains the path of an invalid entry", () => {
    refused({ lockfileVersion: 3 }, /At "packages": an object was expected, but it is missing/);
    refused(lockfile({ "node_modules/a": 1 }), /At packages\["node_modules\/a"\]: an object/);
    refused(lockfile({ "node_modules/a": {} }), /At packages\["node_modules\/a"\]\.version: .* missing/);
  });

  it("contains the number of packages if there are too many", () => {
    const entries = Array.from({ length: MAX_PACKAGES + 1 }, (_, at) => [`node_modules/p${at}`, { version: "1.0.0" }]);
    refused(lockfile(Object.fromEntries(entries)), /has 5001 packages; this demo accepts up to 5000/);
  });
});
