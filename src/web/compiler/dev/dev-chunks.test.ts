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

/** Code of the chunk of view.tsx. */
async function chunkOf(files: Record<string, string>): Promise<string> {
  let code = "";
  await withTempApp(files, async ({ root }) => {
    const modules = newAppModules();
    modules.browser.set(path.join(root, "view.tsx"), "view.tsx");
    const chunks = new DevChunks(root, modules);
    code = (await chunks.code(chunks.names().get("view.tsx") ?? "")) ?? "";
  });
  return code.replace(/\/\/# source.*/, "");
}

/** A list of `<Row>`, which row.tsx exports. */
const LIST = `import { signal } from "svckit";
import { Row } from "./row.tsx";
export function List() {
  const texts = signal(["a"]);
  return <ul onClick={() => (texts.value = [])}>{texts.value.map((text) => <Row key={text} text={text} />)}</ul>;
}
`;

describe("a chunk of the development host", () => {
  it("contains the components that its rows create, and nothing of the server module", async () => {
    const code = await chunkOf({ "view.tsx": VIEW });
    assert.match(code, /New\(Row, \{/);
    assert.match(code, /export \{ _c, /);
    assert.doesNotMatch(code, /jsx-runtime|block\(/);
  });

  it("contains created components of other files, but not those that nothing creates", async () => {
    const code = await chunkOf({
      "view.tsx": LIST,
      "row.tsx": `import { Cell } from "./cell.tsx";
export const Row = (props) => <li><Cell {...props} /></li>;
export const Other = () => <li>other</li>;
`,
      "cell.tsx": 'export const Cell = ({ text = "none" }) => <b>{text}</b>;\n',
    });
    assert.match(code, /var Cell = /);
    assert.doesNotMatch(code, /other/);
  });

  it("can't contain a component that uses the server, however far inside", async () => {
    const files = {
      "view.tsx": LIST,
      "row.tsx": 'import { Cell } from "./cell.tsx";\nexport const Row = (props) => <li><Cell {...props} /></li>;\n',
      "cell.tsx": `import { createContext, useContext } from "svckit";
const Theme = createContext("light");
export function Cell(props) {
  const theme = useContext(Theme);
  return <b class={theme}>{props.text}</b>;
}
`,
    };
    await assert.rejects(chunkOf(files), { code: "SVC104", message: /cell\.tsx:4:\d+\n"useContext"/ });
  });
});
