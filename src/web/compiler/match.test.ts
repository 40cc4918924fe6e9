import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { browser, browserBody, compileError, render, signal } from "./harness.testkit.ts";

const CASES =
  "<Match><Case when={M === 1}><b>one</b></Case><Case when={M === 2}><i>{M}</i></Case>{/* else */}<Case><u>other</u></Case></Match>";
const live = `export function A(p) { const n = signal(p.n); return <p>{"x"}${CASES.replaceAll("M", "n.value").replaceAll("n.valueatch", "Match")}</p>; }`;

describe("<Match>", () => {
  it("renders the first matching case, as a region if it may change", async () => {
    const html = async (n: number): Promise<string> => (await render(live, { n })).replace(/ s="[^"]*"/, "");
    assert.equal(await html(1), "<p>x<b>one</b><!--1--></p>");
    assert.equal(await html(2), "<p>x<i>2</i><!--1--></p>");
    assert.equal(await html(3), "<p>x<u>other</u><!--1--></p>");
    assert.match(browserBody(live), /\(\$\[0\]\.value === 1\) \? 0 : \(\$\[0\]\.value === 2\) \? 1 : 2/);
    const module = await browser(live);
    assert.match(module.bind("b0", [signal(2)]).join(), /branch 1 of 3/);
    assert.match(module.bind("b0", [signal(9)]).join(), /branch 2 of 3/);
  });

  it("renders nothing if no case matches", async () => {
    const text =
      "export function A(p) { const n = signal(p.n); return <p><Match><Case when={n.value}><b>x</b></Case></Match></p>; }";
    assert.match(await render(text, { n: 0 }), /><!--1--><\/p>$/);
  });

  it("may contain anything if it never changes, including components", async () => {
    const text = `const B = (p) => <b>{p.x}</b>;
      export function A(p) { return <><Match><Case when={p.n === 1}>text <B x="1" /></Case><Case><i>a</i><i>b</i></Case></Match></>; }`;
    assert.equal(await render(text, { n: 1 }), "text <b>1</b>");
    assert.equal(await render(text, { n: 2 }), "<i>a</i><i>b</i>");
  });

  it("may contain only cases, with the one without a condition last", () => {
    const refused = (inner: string): string => compileError(`export const A = (p) => <p>${inner}</p>;`).code;
    assert.equal(refused("<Match><b>x</b></Match>"), "SVC109");
    assert.equal(refused("<Match><Case><b>x</b></Case><Case when={p.n}><b>y</b></Case></Match>"), "SVC109");
    assert.equal(refused("<Case when={p.n}><b>x</b></Case>"), "SVC109");
  });
});
