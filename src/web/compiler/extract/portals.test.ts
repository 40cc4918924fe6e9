import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { insertPortals } from "../../ssr/components/insert-portals.ts";
import { browserBody, serverBody } from "../harness.testkit.ts";

const A = (inside: string): string => `export function A(p) { const n = signal(1); return <main>${inside}</main>; }`;

describe("a portal in a branch", () => {
  const text = A('{n.value && <Portal to="#m"><div onClick={() => n.value++}>{n.value}</div></Portal>}');

  it("leaves a placeholder, and its content has the scope attribute of its component", () => {
    const body = serverBody(text);
    assert.match(body, /\(\(\$own\) => "<main" \+ \$own \+ ">" /);
    assert.match(body, /"<template" \+ \$portal\(\$own, "#m", \(\$mark\) => "<div" \+ \$mark \+ " on:click=\\"h0\\">"/);
  });

  it("is created and bound by the part portal", () => {
    const body = browserBody(text);
    assert.match(body, /\$tpl\("<template><\/template>"\)/);
    assert.match(body, /\$Portal\(\$r, "#m", \$t\d, \(\$, \$r\) => \{\n\$T\(\$r, \(\) => \$\[0\]\.value\);\n\}, \$\);/);
  });

  it("gets an element around its content if that is not one element", () => {
    for (const content of ["<b>x</b><i>y</i>", "<B />"]) {
      const inside = A(`{n.value && <Portal to="#m">${content}</Portal>}`).replace(
        "export",
        "const B = () => <u />; export",
      );
      assert.match(
        serverBody(inside),
        /<!--\[-->" \+ .*"<template" \+ \$portal\("", "#m", \(\$mark\) => "<svc-portal" \+ \$mark/,
      );
      assert.match(browserBody(inside), /\$New\(\$Portal, \{ to: "#m", get children\(\)/);
    }
  });
});

describe("moved content", () => {
  const to = (target: string, body: string): string => insertPortals(body, [{ to: target, html: "<hr>" }]);

  it("is at the end of its target, after any content", () => {
    assert.equal(to("#a", '<p><b id="a">x</b></p>'), '<p><b id="a">x<hr></b></p>');
    assert.equal(
      to("#a", '<div class="x>" id="a"><div>x</div><br></div><div></div>'),
      '<div class="x>" id="a"><div>x</div><br><hr></div><div></div>',
    );
  });

  it("ignores comments, scripts and text that look like a target", () => {
    const body =
      '<!-- <i id="a"> --><script>"<i id=\\"a\\">"</script>text id="a" <i data-x=" id=&quot;a&quot;"></i><i id="a"></i>';
    assert.equal(to("#a", body), body.replace(/<\/i>$/, "<hr></i>"));
  });

  it("is at the end of the body if the server does not know its target", () => {
    assert.equal(to("#b", '<i id="a"></i>'), '<i id="a"></i><hr>');
    assert.equal(to("body", "x"), "x<hr>");
  });
});
