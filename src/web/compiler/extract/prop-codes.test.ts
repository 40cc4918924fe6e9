import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { compileCreate } from "../compile.ts";

/** The create function of a component, without white space. */
const created = (text: string): string => compileCreate(text, "a.tsx").output.code.replaceAll(/\s+/g, " ");

describe("a created component reads destructured props from the props object", () => {
  it("with defaults, nested patterns and other names", () => {
    const code = created(
      "export const A = ({ text = one(), a: { b: deep } }) => <b title={deep}>{text}</b>; const one = () => 1;",
    );
    assert.match(code, /export const A = \(\$props\) =>/);
    assert.match(code, /\(\$props\.text === undefined \? \(one\(\)\) : \$props\.text\)/);
    assert.match(code, /\$props\.a\.b/);
    assert.match(code, /const one = \(\) => 1;/);
  });

  it("with defaults that name other props", () => {
    const code = created("export const A = ({ a, b = a, c = { b, own: (x) => x + a } }) => <b title={b}>{c}</b>;");
    const b = "($props.b === undefined ? ($props.a) : $props.b)";
    assert.ok(code.includes(`"title", () => ${b})`), code);
    assert.ok(code.includes(`($props.c === undefined ? ({ b: ${b}, own: (x) => x + $props.a }) : $props.c)`), code);
  });

  it("with a rest that keeps its getters", () => {
    const code = created(
      "export function A({ text, ...rest }) { return <b>{text}<B {...rest} /></b>; }\nconst B = () => <i />;",
    );
    assert.match(code, /function A\(\$props, \$props_rest = \$Z\(\$props, "text"\)\)/);
    assert.match(code, /\$Q\(\(\$props_rest\)\)/);
  });

  it("also in the body", () => {
    const code = created(
      "export function A(props) { const { text } = props; const title = props.title; return <b title={title}>{text}</b>; }",
    );
    assert.match(code, /\(\) => \(props\.text\)/);
    assert.match(code, /"title", \(\) => \(props\.title\)/);
  });

  it("with a rest in the body or in a nested pattern", () => {
    const code = created(
      "export function A(props) { const { text, ...rest } = props; return <b {...rest}>{text}</b>; }",
    );
    assert.match(code, /const \{ text, \} = props, rest = \$Z\(props, "text"\);/);
    const nested = created("export const A = ({ a: { text, ...rest } }) => <b {...rest}>{text}</b>;");
    assert.ok(nested.includes("(({ text, ...rest }) => rest)($props.a)"), nested);
  });

  it("in computeds and handlers of the body", () => {
    const code = created(
      "export function A({ text, count = 1, on }) { const label = computed(() => text + count); const act = () => on({ text }); return <b onClick={act}>{label.value}</b>; }",
    );
    assert.match(
      code,
      /computed\(\(\) => \$props\.text \+ \(\$props\.count === undefined \? \(1\) : \$props\.count\)\)/,
    );
    assert.match(code, /act = \(\) => \$props\.on\(\{ text: \$props\.text \}\)/);
  });
});
