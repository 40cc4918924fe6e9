import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { compileTsx } from "../harness.testkit.ts";

const imported = 'import { formats } from "./formats.ts";';

/** Browser code of a component that declares something and shows an expression. */
function browserCode(declaration: string, shown: string): string {
  const text = `${imported} export const A = (p) => { const n = signal(1); ${declaration} return <b>{${shown}}</b>; };`;
  return compileTsx(text).client?.code ?? "";
}

describe("a constant that chooses a function of a module", () => {
  it("is chosen in the browser too, if the browser calls it", () => {
    for (const declaration of [
      "const format = formats[p.kind];",
      "const format = formats.money;",
      "const format = p.isWide ? formats.wide : formats.narrow;",
      "const { format } = formats;",
    ])
      assert.match(
        browserCode(declaration, "format(n.value)"),
        /const \$_format = \(\$\) => \(formats|const \$_format = \(\$\) => \(\$\[/,
        declaration,
      );
  });

  it("is a value of the server if the browser only shows it", () => {
    assert.doesNotMatch(browserCode("const text = formats[p.kind];", "n.value + text"), /formats/);
  });

  it("is a value of the server if code of the component makes it", () => {
    assert.doesNotMatch(browserCode("const format = p.formats[p.kind];", "format(n.value)"), /_format/);
  });
});
