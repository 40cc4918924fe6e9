import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { givenSource, runningSource } from "./package-source.ts";

describe("the svc dependency of a new app", () => {
  const folder = mkdtempSync(join(tmpdir(), "svc-source-"));
  const at = (...parts: string[]): string => join(folder, ...parts);
  const app = at("work/shop");
  const running = at("tools/node_modules/svckit");
  mkdirSync(running, { recursive: true });
  mkdirSync(at("clone"));
  writeFileSync(at("clone/package.json"), "{}");
  writeFileSync(at("svckit-0.1.0.tgz"), "");
  const hidden = at("tools/node_modules/.package-lock.json");
  const installed = (entry: object): void =>
    writeFileSync(hidden, JSON.stringify({ packages: { "node_modules/svckit": entry } }));
  after(() => rmSync(folder, { recursive: true }));

  it("is the clone that runs the command", () => {
    assert.equal(runningSource(app, at("clone")), "file:../../clone");
  });

  it("is the tarball that npm installed it from", () => {
    installed({ version: "0.1.0", resolved: "file:../svckit-0.1.0.tgz" });
    assert.equal(runningSource(app, running), "file:../../svckit-0.1.0.tgz");
  });

  it("is the version if npm installed it from a registry", () => {
    installed({ version: "0.1.0", resolved: "https://registry.npmjs.org/svc/-/svckit-0.1.0.tgz" });
    assert.equal(runningSource(app, running), "0.1.0");
  });

  it("is unknown if the tarball is gone, npm recorded nothing, or another tool installed it", () => {
    installed({ version: "0.1.0", resolved: "file:../gone.tgz" });
    assert.equal(runningSource(app, running), undefined);
    installed({ version: "0.1.0" });
    assert.equal(runningSource(app, running), undefined);
    rmSync(hidden);
    assert.equal(runningSource(app, running), undefined);
  });

  it("is the given one: a local tarball or folder, or anything that npm accepts", () => {
    const given = (text: string) => givenSource(text, app, folder);
    assert.equal(given("svckit-0.1.0.tgz"), "file:../../svckit-0.1.0.tgz");
    assert.equal(given(at("svckit-0.1.0.tgz")), "file:../../svckit-0.1.0.tgz");
    assert.equal(given("file:./clone"), "file:../../clone");
    for (const spec of ["^0.1.0", "latest", "npm:@me/svc@1.0.0", "https://example.com/svc.tgz", "github:me/svc"])
      assert.equal(given(spec), spec);
  });

  for (const text of ["", "./gone", "gone.tgz", "../x/svc.tgz", "file:gone", "./work"])
    it(`is rejected if nothing exists at "${text}"`, () => {
      const answer = givenSource(text, app, folder);
      assert.ok(answer instanceof Error);
      assert.match(answer.message, /which is not a package; give a tarball/);
    });
});
