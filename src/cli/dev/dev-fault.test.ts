import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { DevFault } from "../../platform/shared/dev-fault.ts";
import { diagnostic } from "../../web/compiler/diagnostics.ts";
import { compile } from "../../web/compiler/compile.ts";
import { parse } from "../../web/compiler/parse/parse.ts";
import { faultOf, thrownOf } from "./dev-fault.ts";
import { errorWithSource } from "../error-with-source.ts";

let root = "";

const printed = (message: string): DevFault =>
  faultOf("server", { name: "SVC200", message, stack: "" }, root, () => undefined);

const caught = (run: () => unknown): unknown => {
  try {
    return run();
  } catch (error) {
    return error;
  }
};

describe("A fault from the compiler", () => {
  it("has the position and code frame of a syntax error", () => {
    const text = "export default function Home() {\n  return <h1>Library</h2>;\n}\n";
    const error = caught(() => parse({ path: "pages/home.tsx", text }));
    const { kind, code, message, place, frame } = faultOf("server", thrownOf(error), root, () => undefined);
    assert.deepEqual([kind, code, place?.file, place?.line], ["compile", "SVC_INVALID", "pages/home.tsx", 2]);
    assert.match(message, /^Expected corresponding JSX closing tag for 'h1'/);
    assert.match(frame ?? "", /^  1 \| export default[^\n]*\n> 2 \|   return <h1>Library<\/h2>;/);
  });

  it("has a frame of source code only, without the reference to docs/errors.md", () => {
    const text = "export default function Home() {\n  return <p>Library</p>;\n}\n";
    const span = { start: text.indexOf("<p>"), end: text.indexOf("<p>") + 3 };
    const error = diagnostic({ path: "pages/home.tsx", text }, "SVC108", span, "No paragraphs.");
    assert.match(error.message, /\n\nSee SVC108 [^\n]+ in docs\/errors\.md\.$/);
    const { code, message, frame } = faultOf("server", thrownOf(error), root, () => undefined);
    assert.deepEqual([code, message], ["SVC108", "No paragraphs."]);
    assert.equal(frame?.split("\n").at(-1), "  4 |");
  });
});

describe("A fault from a file with several errors", () => {
  it("has them all, each with its position and code frame", () => {
    const text = "export default function Home() {\n  return <p className={1} onclick={f}>Library</p>;\n}\n";
    const error = caught(() => compile(text, "pages/home.tsx"));
    const { code, name, others = [], frame } = faultOf("server", thrownOf(error), root, () => undefined);
    assert.deepEqual(
      [code, ...others.map((other) => `${other.code} ${other.place?.line}:${other.place?.column}`)],
      ["SVC118", "SVC103 2:27"],
    );
    assert.deepEqual([name, others[0]?.name], ["property-attribute", "invalid-handler"]);
    for (const each of [frame, others[0]?.frame]) assert.equal(each?.split("\n").at(-1), "  4 |");
  });
});

describe("A fault of code that runs on the server", () => {
  it("explains a name that only browsers have", () => {
    const thrown = { name: "ReferenceError", message: "window is not defined", stack: "" };
    const { message } = faultOf("server", thrown, root, () => undefined);
    assert.match(message, /^window is not defined\. It exists only in the browser, .* in onLoad\(\(\) => …\)\.$/);
    const other = { name: "ReferenceError", message: "windw is not defined", stack: "" };
    assert.equal(faultOf("server", other, root, () => undefined).message, "windw is not defined");
    assert.equal(faultOf("browser", thrown, root, () => undefined).message, "window is not defined");
  });
});

describe("A fault from rendering", () => {
  before(() => {
    root = mkdtempSync(join(tmpdir(), "svc-fault-"));
    mkdirSync(join(root, "pages"));
    writeFileSync(
      join(root, "pages/home.tsx"),
      "const Other = () => <div>x</div>;\n\nexport function Home(props) {\n  return <div>{props.user}</div>;\n}\n",
    );
  });
  after(() => rmSync(root, { recursive: true, force: true }));

  it("has the position that the error names, with a code frame", () => {
    const { code, message, place, frame } = printed("SVC202 pages/home.tsx:4:10\nItems 0 and 1 …");
    assert.deepEqual(
      [code, message, place],
      ["SVC202", "Items 0 and 1 …", { file: "pages/home.tsx", line: 4, column: 10 }],
    );
    assert.match(frame ?? "", /> 4 \|   return <div>/);
  });

  it("has the position of the failing value in its component", () => {
    const { message, place } = printed('SVC201 pages/home.tsx: "props.user" of Home\nIt can\'t travel.');
    assert.deepEqual(place, { file: "pages/home.tsx", line: 4, column: 16 });
    assert.equal(message, '"props.user" of Home: It can\'t travel.');
  });

  it("has the position of the component, in any file, if nothing else is known", () => {
    const { message, place } = printed('SVC203 "<div" of Home\n<div> is not allowed there.');
    assert.deepEqual(place, { file: "pages/home.tsx", line: 4, column: 10 });
    assert.equal(message, "<div> of Home: <div> is not allowed there.");
    assert.equal(printed('SVC203 "<div" of Nobody\nx').place, undefined);
  });
});

describe("a fault in the exports of a page", () => {
  it("has its position in that module, not in the app module", () => {
    const folder = mkdtempSync(join(tmpdir(), "svc-fault-"));
    mkdirSync(join(folder, "pages"));
    writeFileSync(join(folder, "pages/about.tsx"), "// About\nexport default 5;\n");
    const message = "pages/about.tsx must have a function as its default export; it has number";
    const stack = `SvcError: ${message}\n    at Object.<anonymous> (${join(folder, "app.tsx")}:1:1)`;
    const error = Object.assign(new Error(message), { name: "SvcError", code: "SVC_DEFINITION", stack });
    assert.equal(
      errorWithSource(error, folder),
      `SVC_DEFINITION pages/about.tsx:2:1\n${message}\n\n  1 | // About\n> 2 | export default 5;\n    | ^^^^^^\n  3 |`,
    );
    rmSync(folder, { recursive: true });
  });
});
