/** package-lock.json is complete, so that `npm ci` accepts it on every platform, and names no registry. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { root } from "./source.ts";

interface Lockfile {
  packages: Record<string, { optionalDependencies?: Record<string, string>; resolved?: string; link?: boolean }>;
}

/** Optional packages that are named but not locked: npm omits them if a registry lacked them. */
function unlocked({ packages }: Lockfile): string[] {
  return Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).filter(
      (name) => !packages[`node_modules/${name}`] && !packages[`${path}/node_modules/${name}`],
    ),
  );
}

function withAddress({ packages }: Lockfile): string[] {
  return Object.keys(packages).filter((path) => packages[path]?.resolved !== undefined);
}

const lockfile = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as Lockfile;

describe("package-lock.json", () => {
  it("locks every optional package and contains no address", () => {
    assert.deepEqual(unlocked(lockfile), []);
    assert.deepEqual(withAddress(lockfile), []);
  });

  it("is checked: a gap and an address are detected", () => {
    const planted: Lockfile = {
      packages: {
        "node_modules/a": { optionalDependencies: { "@a/linux": "1.0.0" }, resolved: "https://x.test/a.tgz" },
      },
    };
    assert.deepEqual(unlocked(planted), ["@a/linux"]);
    assert.deepEqual(withAddress(planted), ["node_modules/a"]);
  });
});
