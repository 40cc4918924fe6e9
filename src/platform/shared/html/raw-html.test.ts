import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { parseFragment, type DefaultTreeAdapterTypes } from "parse5";
import { DOM } from "../wire.ts";
import { inertHtml } from "./raw-html.ts";

type ParsedNode = DefaultTreeAdapterTypes.ChildNode;

const isMember = (name: string): boolean => ["querySelector", "body"].includes(name);
const inert = (html: string): string => inertHtml(html, isMember);

/** Attributes of all elements, and all text. */
function partsOf(html: string): { attributes: [name: string, value: string][]; text: string } {
  const attributes: [string, string][] = [];
  let text = "";
  const visit = (nodes: readonly ParsedNode[]): void => {
    for (const node of nodes) {
      if ("attrs" in node) attributes.push(...node.attrs.map(({ name, value }): [string, string] => [name, value]));
      if ("value" in node) text += node.value;
      if ("content" in node) visit(node.content.childNodes);
      if ("childNodes" in node) visit(node.childNodes);
    }
  };
  visit(parseFragment(html).childNodes);
  return { attributes, text };
}

function isHarmful([name, value]: [string, string]): boolean {
  if (name.startsWith("on:")) return true;
  if (/^(?:s|b|m|pt|eb|data-svc-(?:wait|piece|more))$/.test(name)) return value !== "";
  return name === "name" && isMember(value);
}

describe("Raw HTML", () => {
  it("has no handlers, scopes and other attributes of the resume protocol, however they are written", () => {
    for (const attribute of [
      'on:click="h0"',
      "ON:CLICK=h0",
      "on:click",
      's="1 counter-1a2b3c4d"',
      "S = '1 x'",
      "s\n=\n1",
      'b="2"',
      "data-svc-wait=1",
    ])
      for (const html of [`<b ${attribute}>x</b>`, `<b/${attribute}>x`, `<b a="1"${attribute}>x`, `<b\f${attribute}>x`])
        assert.deepEqual(partsOf(inert(html)).attributes.filter(isHarmful), [], html);
  });

  it("has none of the names in wire.ts that select code", () => {
    const { scope, key, portal, boundary, media, wait, piece, more } = DOM;
    for (const name of [scope, key, portal, boundary, media, wait, piece, more, `${DOM.on}click`])
      assert.notEqual(inert(`<b ${name}="1">`), `<b ${name}="1">`, name);
  });

  it("hides no member of document", () => {
    for (const html of [
      "<img name=querySelector>",
      '<img NAME = "querySelector">',
      "<form name='body'></form>",
      "<img name=query&#83;elector>",
      "<img name=x id=querySelector>",
      '<object id="body"></object>',
    ]) {
      const { attributes } = partsOf(inert(html));
      const harmful = attributes.filter(([name, value]) => /^(?:name|id)$/.test(name) && isMember(value));
      assert.deepEqual(harmful, [], html);
    }
  });

  it("otherwise means the same: text, values, names of fields, and headings with such ids", () => {
    for (const html of [
      '<p title="s=1 on:click name=body">a s = 1, on: Tuesday, name=body, it\'s=</p>',
      '<input name="street"><a id="body" href="/x?a=1&s=2">',
      '<h2 id="querySelector">Body</h2>',
    ])
      assert.deepEqual(partsOf(inert(html)), partsOf(html), html);
  });

  it("is inert for all texts", () => {
    const word = fc.constantFrom(
      ..."< > / = \" ' & <b <img <p <!-- --> on: on:click s b name id querySelector &#83; a x 1".split(" "),
      " ",
      "\n",
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 14 }), (words) => {
        const html = words.join("");
        const { attributes, text } = partsOf(inert(html));
        assert.deepEqual(attributes.filter(isHarmful), []);
        assert.equal(text, partsOf(html).text);
      }),
      { numRuns: 3000 },
    );
  });
});
