import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { explainFile } from "../../web/compiler/build/explain.ts";
import { linesOf } from "./explain.ts";

const TODO = `import { computed, effect, For, signal, store } from "svckit";
import { format } from "./format.ts";

const UNIT = "items";

export function Todo(props: { by: number }) {
  const state = store({ list: [{ id: 1 }] });
  const text = signal("");
  const left = computed(() => state.list.length);
  effect(() => {
    text.value = String(left.value);
  });
  return (
    <main>
      <p>{format(left.value)} {UNIT} {text.value}</p>
      <ul><For each={state.list} by={(item) => item.id}>{(item) => <li>{item.id}</li>}</For></ul>
      <button onClick={() => state.list.push({ id: props.by })}>Add</button>
    </main>
  );
}

export const Footer = () => <footer>Made here</footer>;
`;

let root = "";

describe("svc explain", () => {
  before(() => {
    root = mkdtempSync(join(tmpdir(), "svc-explain-"));
    writeFileSync(join(root, "todo.tsx"), TODO);
    writeFileSync(join(root, "format.ts"), "export const format = (value: number): string => value.toFixed(0);\n");
  });
  after(() => rmSync(root, { recursive: true, force: true }));

  it("shows the browser code and its size for each component", async () => {
    const explanation = await explainFile(root, join(root, "todo.tsx"));
    const [first, ...lines] = linesOf(explanation, new Map([["store", 581]]));
    assert.match(first ?? "", /^todo\.tsx: chunk of \d+ B, \d+ B gzip$/);
    assert.deepEqual(lines, [
      "  includes     format from ./format.ts, UNIT of this file",
      "",
      "Todo, line 6: runs once on the server; in the browser only the parts below",
      "  <main>, line 14",
      "    handlers: click (line 17)",
      "    updates: effect (line 10), text (line 15), list (line 16), text (line 16)",
      "    computes again: left",
      "    parts: effect, region, store (581 B gzip)",
      "    captures:",
      "      state     store: one entry in the page for all that capture it",
      "      text      signal: one entry in the page for all that capture it",
      "      props.by  prop: a signal, store or ref as itself, all else by value; for handlers only",
      "",
      "Footer, line 22: runs on the server only",
    ]);
  });

  it("reports no cost for a file without browser code", async () => {
    writeFileSync(join(root, "still.tsx"), "export const Still = () => <p>still</p>;\n");
    const explanation = await explainFile(root, join(root, "still.tsx"));
    assert.deepEqual(linesOf(explanation, new Map()), [
      "still.tsx: nothing for the browser",
      "",
      "Still, line 1: runs on the server only",
    ]);
  });
});
