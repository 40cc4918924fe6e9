import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { compileTsx } from "../harness.testkit.ts";

/** Whether the browser code of a component can show JSX that it is given in this prop. */
function mayBeJsx(param: string, declarations = ""): boolean {
  const text = `${declarations}
export const Card = (${param}) => { const open = signal(false); return <p hidden={open.value}>{open.value && <b>{p.x}</b>}</p>; };`;
  return /\$I\(/.test(compileTsx(text).client?.code ?? "");
}

describe("a prop in a branch", () => {
  it("may be JSX if its type is one of JSX", () => {
    for (const type of ["Child", "JSX.Element", "Child | string", "Child[]", "ReactNode"])
      assert.equal(mayBeJsx(`p: { x?: ${type} }`), true, type);
  });

  it("may be JSX if the file does not show its type", () => {
    assert.equal(mayBeJsx("p"), true);
    assert.equal(mayBeJsx("p: Props", 'import type { Props } from "./props.ts";'), true);
    assert.equal(mayBeJsx("p: Props & { y: string }", 'import type { Props } from "./props.ts";'), true);
  });

  it("is a text if its type says so", () => {
    for (const type of ["string", "number | null", '"a" | "b"', "(string | undefined)[]", "Size"])
      assert.equal(mayBeJsx(`p: { x?: ${type} }`, 'type Size = "s" | "m";'), false, type);
  });

  it("has the type of an interface, of its base, of a type and of parts of a type", () => {
    const declarations =
      "interface Base { x: string } interface Props extends Base { y: Child } type Both = Props & { z: Child };";
    for (const type of ["Base", "Props", "Both", "Readonly<Props>"])
      assert.equal(mayBeJsx(`p: ${type}`, declarations), false, type);
    assert.equal(mayBeJsx("p: Props", declarations.replace("x: string", "x: Child")), true);
  });
});
