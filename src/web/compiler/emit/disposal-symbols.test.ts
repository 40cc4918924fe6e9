import assert from "node:assert/strict";
import path from "node:path";
import { describe, it } from "node:test";
import { runInNewContext } from "node:vm";
import { buildApp } from "../build/build.ts";
import { withTempApp } from "../temp-app.testkit.ts";
import { disposalStatement } from "./disposal-symbols.ts";

const PAGE = `import { signal } from "svckit";
import { Lock } from "./lock.ts";
export const Page = () => {
  const n = signal(0);
  return <button type="button" onClick={() => { using lock = new Lock(); n.value += lock.step; }}>{n.value}</button>;
};`;
const LOCK = `export class Lock { step = 1; [Symbol.dispose]() { document.title = "free"; } }`;

describe("the symbols of using", () => {
  it("exist after the statement in a browser that lacks them, and stay in others", () => {
    const statement = disposalStatement("class A { [Symbol.dispose]() {} async [Symbol.asyncDispose]() {} }") ?? "";
    const lacking = "Symbol = Object.assign((name) => name, { for: (name) => `registered ${name}` });";
    assert.deepEqual(
      runInNewContext(`var ${lacking} ${statement}; [Symbol.dispose, Symbol.asyncDispose].join()`),
      "registered Symbol.dispose,registered Symbol.asyncDispose",
    );
    assert.equal(runInNewContext(`const before = Symbol.iterator; ${statement} Symbol.iterator === before`), true);
  });

  it("are in chunks whose code names them, and only there", async () => {
    assert.equal(disposalStatement("export const a = Symbol.iterator;"), undefined);
    await withTempApp(
      { "app.tsx": PAGE.replace("export const", "export default { Page }; export const"), "lock.ts": LOCK },
      async (app) => {
        const { manifest } = await buildApp({ root: app.root });
        const [name] = Object.values(manifest.chunks);
        const chunk = await app.read(path.join("dist/client/handler", `${name}.js`));
        assert.match(chunk, /^Symbol\.dispose\?\?=Symbol\.for\(.Symbol\.dispose.\)/);
        assert.doesNotMatch(chunk, /using lock/);
      },
    );
  });
});
