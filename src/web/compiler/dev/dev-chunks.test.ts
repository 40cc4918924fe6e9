import assert from "node:assert/strict";
import path from "node:path";
import { describe, it } from "node:test";
import { newAppModules } from "../plugin.ts";
import { withTempApp } from "../temp-app.testkit.ts";
import { DevChunks } from "./dev-chunks.ts";

const VIEW = `import { signal } from "svckit";
export const LABELS = ["a"];
export const Row = (props) => <li onClick={() => props.onPick(props.text)}>{props.text}</li>;
export function List() {
  const texts = signal(LABELS);
  return <ul>{texts.value.map((text) => <Row key={text} text={text} onPick={(picked) => (texts.value = [picked])} />)}</ul>;
}
`;

describe("a chunk of the development host", () => {
  it("contains the components that its rows create, and nothing of the server module", async () => {
    await withTempApp({ "view.tsx": VIEW }, async ({ root }) => {
      const modules = newAppModules();
      const file = path.join(root, "view.tsx");
      modules.browser.set(file, "view.tsx");
      const chunks = new DevChunks(root, modules);
      const code = (await chunks.code(chunks.names().get("view.tsx") ?? "")) ?? "";
      assert.match(code, /New\(Row, \{/);
      assert.match(code, /export \{ _c, /);
      assert.doesNotMatch(code.replace(/\/\/# source.*/, ""), /jsx-runtime|block\(/);
    });
  });
});
