import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { browser, browserBody, compileError, render, serverHead, signal } from "../harness.testkit.ts";

const bound = (field: string, declared = 'const s = signal("x");'): string =>
  `export function A(p) { ${declared} return <form>${field}</form>; }`;

describe("a bound field on the server", () => {
  const html = async (field: string, declared?: string): Promise<string> =>
    /<form[^>]*>(.*)<\/form>/s.exec(await render(bound(field, declared)))?.[1] ?? "";

  it("has the value of its signal, as an attribute or as content", async () => {
    assert.equal(
      await html("<input bind:value={s} />", "const s = signal('a\"b');"),
      '<input value="a&quot;b" on:input="h0">',
    );
    assert.equal(
      await html("<textarea bind:value={s} />", "const s = signal('<b>');"),
      '<textarea on:input="h0">\n&lt;b></textarea>',
    );
    assert.equal(
      await html('<input type="checkbox" bind:checked={s} />', "const s = signal(true);"),
      '<input type="checkbox" checked on:input="h0">',
    );
    assert.equal(
      await html('<input type="file" bind:files={s} />', "const s = signal(null);"),
      '<input type="file" on:input="h0">',
    );
  });

  it("is checked if its group's value equals or contains its own", async () => {
    const radios = '<input type="radio" value="x" bind:group={s} /><input type="radio" bind:group={s} value={"y"} />';
    assert.equal(
      await html(radios),
      '<input type="radio" value="x" checked on:input="h0"><input type="radio" on:input="h1" value="y">',
    );
    assert.match(
      await html(radios, 'const s = signal(["y", "z"]);'),
      /value="x" on:input="h0"><input type="radio" checked/,
    );
    assert.match(await html('<input type="checkbox" bind:group={s} />', 'const s = signal(["on"]);'), / checked/);
  });

  it("marks its options, even those of other components", async () => {
    const component = "const O = (p) => <option value={p.v}>{p.v}</option>;";
    const select =
      "<select bind:value={s}><option>a b</option>{p.all.map((v) => <option value={v}>{v}</option>)}<O v='o' /></select>";
    const page = async (value: string): Promise<string> =>
      (
        await render(component + bound(select, `const s = signal(${JSON.stringify(value)});`), { all: ["<1>", "2"] })
      ).replaceAll(/<!.*?-->/g, "");
    const options = async (value: string): Promise<string[]> => (await page(value)).match(/<option.*?>/g) ?? [];
    assert.deepEqual(await options("a b"), [
      "<option selected>",
      '<option value="&lt;1>',
      '<option value="2">',
      '<option value="o">',
    ]);
    assert.match(await page("<1>"), /<option selected value="&lt;1>">/);
    assert.match(await page("o"), /<option selected value="o">/);
    assert.doesNotMatch(await page("none"), /selected/);
  });

  it("reports a target that is not a signal", async () => {
    await assert.rejects(render(bound("<input bind:value={p.text} />"), { text: "x" }), {
      code: "SVC110",
      message: /string/,
    });
  });

  it("renders a member of a prop, which may have a signal", async () => {
    const field = bound("<input bind:value={p.form.name} />");
    assert.match(await render(field, { form: { name: "Ada" } }), /value="Ada"/);
    assert.match(await render(field, { form: { name: signal("Ada") } }), /value="Ada"/);
  });

  it("renders the state of a member that has a signal, in each kind of field", async () => {
    const rows = (field: string): string => bound(`{p.rows.map((r) => <b>${field}</b>)}`);
    const html = (field: string, v: unknown): Promise<string> => render(rows(field), { rows: [{ v: signal(v) }] });
    assert.doesNotMatch(await html('<input type="checkbox" bind:checked={r.v} />', false), /checked/);
    assert.match(await html('<input type="radio" value="a" bind:group={r.v} />', "a"), / checked/);
    assert.match(await html("<select bind:value={r.v}><option>a</option></select>", "a"), /<option selected>/);
    assert.match(await html("<textarea bind:value={r.v} />", "a"), />\na</);
  });
});

