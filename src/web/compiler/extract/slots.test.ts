import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { compileError, render } from "../harness.testkit.ts";

const CARD =
  'function Card({ level }) { return <article><h2><Slot name="title">Untitled</Slot></h2><Slot>nothing</Slot><i>{level}</i></article>; }\n';

const page = (inside: string): Promise<string> =>
  render(`${CARD}export function A(p) { const n = signal(1); return <main>${inside}</main>; }`, { name: "Ada" });

describe("a slot", () => {
  it("shows the children that name it; the one without a name shows all others, in order", async () => {
    const html = await page('<Card level={1}>a <b slot="title">{p.name}</b><u>c</u><em slot="title">!</em> d</Card>');
    assert.equal(html, "<main><article><h2><b>Ada</b><em>!</em></h2>a <u>c</u> d<i>1</i></article></main>");
  });

  it("shows its own children if none, or no visible ones, were passed", async () => {
    assert.equal(await page("<Card level={2} />"), "<main><article><h2>Untitled</h2>nothing<i>2</i></article></main>");
    assert.equal(
      await page("<Card>{p.none}</Card>"),
      "<main><article><h2>Untitled</h2>nothing<i></i></article></main>",
    );
  });

  it("shows components, and reactive content of the caller", async () => {
    const html = await page(
      '<Card><Card slot="title" level={3}>in</Card><button onClick={() => n.value++}>{n.value}</button></Card>',
    );
    assert.match(
      html,
      /^<main><article><h2><article><h2>Untitled<\/h2>in<i>3<\/i><\/article><\/h2><button s="1 test-1" on:click="h0">1<\/button>/,
    );
  });

  it("works with every form of the component's parameter", async () => {
    const forms = [
      "function B() { return <p><Slot /></p>; }",
      "const B = () => <p><Slot /></p>;",
      "const B = (props) => <p>{props.x}<Slot /></p>;",
      "const B = ({ x = 1 }) => <p><Slot /></p>;",
      "function B<T>(props: { x?: T }) { return <p><Slot /></p>; }",
      "const B = props => <p><Slot /></p>;",
    ];
    for (const form of forms) {
      assert.equal(await render(`${form}\nexport const A = () => <B>in</B>;`), "<p>in</p>", form);
    }
  });

  it("belongs to the component whose JSX contains it, even if it is passed on", async () => {
    const text =
      'function Outer() { return <Inner><b slot="head"><Slot name="title" /></b><Slot /></Inner>; } function Inner() { return <p><Slot name="head" />:<Slot /></p>; }\n';
    const html = await render(`${text}export const A = () => <Outer><i slot="title">t</i>rest</Outer>;`);
    assert.equal(html, "<p><b><i>t</i></b>:rest</p>");
  });

  it("outside of a component, or in one with more parameters, is rejected", () => {
    assert.equal(compileError("export const a = () => <p><Slot /></p>;").code, "SVC109");
    assert.equal(compileError("export const A = (p, x) => <p><Slot /></p>;").code, "SVC109");
  });

  it("of a shadow tree keeps its attribute", async () => {
    assert.equal(
      await render('export const A = () => <my-card><b slot="title">x</b></my-card>;'),
      '<my-card><b slot="title">x</b></my-card>',
    );
    assert.equal(
      await render('export const A = () => <Dynamic is="my-card"><b slot="title">x</b></Dynamic>;'),
      '<my-card><b slot="title">x</b></my-card>',
    );
  });
});

describe("an island", () => {
  const island = (attributes: string): Promise<string> =>
    render(
      `export function A() { const n = signal(1); return <Island ${attributes}><p onClick={() => n.value++}>{n.value}</p></Island>; }`,
    );

  it("wakes its components at its event", async () => {
    assert.equal(await island('load="eager"'), '<p s="1 test-1" on:load="_" on:click="h0">1</p>');
    assert.equal(await island('load="visible"'), '<p s="1 test-1" on:visible="_" on:click="h0">1</p>');
    assert.equal(await island('load="idle"'), '<p s="1 test-1" on:idle="_" on:click="h0">1</p>');
    assert.equal(await island('load="interaction"'), '<p s="1 test-1" on:click="h0">1</p>');
    assert.equal(await island(""), '<p s="1 test-1" on:click="h0">1</p>');
  });

  it("keeps a component's own event, and the events of nested islands", async () => {
    const own = "export function A() { onVisible(() => 1); return <p>x</p>; }";
    assert.equal(
      await render(
        `${own.replace("A()", "B()")} export const C = () => <Island load="visible"><B /></Island>;`,
        {},
        "C",
      ),
      '<p s="1 test-1" on:visible="h0">x</p>',
    );
    const nested =
      'export function A() { return <Island load="idle"><Island load="visible"><p onClick={() => 1}>x</p></Island><b onClick={() => 1}>y</b></Island>; }';
    assert.equal(
      await render(nested),
      '<p s="1 test-1" on:visible="_" on:click="h0">x</p><b s="2 test-1" on:idle="_" on:click="h1">y</b>',
    );
  });

  it("rejects unknown moments", async () => {
    await assert.rejects(island('load="never"'), /unknown moment\. Use one of eager, visible, idle, interaction/);
  });
});
