import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { browserBody, browserImports, render, serverBody, serverHead } from "../harness.testkit.ts";

const list = (virtual: string, each = "props.rows"): string =>
  `export function A(props) { return <ul><For each={${each}} by={(row) => row.id} ${virtual}>{(row, at) => <li>{at}: {row.text}</li>}</For></ul>; }`;

describe("<For virtual>", () => {
  it("is updated by the browser even if its rows never change, and wakes when it is visible", () => {
    assert.ok(serverBody(list("virtual")).includes(String.raw`on:visible=\"_\"`));
    assert.match(serverHead(list("virtual")), /\["visible"\], \["region","virtual"\]/);
    assert.ok(browserImports(list("virtual")).some((line) => /Virtual as \$Virtual.*"\/_svc\/virtual\.js"/.test(line)));
    assert.match(browserBody(list("virtual")), /\$Virtual\(\$r, 1, \(\) => \$\[0\], .*, \$, 0, \(\) => true\);/s);
  });

  it("has the same options on both sides", () => {
    const text = list("virtual={{ first: props.first, start: 3 }}");
    assert.match(serverBody(text), /\{ first: props\.first, start: 3 \}\)/);
    assert.match(browserBody(text), /\(\) => \(\{ first: \$\[\d\], start: 3 \}\)\);/);
  });

  it("is rendered from its first row on, each with its index in the whole list", async () => {
    const rows = Array.from({ length: 9 }, (_, id) => ({ id, text: `t${id}` }));
    const texts = async (virtual: string): Promise<string> => {
      const html = await render(list(virtual), { rows });
      return [...html.matchAll(/<li>(.*?)<\/li>/g)].map(([, text]) => text).join();
    };
    assert.equal(await texts("virtual={{ first: 2 }}"), "0: t0,1: t1");
    assert.equal(await texts("virtual={{ first: 2, start: 4 }}"), "4: t4,5: t5");
    assert.equal(await texts("virtual={{ first: 3, start: 400 }}"), "6: t6,7: t7,8: t8");
    assert.equal((await texts("virtual")).split(",").length, 9);
    assert.equal((await texts("virtual={false}")).split(",").length, 9);
  });

  it("is an ordinary list with virtual={false}", () => {
    assert.doesNotMatch(serverBody(list("virtual={false}")), /visible/);
  });
});
