import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { browserBody, compileTsx } from "../harness.testkit.ts";

/** Browser code of a list whose rows hold `row`, in a component that begins with `before`. */
function rowsWith(row: string, before = "", rest = ""): string {
  return browserBody(
    `import { computed, signal } from "svckit"; export function A(props) { const chosen = signal(0); const list = signal([]); ${before} return <div onClick={() => list.value = []}>${rest}{list.value.map((item) => ${row})}</div>; }`,
  );
}

describe("a comparison with a signal", () => {
  it("in a row uses the part select, from either side, for a signal of the component", () => {
    assert.match(
      rowsWith("<b>{chosen.value === item.id ? 1 : 2}</b>"),
      /\$is\(\$\.\$\[\d\], \$\.i\.value\.id\) \? 1 : 2/,
    );
    assert.match(
      rowsWith("<b>{item.id === chosen.value ? 1 : 2}</b>"),
      /\$eq\(\$\.i\.value\.id, \$\.\$\[\d\]\) \? 1 : 2/,
    );
    assert.match(
      rowsWith("<b title={chosen.value !== item.id ? 'a' : 'b'}>x</b>"),
      /!\$is\(\$\.\$\[\d\], \$\.i\.value\.id\)/,
    );
    assert.match(rowsWith("<b>{props.chosen.value === item.id ? 1 : 2}</b>"), /\$is\(\$\.\$\[\d\], \$\.i\.value\.id\)/);
    assert.match(
      rowsWith("<b>{(chosen.value === (item.id)) ? 1 : 2}</b>"),
      /\(\$is\(\$\.\$\[\d\], \(\$\.i\.value\.id\)\)\) \? 1 : 2/,
    );
    assert.match(rowsWith("<b>{chosen.value === list.value ? 1 : 2}</b>"), /\$is\(\$\.\$\[\d\], \$\.\$\[\d\]\.value\)/);
  });

  it("in a prop of a row's component uses it, in rows of the server and of the browser", () => {
    const text = `import { For, signal } from "svckit"; const Row = (props) => <b>{props.isOn ? 1 : props.go()}</b>;
      export function A() { const chosen = signal(0); const list = signal([{ id: 1 }]);
        return <div onClick={() => list.value = []}><For each={list.value}>{(item) =>
          <Row isOn={chosen.value === item.id} go={() => chosen.value === item.id} />}</For></div>; }`;
    assert.match(browserBody(text), /get isOn\(\) \{ return \(\$is\(\$\.\$\[\d\], \$\.i\.value\.id\)\); \}/);
    assert.match(browserBody(text), /go: \(\) => \$\.\$\[\d\]\.value === \$\.i\.value\.id/);
    assert.match(compileTsx(text).live?.output.code ?? "", /\(\$is\(\$\[\d\], \$\[\d\]\.id\)\)/);
  });

  it("is unchanged outside of rows, in handlers, functions and computeds", () => {
    const rows = [
      rowsWith("<b>{item.id}</b>", "", "<i>{chosen.value === 1 ? 1 : 2}</i>"),
      rowsWith("<b onClick={() => go(chosen.value === item.id)}>{item.id}</b>"),
      rowsWith("<b>{one.value === item.id ? 1 : 2}</b>", "const one = computed(() => chosen.value === 1);"),
      rowsWith("<b>{isOn(item) ? 1 : 2}</b>", "const isOn = (row) => chosen.value === row.id;"),
      rowsWith("<b>{chosen.value == item.id ? 1 : 2}</b>"),
      rowsWith("<b>{chosen?.value === item.id ? 1 : 2}</b>"),
    ];
    for (const code of rows) assert.doesNotMatch(code, /\$(?:is|eq)\(/);
  });
});
