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
