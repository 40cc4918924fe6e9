import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SvcError } from "../../../platform/shared/errors.ts";
import { withTempApp } from "../temp-app.testkit.ts";
import { buildApp } from "./build.ts";

const APP = {
  "app.tsx": 'import "svckit"; import { A } from "./view.tsx"; export default A;',
  "view.tsx": `
    import { useUser } from "./hooks/index.ts";
    import { size } from "./size.ts";
    import { Line } from "./line.tsx";
    export function A() {
      const user = useUser();
      const { name } = user;
      return <p title={size(user.name)}>{size(name)}<Line text={user.name} /></p>;
    }`,
  "line.tsx":
    'import { size } from "./size.ts"; export const Line = (props: { text: string }) => <b>{size(props.text)}</b>;',
  "size.ts": 'import { statSync } from "node:fs"; export const size = (name: string) => statSync(name).size;',
  "hooks/index.ts": 'export { useUser } from "./user.ts";',
};
const PLAIN = 'import { isIP } from "node:net"; export const useUser = () => ({ name: String(isIP("")) });';
const STATE = 'import { shared } from "./shared.ts"; export function useUser() { return shared(); }';
const SHARED = 'import { store } from "svckit"; export const shared = () => store({ name: "Ada" });';

/** @returns the entries of the manifest, or the code of the error */
async function built(files: Record<string, string>): Promise<string[] | string> {
  let entries: string[] | string = [];
  await withTempApp({ ...APP, ...files }, async (app) => {
    entries = await buildApp({ root: app.root }).then(
      ({ manifest }) => Object.keys(manifest.chunks),
      (error: unknown) => (error instanceof SvcError ? error.code : String(error)),
    );
  });
  return entries;
}

describe("a component that shows the result of a hook", () => {
  it("needs no browser code if no module behind the hook has state, so it may use modules of the server", async () => {
    assert.deepEqual(await built({ "hooks/user.ts": PLAIN }), []);
  });

  it("is refused if it shows it by a module of the server, and a module behind the hook has state", async () => {
    assert.equal(await built({ "hooks/user.ts": STATE, "hooks/shared.ts": SHARED }), "SVC104");
  });

  it("has a browser module of its own if a module behind the hook has state", async () => {
    const files = { "hooks/user.ts": STATE, "hooks/shared.ts": SHARED, "size.ts": "export const size = String;" };
    assert.deepEqual(await built(files), ["line.tsx?svc-live", "view.tsx?svc-live"]);
  });
});

const CONTEXT = {
  "app.tsx": 'import { View } from "./provider.tsx"; import { A } from "./view.tsx"; export default () => [View, A];',
  "contexts.ts": 'import { createContext } from "svckit"; export const User = createContext({ name: "" });',
  "view.tsx": `
    import { useContext } from "svckit";
    import { User } from "./contexts.ts";
    import { size } from "./size.ts";
    import { Line } from "./line.tsx";
    export function A() {
      const user = useContext(User);
      const { name } = user;
      return <p title={size(user.name)}>{size(name)}<Line text={user.name} /></p>;
    }`,
};

function provider(value: string): string {
  return `import { store } from "svckit"; import { User as Person } from "./contexts.ts"; import { make } from "./make.ts";
    export const View = (props: { user: { name: string } }) => <Person.Provider value={${value}}><b /></Person.Provider>;`;
}

describe("a component that shows the value of a context", () => {
  const make = 'export const make = () => ({ name: "Ada" });';

  it("needs no browser code if no provider gives it state, so it may use modules of the server", async () => {
    for (const value of ['{ name: "Ada" }', "make()", "props.user"])
      assert.deepEqual(await built({ ...CONTEXT, "make.ts": make, "provider.tsx": provider(value) }), [], value);
  });

  it("is refused if it shows it by a module of the server, and a provider gives it state", async () => {
    for (const value of ['store({ name: "Ada" })', "make()"]) {
      const state = 'import { store } from "svckit"; export const make = () => store({ name: "Ada" });';
      assert.equal(await built({ ...CONTEXT, "make.ts": state, "provider.tsx": provider(value) }), "SVC104", value);
    }
  });

  it("has a browser module of its own if a provider in another file gives it state", async () => {
    const files = { "make.ts": make, "size.ts": "export const size = String;" };
    const entries = await built({ ...CONTEXT, ...files, "provider.tsx": provider('store({ name: "Ada" })') });
    assert.deepEqual(entries, ["line.tsx?svc-live", "provider.tsx?svc-live", "view.tsx?svc-live"]);
  });

  it("needs no browser module in an app whose components do not show that context", async () => {
    const view = 'import { Line } from "./line.tsx"; export const A = () => <Line text="x" />;';
    const state = { "make.ts": make, "provider.tsx": provider('store({ name: "Ada" })'), "view.tsx": view };
    assert.deepEqual(await built({ ...CONTEXT, ...state }), []);
  });
});
