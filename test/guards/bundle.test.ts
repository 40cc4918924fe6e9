/** The bundle behind the public faces (decision 041): whole, and one copy of each thing whichever face it comes by. */
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";

const bundle = resolve(fileURLToPath(import.meta.url), "../../../bundle");
const files = readdirSync(bundle).filter((name) => name.endsWith(".js"));

/** What is loaded with the faces that every app imports. */
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
  it("has every file that its code finds by where it is itself", () => {
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

  it("holds a class of errors once, whichever face asks for it", () => {
    const owners = files.filter((file) => /SvcError\d* = class/.test(readFileSync(join(bundle, file), "utf8")));
    assert.equal(owners.length, 1, owners.join(", "));
  });

  it("loads neither compiler nor Vite with the face that apps are made of", () => {
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

  it("is four files of ASCII for an app: each file more takes half a millisecond of every start (decision 054)", () => {
    const loaded = loadedByApps();
    for (const file of loaded) assert.doesNotMatch(readFileSync(join(bundle, file), "utf8"), /[^\0-\x7f]/, file);
    const names = [...loaded].map((file) => file.replace(/-[\da-f]{8}/, "")).toSorted();
    assert.deepEqual(names, ["common.js", "core.js", "index.js", "jsx-runtime.js"]);
  });

  it("loads the machine of graphs, deliveries and the database with the first that asks for it (decision 066)", () => {
    const LATE =
      /\/src\/(graphs\/engine\/engine|webhooks\/delivery\/delivery-loop|storage\/open-store|storage\/sqlite\/database)\.ts$/;
    // Files that only pass others on have no map.
    const sourcesOf = (file: string): string[] => {
      const map = join(bundle, `${file}.map`);
      return existsSync(map) ? (JSON.parse(readFileSync(map, "utf8")) as { sources: string[] }).sources : [];
    };
    const late = (names: Iterable<string>): string[] => [...names].flatMap(sourcesOf).filter((name) => LATE.test(name));
    assert.equal(late(files).length, 4, late(files).join(", "));
    assert.deepEqual(late(loadedByApps()), []);
  });
});
