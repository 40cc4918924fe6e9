import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { Fault } from "../shared/fault.ts";
import { faultOf } from "./dev-fault.ts";

let root = "";

const told = (message: string): Fault =>
  faultOf("server", { name: "SVC200", message, stack: "" }, root, () => undefined);

describe("what the server tells of a page", () => {
  before(() => {
    root = mkdtempSync(join(tmpdir(), "svc-fault-"));
    mkdirSync(join(root, "pages"));
    writeFileSync(
      join(root, "pages/home.tsx"),
      "const Other = () => <div>x</div>;\n\nexport function Home(props) {\n  return <div>{props.user}</div>;\n}\n",
    );
  });
  after(() => rmSync(root, { recursive: true, force: true }));

  it("has the place it names, with a frame", () => {
    const { code, message, place, frame } = told("SVC202 pages/home.tsx:4:10\nItems 0 and 1 …");
    assert.deepEqual(
      [code, message, place],
      ["SVC202", "Items 0 and 1 …", { file: "pages/home.tsx", line: 4, column: 10 }],
    );
    assert.match(frame ?? "", /> 4 \|   return <div>/);
  });

  it("is found by the source of a value in its component", () => {
    const { message, place } = told('SVC201 pages/home.tsx: "props.user" of Home\nIt can\'t travel.');
    assert.deepEqual(place, { file: "pages/home.tsx", line: 4, column: 16 });
    assert.equal(message, '"props.user" of Home: It can\'t travel.');
  });

  it("is found by the component alone, in whichever file that is", () => {
    const { message, place } = told('SVC203 "<div" of Home\n<div> can\'t stand there.');
    assert.deepEqual(place, { file: "pages/home.tsx", line: 4, column: 10 });
    assert.equal(message, "<div> of Home: <div> can't stand there.");
    assert.equal(told('SVC203 "<div" of Nobody\nx').place, undefined);
  });
});
