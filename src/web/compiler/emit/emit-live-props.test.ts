import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { compileError, compileTsx, render, stateOf } from "../harness.testkit.ts";
import { liveNames } from "./passed-props.ts";

const LABEL =
  "function Label(props) { return <p title={props.text}>{props.icon} {props.text} <b>{props.other}</b></p>; }\n";

/** The browser module for live props. */
function liveCode(text: string): string {
  return compileTsx(text).live?.output.code ?? "";
}

describe("a component with a live prop", () => {
  it("has a scope, and ranges where it shows the prop", async () => {
    const text = `${LABEL}export function A() { const n = signal(1); return <Label text={\`\${n.value} items\`} other="x" />; }`;
    assert.equal(
      await render(text),
      '<p s="1 live-1 create effect prop region fn" title="1 items"> <!--[-->1 items<!--]--><!--p2--> <b>x</b></p>',
    );
  });

  it("has neither without live props", async () => {
    const text = `${LABEL}export const A = () => <Label text="two" other="x" />;`;
    assert.equal(await render(text), '<p title="two"> two <b>x</b></p>');
  });

  it("keeps the chunk of its file as it is", () => {
    const own =
      "export function B(props) { const n = signal(1); return <p onClick={() => n.value++}>{n.value} <b>{props.text}</b></p>; }";
    const other = own.replace("props.text", '"text"');
    assert.equal(
      compileTsx(own).client?.code.replaceAll(/\s+/g, " "),
      compileTsx(other).client?.code.replaceAll(/\s+/g, " "),
    );
    assert.match(liveCode(own), /\$L\(\$, \$r, "b0"\);/);
  });

  it("may pass the prop on, alone, in an expression or in a spread", async () => {
    for (const pass of ['text={props.text} other=""', 'text={props.text + "!"} other=""', '{...props} other=""']) {
      const text = `${LABEL}function Middle(props) { return <Label ${pass} />; }
        export function A() { const n = signal(1); return <Middle text={n.value} />; }`;
      assert.match(await render(text), /<!--\[-->1!?<!--\]-->/, pass);
    }
    const fixed = `${LABEL}function Middle(props) { return <Label {...props} text="fixed" other="" />; }
      export function A() { const n = signal(1); return <Middle text={n.value} />; }`;
    assert.equal(await render(fixed), '<p title="fixed"> fixed <b></b></p>');
  });

  it("keeps the rows of a list as ranges, which follow their items", async () => {
    const text = `function List({ items }) { return <ul>{items.map((item) => <li key={item.id}>{item.text}</li>)}</ul>; }
      export function A() { const items = store([{ id: 1, text: "a" }]); return <List items={items} />; }`;
    const [list, row] = ['s="1 live-1 create effect prop region store"', 's="2 live-1 create effect prop region"'];
    assert.equal(
      await render(text),
      `<ul ${list}><!--[--><li ${row}><!--[-->a<!--]--><!--p0--></li><!--]--><!--p0--></ul>`,
    );
    assert.match(liveCode(text), /\$For\(\$Rows\(\$r, "p0"\), 0, \(\) => \$\[1\], \(item\) => item\.id, \$N, .*?\$W\(/);
  });

  it("makes a row anew when a value changes that the row takes", () => {
    const code = liveCode(
      "export const List = ({ items }) => <ul>{items.map(({ user: { name } }, at) => <li onClick={() => go(at)}>{name.length}</li>)}</ul>;",
    );
    assert.match(code, /\(\) => \[\$\.n\.value, \{ \.\.\.\$\.i\.value\.user\.name\?\.length \}\]/);
  });

  it("may take it apart, with defaults, rests and constants made from it", async () => {
    const text = `function Label({ text: shown = "none", ...rest }) { const loud = shown.toUpperCase(); return <p><i>{shown}</i><b>{loud}</b><u>{rest.note}</u></p>; }
      export function A() { const n = signal("a"); return <Label text={n.value || undefined} note={n.value} />; }`;
    assert.match(
      await render(text),
      /<i><!--\[-->a<!--\]--><!--p0--><\/i><b><!--\[-->A<!--\]--><!--p0--><\/b><u><!--\[-->a<!--\]--><!--p0--><\/u>/,
    );
    assert.match(liveCode(text), /\$\[0\] === undefined \? \("none"\) : \$\[0\]/);
    assert.match(liveCode(text), /\$D\(\(\) => \(\$\[0\]\.toUpperCase\(\)\)\)/);
  });

  it("keeps state that is created from it", () => {
    const text = "export function B(props) { const draft = signal(props.text); return <p><b>{draft.value}</b></p>; }";
    assert.equal(liveCode(text), "");
  });
});

describe("children of a component that change outside of elements", () => {
  const card = "function Card(props) { return <div>{props.children}</div>; }\n";

  it("are parts of their own, between elements that stay", async () => {
    const text = `${card}export function A() { const n = signal(1); return <Card>{n.value} items <input />{n.value > 1 && <b>many</b>}</Card>; }`;
    assert.match(
      await render(text),
      /^<div s="[^"]*"><!--\[--><!--\[-->1<!--\]--><!--c0--> items <input><!--\[--><!--\]--><!--c1--><!--\]--><!--p0--><\/div>$/,
    );
    assert.match(liveCode(text), /return \$S\(\(\) => \(\$\[0\]\.value\), /);
  });

  it("have a scope of their own in components of the framework", async () => {
    const text = "export function A() { const n = signal(1); return <Island on='load'>{n.value} items</Island>; }";
    assert.match(await render(text), /<!--\[-->1<!--\]--><template s="1 [^"]*"[^>]*><\/template> items/);
  });
});

describe("a spread of props on an element", () => {
  const button = "function Button({ kind, ...rest }) { return <button class={kind} {...rest}>x</button>; }\n";

  it("passes handlers and live props on, and writes the others once", async () => {
    const text = `${button}export function A() { const n = signal(1); return <Button kind="k" id="i" title={n.value} onClick={() => n.value++} onPick={1} />; }`;
    assert.match(
      await render(text),
      /^<button s="1 live-1 [^"]*" class="k" id="i" title="1" on:click="_c">x<\/button>$/,
    );
    assert.match(liveCode(text), /if \(\$\[2\]\) \$Spread\(\$r, \(\) => \$\[2\], \[\]\);/);
  });

  it("needs no scope for other props", async () => {
    assert.equal(
      await render(`${button}export const A = () => <Button kind="k" id="i" />;`),
      '<button class="k" id="i">x</button>',
    );
  });
});

describe("content in no element of its component", () => {
  it("has a scope of its own if it reads a signal", async () => {
    const shown = ["<>{n.value}!</>", "<>{n.value && <b>x</b>}</>", "n.value ? <b>x</b> : <i>y</i>", "n.value"];
    for (const content of shown) {
      const text = `export function A() { const n = signal(1); return ${content}; }`;
      assert.match(
        await render(text),
        /^<!--\[-->(?:1|<b>x<\/b>)<!--\]--><template s="1 [^"]*"><\/template>!?$/,
        content,
      );
    }
  });

  it("has a scope in instances with live props alone", async () => {
    const component = `function Label(props) { return props.text ? <b>{props.text}</b> : "none"; }\n`;
    const live = `${component}export function A() { const n = signal(1); return <Label text={n.value} />; }`;
    assert.match(
      await render(live),
      /^<!--\[--><b s="2 [^"]*"><!--\[-->1<!--\]--><!--p0--><\/b><!--\]--><template s="1 /,
    );
    assert.equal(await render(`${component}export const A = () => <Label text="x" />;`), "<b>x</b>");
  });

  it("may be chosen by early returns", async () => {
    const component = `function Label(props) {
      if (!props.text) return null;
      const loud = props.text.toUpperCase();
      return <b>{loud}</b>;
    }\n`;
    const live = `${component}export function A() { const n = signal(""); return <Label text={n.value} />; }`;
    assert.equal((await render(live)).replace(/ s="[^"]*"/, ""), "<!--[--><!--]--><template></template>");
    assert.match(liveCode(live), /!\$\[0\]\)* \? null : \$v0/);
  });

  it("follows the condition of a <Show>", async () => {
    const text = `function Label(props) { return <><Show when={props.text} fallback={<i>none</i>}><b>{props.text}</b></Show></>; }
      export function A() { const n = signal(""); return <Label text={n.value} />; }`;
    assert.match(await render(text, {}, "A", { isDevelopment: true }), /^<!--\[--><i>none<\/i><!--\]--><template s=/);
  });

  it("refuses props that change if its branches read what only one return declares", async () => {
    const text = `function Label(props) {
      if (!props.text) return null;
      const clicks = signal(props.text.length);
      return <b onClick={() => clicks.value++}>{clicks.value}</b>;
    }
    const Labels = [Label];\n`;
    const live = "export function A() { const n = signal(''); return <Label text={n.value} />; }";
    assert.equal(compileError(text + live).code, "SVC121");
    assert.equal(
      await render(`${text}export const A = () => <Label text="x" />;`),
      '<b s="1 test-1" on:click="h0">1</b>',
    );
    // The compiler does not see which component it is.
    const chosen = live.replace("return", "const Chosen = Labels[0]; return").replace("<Label", "<Chosen");
    assert.equal(await render(text + chosen), "");
    await assert.rejects(render(text + chosen, {}, "A", { isDevelopment: true }), /SVC205/);
  });
});

