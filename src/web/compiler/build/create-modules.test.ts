import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { devChunkOf } from "../temp-app.testkit.ts";

/** A list of `<Row>` of a module. */
const listOf = (from: string, clause = "{ Row }"): string => `import { signal } from "svckit";
import ${clause} from "${from}";
export function List() {
  const texts = signal(["a"]);
  return <ul onClick={() => (texts.value = [])}>{texts.value.map((text) => <Row key={text} text={text} />)}</ul>;
}
`;

const ROW = 'import { Cell } from "./cell.tsx";\nexport const Row = (props) => <li><Cell {...props} /></li>;\n';
const SERVER_CELL = `import { currentContext } from "svckit";

export function Cell(props) {
  const { path } = currentContext();
  return <b class={path}>{props.text}</b>;
}
`;

describe("a component that the browser creates", () => {
  it("comes with those inside it from other files, and without those that nothing creates", async () => {
    const code = await devChunkOf({
      "view.tsx": listOf("./row.tsx"),
      "row.tsx": `${ROW}export const Other = () => <li>other</li>;\n`,
      "cell.tsx": 'export const Cell = ({ text = "none" }) => <b>{text}</b>;\n',
    });
    assert.match(code, /var Cell = /);
    assert.doesNotMatch(code, /other/);
  });

  it("may be exported by other files, which need not contain JSX", async () => {
    const code = await devChunkOf({
      "view.tsx": listOf("./ui.ts"),
      "ui.ts": 'export * from "./all.ts";\nexport const other = 1;\n',
      "all.ts": 'import Line from "./row.tsx";\nexport { Line as Row };\n',
      "row.tsx": "const Row = (props) => <li>{props.text}</li>;\nexport default Row;\n",
    });
    assert.match(code, /"<li> <\/li>"/);
    assert.doesNotMatch(code, /\$made|svckit\/jsx-runtime/);
  });

  it("that other files export can't use the server either", async () => {
    const files = {
      "view.tsx": listOf("./ui.ts"),
      "ui.ts": 'export * from "./row.tsx";\n',
      "row.tsx": ROW,
      "cell.tsx": SERVER_CELL,
    };
    await assert.rejects(devChunkOf(files), { code: "SVC104", message: /cell\.tsx:4:\d+\n"currentContext"/ });
  });

  it("can't use the server, however far inside, and the message says why the browser needs it", async () => {
    const files = { "view.tsx": listOf("./row.tsx"), "row.tsx": ROW, "cell.tsx": SERVER_CELL };
    await assert.rejects(devChunkOf(files), {
      code: "SVC104",
      message:
        /cell\.tsx:4:\d+\n"currentContext"[^]*because view\.tsx, inside <Row> of row\.tsx, shows <Cell> in a row or branch that may change\./,
    });
  });

  it("is named as its import in the message if it is a default export", async () => {
    const files = {
      "view.tsx": listOf("./row.tsx", "Row"),
      "row.tsx": SERVER_CELL.replace("export function Cell", "export default function"),
    };
    await assert.rejects(devChunkOf(files), { code: "SVC104", message: /because view\.tsx, shows <Row> in/ });
  });

  it("can't come from a module of the server", async () => {
    const files = {
      "view.tsx": listOf("./row.server.tsx"),
      "row.server.tsx": "export const Row = () => <li>secret</li>;",
    };
    await assert.rejects(devChunkOf(files), { code: "SVC104", message: /view\.tsx -> \.\/row\.server\.tsx/ });
  });
});
