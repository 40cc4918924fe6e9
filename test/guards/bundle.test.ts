/** The bundle behind the public entry points (decision 041) is complete, and has one copy of each module. */
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";

const bundle = resolve(fileURLToPath(import.meta.url), "../../../bundle");
const files = readdirSync(bundle).filter((name) => name.endsWith(".js"));

/** The files that the entry points of every app load. */
function loadedByApps(): Set<string> {
  const loaded = new Set(["index.js", "jsx-runtime.js"]);
  for (const file of loaded) {
    const code = readFileSync(join(bundle, file), "utf8");
    for (const [, next = ""] of code.matchAll(/^(?:import|export) ?(?:[^;"]*from )?"\.\/([\w-]+\.js)"/gm))
      loaded.add(next);
  }
  return loaded;
}

describe("the bundle", () => {
  it("has every file that its code locates relative to itself", () => {
    const found: string[] = [];
    for (const file of files) {
      const code = readFileSync(join(bundle, file), "utf8");
      for (const [, path = ""] of code.matchAll(/new URL\("(\.{1,2}\/[^"]+)",\s*import\.meta\.url\)/g)) {
        found.push(path);
        assert.ok(existsSync(join(bundle, path)), `${file} looks for ${path}`);
      }
    }
    assert.ok(found.includes("./worker-thread.js"), `found ${found.join(", ")}`);
  });

  it("has one copy of the error class, for all entry points", () => {
    const owners = files.filter((file) => /SvcError\d* = class/.test(readFileSync(join(bundle, file), "utf8")));
    assert.equal(owners.length, 1, owners.join(", "));
  });

  it("loads neither the compiler nor Vite with the entry points of an app", () => {
    const seen = new Set<string>();
    const visit = (file: string): void => {
      if (seen.has(file)) return;
      seen.add(file);
      const code = readFileSync(join(bundle, file), "utf8");
      assert.doesNotMatch(code, /^import [^;]*from "(?:vite|esbuild|magic-string|playwright-core)"/m, file);
      for (const [, next = ""] of code.matchAll(/^(?:import|export) ?(?:[^;"]*from )?"\.\/([\w-]+\.js)"/gm))
        visit(next);
    };
    visit("index.js");
    visit("main.js");
    assert.ok(seen.size > 2);
  });

  it("is four ASCII files for an app, because each further file adds half a millisecond to every start (decision 054)", () => {
    const loaded = loadedByApps();
    for (const file of loaded) assert.doesNotMatch(readFileSync(join(bundle, file), "utf8"), /[^\0-\x7f]/, file);
    const names = [...loaded].map((file) => file.replace(/-[\da-f]{8}/, "")).toSorted();
    assert.deepEqual(names, ["common.js", "core.js", "index.js", "jsx-runtime.js"]);
  });

  it("loads engine, deliveries and database code on first use (decision 066)", () => {
    const LATE =
      /\/src\/(graphs\/engine\/engine|webhooks\/delivery\/delivery-loop|storage\/open-store|storage\/sqlite\/database)\.ts$/;
    // Files that only re-export others have no map.
    const sourcesOf = (file: string): string[] => {
      const map = join(bundle, `${file}.map`);
      return existsSync(map) ? (JSON.parse(readFileSync(map, "utf8")) as { sources: string[] }).sources : [];
    };
    const late = (names: Iterable<string>): string[] => [...names].flatMap(sourcesOf).filter((name) => LATE.test(name));
    assert.equal(late(files).length, 4, late(files).join(", "));
    assert.deepEqual(late(loadedByApps()), []);
  });
});