describe("a value of a name that may be a signal", () => {
  const text = (value: string): string => `${LABEL}const made = () => ({ value: 1 });
    export function A() { const n = ${value}; return <Label text={n.value} other="" />; }`;

  it("is a live prop if it is one when the page is rendered", async () => {
    assert.match(await render(text("((x) => x)(signal(1))")), /<!--\[-->1<!--\]-->/);
    assert.doesNotMatch(await render(text("made()")), /<!--\[-->/);
  });
});

describe("the props that an app passes", () => {
  it("are those that change in any case, and those made from them", () => {
    const files = [
      [
        { name: "text", from: "" },
        { name: "note", from: "title" },
      ],
      [
        { name: "title", from: "label text" },
        { name: "unused", from: "other" },
      ],
    ];
    assert.deepEqual([...liveNames(files)].sort(), ["note", "text", "title"]);
  });

  it("decide which bindings a build contains", () => {
    const code = (wanted: string): string =>
      compileTsx(LABEL, { liveNames: new Set([wanted]) }).live?.output.code ?? "";
    assert.match(code("text"), /"title"/);
    assert.doesNotMatch(code("other"), /"title"/);
    assert.match(code("other"), /\$\[0\] & 4/);
  });
});

describe("a row that is a component with a handler of its list", () => {
  it("is woken by the signals that it shows, so the state of a page grows with the number of its rows", async () => {
    const text = `function Row(props) { return <li class={props.isChosen ? "on" : ""} onClick={() => props.onDrop(props.row)}>{props.row.label.value}</li>; }
      export function A(props) {
        const rows = signal(props.labels.map((label) => ({ label: signal(label) })));
        const chosen = signal("");
        return <ul>{rows.value.map((row) => <Row row={row} isChosen={chosen.value === row.label.value} onDrop={(gone) => { rows.value = rows.value.filter((row) => row !== gone); }} />)}</ul>;
      }`;
    const bytesOf = async (count: number): Promise<number> => {
      const labels = Array.from({ length: count }, (_, at) => `label ${1000 + at}`);
      return (await stateOf(text, { labels })).length / count;
    };
    const [few, many] = [await bytesOf(40), await bytesOf(400)];
    assert.ok(many < 1.2 * few, `${many} bytes a row of 400, ${few} of 40`);
  });

  it("is not woken by changes of the other rows of a store", async () => {
    const text = `function Row(props) { return <li onClick={() => (props.row.label += "!")}>{props.row.label}</li>; }
      export function A(props) {
        const rows = store(props.labels.map((label) => ({ label })));
        return <ul>{rows.map((row) => <Row row={row} />)}</ul>;
      }`;
    const bytesOf = async (count: number): Promise<number> => {
      const labels = Array.from({ length: count }, (_, at) => `label ${1000 + at}`);
      return (await stateOf(text, { labels })).length / count;
    };
    const [few, many] = [await bytesOf(40), await bytesOf(400)];
    assert.ok(many < 1.2 * few, `${many} bytes a row of 400, ${few} of 40`);
  });
});

describe("a prop that changes and is shown where nothing updates it", () => {
  it("is refused, in development too", async () => {
    const title =
      "function Title(props) { return <title>{props.children}</title>; } export function A() { const n = signal(1); return <Title>{n.value} items</Title>; }";
    assert.match(compileError(title).message, /SVC121 pages\/test\.tsx:2.*\n.*untrack/);
    const early = `function Label(props) { for (;;) if (props.text) return <b>x</b>; return <i>x</i>; }
      export function A() { const n = signal("a"); return <Label text={n.value} />; }`;
    assert.match(compileError(early).message, /SVC121 pages\/test\.tsx:3/);
  });

  it("is reported in development where the compiler does not see the component", async () => {
    const early = `function Label(props) { for (;;) if (props.text) return <b>x</b>; return <i>x</i>; }
      const Labels = [Label]; export function A() { const n = signal("a"); const Chosen = Labels[0]; return <Chosen text={n.value} />; }`;
    await assert.rejects(render(early, {}, "A", { isDevelopment: true }), /untrack\(\(\) => props\.text\)/);
  });

  it("is reported for components that show it without an element", async () => {
    const text = `function Card() { return <div><Slot /></div>; } export function A() { const n = signal(1); return <Card>{n.value} items</Card>; }`;
    await assert.rejects(render(text, {}, "A", { isDevelopment: true }), /SVC205 <Slot> gets children/);
    const plain = `const Plain = ((props) => props.text); const list = [Plain]; const Text = list[0]; export function A() { const n = signal(1); return <Text text={n.value} />; }`;
    await assert.rejects(render(plain, {}, "A", { isDevelopment: true }), /SVC205/);
  });

  it("may stay if untrack marks it", async () => {
    const text = `function Label(props) { return <><b>x</b>{untrack(() => props.text)}</>; }
      export function A() { const n = signal("a"); return <Label text={n.value} />; }`;
    assert.match(await render(text, {}, "A", { isDevelopment: true }), /<b>x<\/b>a/);
  });

  it("is refused where the server alone can make its value", () => {
    const text =
      "class Scale { by = 2; } export function A() { const n = signal(1); const scale = new Scale(); return <B count={n.value * scale.by} />; }";
    assert.equal(compileError(text).code, "SVC121");
  });
});