describe("a <select> with a value", () => {
  const select = (value: string, options = "<option>a</option><option>b</option>"): string =>
    `export function A(p) { const s = signal("b"); return <p><select ${value}>${options}</select></p>; }`;

  it("marks the option on the server", async () => {
    for (const value of ["value={s.value}", 'value="b"', "value={p.town}"])
      assert.match(await render(select(value), { town: "b" }), /<option>a<\/option><option selected>b</, value);
  });

  it("is set in the browser after its options, and only if its value can change", async () => {
    const rows = select("value={s.value}", "{s.value.split('').map((x) => <option key={x}>{x}</option>)}");
    assert.match(browserBody(rows), /\$For\([^]*\$P\(\$n0, "value", \(\) => \$\[0\]\.value\);/);
    assert.equal(browserBody(select('value="b"')), "");
  });

  it("chooses one option: a list of values is refused", () => {
    assert.throws(() => browserBody(select("multiple value={s.value}")), { code: "SVC109", message: /bind:value/ });
  });
});

describe("a bound field in the browser", () => {
  it("is bound to a signal, a signal's value, a prop, or a field of a store", async () => {
    const written = async (target: string, declared: string, slot: unknown): Promise<string[]> =>
      (await browser(bound(`<input bind:value={${target}} />`, declared))).bind("b0", [slot]);
    const expected = ['root.children[0] bind:value: "x"', 'root.children[0] kept: "kept"', "keeps what was touched"];
    assert.deepEqual(await written("s", 'const s = signal("x");', signal("x")), expected);
    assert.deepEqual(await written("s.value", 'const s = signal("x");', signal("x")), expected);
    assert.deepEqual(await written("p.s", "", signal("x")), expected);
    assert.deepEqual(await written("p.s.value", "", signal("x")), expected);
    assert.deepEqual(await written("s", "const { s } = p;", signal("x")), expected);
    assert.deepEqual(await written("p.s.name", "", { name: "x" }), expected);
    assert.deepEqual(await written("f.value", "const f = useField();", { value: "x" }), expected);
    assert.deepEqual(await written("f.values.a", "const f = useForm();", { values: { a: "x" } }), expected);
    assert.deepEqual(await written("values.a", "const { values } = useForm();", { a: "x" }), expected);
    assert.deepEqual(await written("values.a", "const f = useForm(); const { values } = f;", { a: "x" }), expected);
    assert.deepEqual(await written("s.name", 'const s = store({ name: "x" });', { name: "x" }), expected);
    assert.deepEqual(
      await written("s.all[0].name", 'const s = store({ all: [{ name: "x" }] });', { all: [{ name: "x" }] }),
      expected,
    );
  });

  it("is read before its own handler runs", () => {
    assert.match(
      browserBody(bound("<input bind:value={s} onInput={(e, el) => log(s.value, el)} />")),
      /export const h0 = \(\$, \$e, \$el\) => \{\n\$keep\(\$el\);\nreturn \(\(e, el\) => log\(\$\[0\]\.value, el\)\)\(\$e, \$el\);\n\};/,
    );
    assert.match(browserBody(bound("<input bind:value={s} />")), /h0 = \(\$, \$e, \$el\) => \{\n\$keep\(\$el\);\n\};/);
  });

  it("makes the page listen to input events and fetch the part", () => {
    assert.match(serverHead(bound("<input bind:value={s} />")), /\["input"\], \["form"\]/);
  });

  it("is bound after its options, and in rows when the scope wakes", async () => {
    const rows = "<ul>{s.map((row) => <li><select bind:value={row.v}><option>x</option></select></li>)}</ul>";
    const text = bound(rows, 'const s = store([{ v: "x" }]);');
    const module = await browser(text);
    assert.deepEqual(module.bind("b0", [[{ v: "x" }]]).slice(1, 2), [
      'row [object Object].children[0] bind:value: "x"',
    ]);
    assert.match(browserBody(text), /, \$raw, 1\);/);
  });
});

describe("an invalid binding", () => {
  const cases: [name: string, field: string, declared?: string][] = [
    ["text", '<input bind:value="x" />'],
    ["an expression", "<input bind:value={s.value + 1} />"],
    ["a computed", "<input bind:value={c} />", "const c = computed(() => 1);"],
    ["props", "<input bind:value={p} />"],
    ["a member of a plain object", "<input bind:value={o.a} />", "const o = { a: 1 };"],
    ["an optional chain", "<input bind:value={p?.s} />"],
    ["another property", "<input bind:title={s} />"],
    ["another element", "<p bind:value={s} />"],
    ["one field twice", "<input bind:value={s} bind:checked={s} />"],
    ["a component", "<B bind:value={s} />"],
  ];
  for (const [name, field, declared] of cases) {
    it(`is ${name}`, () => assert.equal(compileError(bound(field, declared)).code, "SVC110"));
  }
});
