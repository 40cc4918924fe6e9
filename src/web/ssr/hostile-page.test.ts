/** Puts hostile text into every context of a page at once. A browser must parse only the authored elements and attributes. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { parse, type DefaultTreeAdapterTypes } from "parse5";
import { signal } from "../reactivity/signal.ts";
import { classText, styleText } from "../../platform/shared/html/class-style.ts";
import { html } from "./html.ts";
import { renderPage } from "./render-page.ts";
import { block, scope } from "./compiled.ts";
import { a, at, en, spread, t, url } from "./write.ts";

const BLOCK = block("pages/a.tsx", "b0", ["click"], []);

/** Every HTML context that the compiler writes, each with `text` from data. */
function view(text: string): string {
  const captured = { [text]: [text], plain: signal(text).value };
  return (
    `<main${scope(BLOCK, 1, [signal(text), captured, new Map([[text, new Set([text])]])])}>${t(text)}` +
    `<p${at(' title="', text)} id="${a(text)}-x"${en(' aria-label="', text)}>${t([text, html(() => `<b>${t(text)}</b>`)])}</p>` +
    `<a${url(' href="', text)}${at(' class="', classText(["x", { [text]: true }]))}${at(' style="', styleText({ top: 0, left: text }))}></a>` +
    `<i${spread({ title: text, src: text, "data-x": text, class: `x${text}`, onclick: text, [`on${text}`]: text })}></i>` +
    `<textarea>${t(text)}</textarea><title>${t(text)}</title><select><option>${t(text)}</option></select>` +
    `<table><tbody><tr><td>${t(text)}</td></tr></tbody></table><svg><text>${t(text)}</text></svg></main>`
  );
}

function page(text: string): string {
  return renderPage(() => html(() => view(text)), {
    nonce: "N",
    csrfToken: () => text,
    manifest: { build: "b1", chunks: { "pages/a.tsx": "a-1" }, actions: [] },
    title: text,
    lang: text,
    description: text,
    icon: text,
    stylesheets: [text],
    head: () => html(() => `<meta name="x"${at(' content="', text)}>`),
    stub: "stub(__EVENTS__)",
  }).html;
}

/** All elements with their attribute names, and all texts. */
function shapeOf(markup: string): { shape: string[]; texts: string[] } {
  const shape: string[] = [];
  const texts: string[] = [];
  const visit = (node: DefaultTreeAdapterTypes.Node): void => {
    if ("tagName" in node) shape.push(`${node.tagName} ${node.attrs.map(({ name }) => name).join(" ")}`);
    else if (node.nodeName === "#comment") shape.push("comment");
    else if ("value" in node) texts.push(node.value);
    if ("childNodes" in node) node.childNodes.forEach(visit);
  };
  visit(parse(markup));
  return { shape, texts };
}

const ATTACKS = [
  "<script>alert(1)</script>",
  "</script><script>alert(1)</script>",
  "</SCRIPT\t><img src=x onerror=alert(1)>",
  "<!--<script>",
  "-->",
  "--!><x>",
  "</title></textarea></style></noscript><svg onload=alert(1)>",
  `"><img src=x onerror=alert(1)>`,
  `" onmouseover="alert(1)`,
  `' onfocus='alert(1)' autofocus='`,
  "` onclick=alert(1) `",
  "&quot; onclick=&quot;alert(1)",
  "&#34;&#x22;&lt;b&gt;",
  "javascript:alert(1)",
  "java&#9;script:alert(1)",
  "red;background:url(javascript:alert(1))",
  "]]><x>",
  "<![CDATA[<x>",
  "<?x ?>",
  "\u2028alert(1)\u2029",
  "__proto__",
  "$&$1$`$'",
  "__EVENTS__",
  "/><x ",
  "=",
  "<",
  "&",
];

const benign = shapeOf(page("harmless")).shape;

function check(text: string): void {
  const { shape, texts } = shapeOf(page(text));
  assert.deepEqual(shape, benign);
  // Found in each of: title, main, p, b, textarea, title, option, td, SVG text. Tables and the state add more.
  assert.ok(texts.filter((found) => found.includes(text)).length >= 9);
}

describe("a page full of hostile text", () => {
  for (const attack of ATTACKS)
    it(`has no additional elements, attributes or comments: ${JSON.stringify(attack)}`, () => check(attack));

  it("has no additional elements, attributes or comments, and shows the text, for generated attacks", () => {
    const part = fc.oneof(fc.constantFrom(...ATTACKS), fc.string({ unit: "binary" }));
    // Parsers replace NUL, CR and lone surrogates, and drop white space between table and head elements.
    const text = fc
      .array(part, { minLength: 1, maxLength: 3 })
      .map((parts) => `x${parts.join("")}`)
      .filter((whole) => !/[\0\r\p{Surrogate}]/u.test(whole));
    fc.assert(fc.property(text, check), { numRuns: 300 });
  });

  it("has a state with the same text", () => {
    for (const attack of ATTACKS) {
      const json = /id="svc-state"[^>]*>([^<]*)<\/script>/.exec(page(attack))?.[1] ?? "";
      assert.doesNotMatch(json, /[<\u2028\u2029]/);
      const { v, csrf_token } = JSON.parse(json) as { v: unknown[][]; csrf_token: string };
      assert.equal(csrf_token, attack);
      assert.deepEqual(v[0], [0, attack, [1]]);
      assert.deepEqual(Object.entries(v[1]?.[1] as object), [
        [attack, [attack]],
        ["plain", attack],
      ]);
    }
  });
});
