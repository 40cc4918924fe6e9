import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { parseFragment, type DefaultTreeAdapterTypes } from "parse5";
import { computed, signal } from "../reactivity/signal.ts";
import { html } from "./html.ts";
import { escapeAttribute } from "../../platform/shared/html/escape.ts";
import { a, at, dm, en, fixed, fm, spread, t, url } from "./write.ts";

type Element = DefaultTreeAdapterTypes.Element;

/** The elements that a browser would create from this HTML. */
function elementsOf(markup: string): Element[] {
  const found: Element[] = [];
  const visit = (node: DefaultTreeAdapterTypes.Node): void => {
    if ("tagName" in node) found.push(node);
    if ("childNodes" in node) node.childNodes.forEach(visit);
  };
  visit(parseFragment(markup));
  return found;
}

const attributesOf = (markup: string): [string, string][] =>
  elementsOf(markup)[0]?.attrs.map(({ name, value }) => [name, value]) ?? [];

/** Without NUL, CR and lone surrogates, because HTML parsers replace them. */
const faithful = (text: string): boolean => !/[\0\r\p{Surrogate}]/u.test(text);
const hostile = fc
  .oneof(
    fc.string({ unit: "binary" }),
    fc.constantFrom(
      "</p><script>alert(1)</script>",
      `"><img src=x onerror=alert(1)>`,
      `' onmouseover='alert(1)`,
      "<!--",
      "-->",
      "&lt;&#60;",
      "]]>",
      "</title>",
      "${alert(1)}",
      "`",
    ),
  )
  .filter(faithful);

describe("text", () => {
  it("writes escaped strings, numbers, HTML values, arrays and signals, and omits null, undefined and booleans", () => {
    assert.equal(t("<&>"), "&lt;&amp;>");
    assert.equal(t([1, "<", html(() => "<b>"), null, undefined, true, false, [2n]]), "1&lt;<b>2");
    assert.equal(t(signal("<")), "&lt;");
    assert.equal(t(computed(() => 3)), "3");
    assert.equal(t({ toString: () => "<x>" }), "&lt;x>");
  });

  it("creates no element and loses no character for any input", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const [paragraph, ...others] = elementsOf(`<p>${t(text)}</p>`);
        assert.equal(others.length, 0);
        const written = paragraph?.childNodes.map((node) => ("value" in node ? node.value : "")).join("") ?? "";
        assert.equal(written, text);
      }),
    );
  });
});

describe("attributes", () => {
  it("are omitted for null, undefined and false, and have no value for true", () => {
    assert.equal(at(' title="', null) + at(' title="', undefined) + at(' title="', false), "");
    assert.equal(at(' hidden="', true), " hidden");
    assert.equal(at(' title="', 0), ' title="0"');
    assert.equal(at(' title="', signal("x")), ' title="x"');
  });

  it("from a template literal equal the escaped JavaScript result", () => {
    const given = ["<&", null, false, 1, [1, '"']];
    assert.equal(given.map(a).join(" "), given.map((value) => escapeAttribute(String(value))).join(" "));
  });

  it("contain the result of toFixed for any number, and escape it for other objects", () => {
    const digits = fc.integer({ min: 0, max: 100 });
    fc.assert(
      fc.property(fc.double(), digits, (value, places) => {
        assert.equal(fixed(a, value, places), escapeAttribute(value.toFixed(places)));
      }),
    );
    fc.assert(
      fc.property(hostile, (text) => {
        assert.equal(fixed(a, { toFixed: () => text }, 2), escapeAttribute(text));
      }),
    );
    assert.equal(fixed(a, Object.assign(Object(1) as number, { toFixed: () => '"<' }), 2), "&quot;&lt;");
  });

  it("write both true and false if they are enumerated", () => {
    assert.equal(
      en(' aria-pressed="', true) + en(' aria-pressed="', false),
      ' aria-pressed="true" aria-pressed="false"',
    );
    assert.equal(en(' aria-label="', undefined), "");
  });

  it("create no other attribute and no element for any input", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        assert.deepEqual(attributesOf(`<p${at(' title="', text)}>`), [["title", text]]);
        assert.deepEqual(attributesOf(`<p title="${a(text)}">`), [["title", text]]);
      }),
    );
  });
});

describe("URLs", () => {
  it("become about:blank if they would run a script, in any spelling", () => {
    for (const given of [
      "javascript:alert(1)",
      "JavaScript:alert(1)",
      " \u0001javascript:alert(1)",
      "java\nscript:alert(1)",
      "java\tscript\r:alert(1)",
      `${"\u0000".repeat(200)}javascript:alert(1)`,
      `${" ".repeat(500)}javascript:alert(1)`,
      "vbscript:x",
      "data:text/html,<script>alert(1)</script>",
      "DATA:image/svg+xml,<svg onload=alert(1)>",
      "data:,x",
    ]) {
      assert.equal(url(' href="', given), ' href="about:blank"', JSON.stringify(given));
    }
  });

  it("leave out names and ids that hide members of document or of a form", () => {
    for (const name of ["getAttribute", "closest", "parentNode", "children"])
      assert.deepEqual([fm(' name="', name), dm(' name="', name), spread({ name }, [], "input")], ["", "", ""], name);
    for (const name of ["querySelector", "body", "title"])
      assert.deepEqual([dm(' name="', name), spread({ id: name }, [], "img")], ["", ""], name);
    assert.equal(fm('<input name="', "title", '">', "<input>"), '<input name="title">');
    assert.equal(fm('<input name="', "closest", '">', "<input>"), "<input>");
    assert.equal(spread({ name: "querySelector", id: "body" }, [], ""), ' name="querySelector" id="body"');
    assert.equal(dm(' name="', signal("body")) + dm(' name="', signal("search")), ' name="search"');
  });

  it("become about:blank anywhere in the list of an SVG animation", () => {
    for (const given of ["#a;javascript:alert(1)", "#a; java\nscript:alert(1) ;#b", "vbscript:x;#a"])
      assert.equal(url(' values="', given), ' values="about:blank"', given);
    for (const given of ["0;1;0", "#a;#b", "M0 0;M1 1"]) assert.equal(url(' values="', given), ` values="${given}"`);
    assert.equal(spread({ to: "javascript:x", from: "0", by: 1 }), ' to="about:blank" from="0" by="1"');
  });

  it("stay unchanged if they run no script", () => {
    for (const given of [
      "/a?b=javascript:c",
      "https://x.test/",
      "mailto:a@b",
      "#javascript:",
      "data:image/png;base64,AA",
      "./java:script",
    ]) {
      assert.deepEqual(attributesOf(`<a${url(' href="', given)}>`), [["href", given]]);
    }
    assert.equal(url(' href="', null) + url(' href="', false), "");
    assert.equal(url(' href="', signal("javascript:x")), ' href="about:blank"');
  });
});

describe("spread attributes", () => {
  it("write each allowed attribute by its kind", () => {
    const props = {
      id: "x",
      class: ["a", { b: true, c: false }],
      style: { color: "red" },
      "aria-busy": false,
      "data-n": 1,
      disabled: true,
      title: undefined,
      href: "javascript:alert(1)",
    };
    assert.equal(
      spread(props),
      ' id="x" class="a b" style="color:red" aria-busy="false" data-n="1" disabled href="about:blank"',
    );
    assert.equal(spread({ id: "x", class: "y" }, ["id"]), ' class="y"');
  });

  it("never include handlers, raw HTML, children, or invalid names", () => {
    const props = {
      onclick: "alert(1)",
      onClick: () => 1,
      ONLOAD: "x",
      dangerouslySetInnerHTML: { __html: "<script>" },
      srcdoc: "<script>",
      children: "x",
      key: 1,
      s: "1 ../upload",
      S: "1 ../upload",
      b: "2",
      "on:click": "h0",
      'x" onmouseover="alert(1)': "x",
      "a b": "x",
      "": "x",
    };
    assert.equal(spread(props), "");
  });

  it("keep classes and styles from data inside their attribute", () => {
    fc.assert(
      fc.property(hostile, hostile, (name, text) => {
        const markup = `<p${spread({ class: [{ [name]: true }, text], style: { [name]: text, color: text } })}>`;
        assert.equal(elementsOf(markup).length, 1);
        for (const [attribute] of attributesOf(markup)) assert.ok(attribute === "class" || attribute === "style");
      }),
    );
  });

  it("create only the named attributes for any names and values", () => {
    fc.assert(
      fc.property(fc.dictionary(hostile, hostile, { maxKeys: 4 }), (props) => {
        const markup = `<p${spread(props)}>`;
        const names = Object.keys(props).map((name) => name.toLowerCase());
        assert.equal(elementsOf(markup).length, 1);
        for (const [name] of attributesOf(markup)) assert.ok(names.includes(name) && !name.startsWith("on"), name);
      }),
    );
  });
});
