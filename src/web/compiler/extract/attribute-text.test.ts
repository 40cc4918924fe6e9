import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { signal } from "../../reactivity/signal.ts";
import { browser, compileTsx } from "../harness.testkit.ts";

const source = (attribute: string): string =>
  `export function A(p) { const n = signal(1), on = n.value; return <a ${attribute}>{n.value}</a>; }`;
const codeOf = (attribute: string): string => compileTsx(source(attribute)).client?.code ?? "";
const needsAttr = (attribute: string): boolean => codeOf(attribute).includes("attr.js");

async function written(attribute: string, value: unknown): Promise<string | undefined> {
  return (await browser(source(attribute))).bind("b0", [signal(value)])[0];
}

describe("class, style, URL and state attributes", () => {
  it("bind as plain attributes if their value rules are known at build time", () => {
    const plain = [
      "class={{ a: n.value }}",
      'class={{ a: n.value, "b-c": !n.value }}',
      'class={["a", n.value && "b", n.value > 1 ? "c" : null, { d: n.value }]}',
      'class={n.value ? "a" : "b"}',
      "class={`a-${n.value}`}",
      "style={`top:${n.value}px`}",
      "href={`/item/${n.value}`}",
      'href={n.value ? "#a" : "https://example.com/" + n.value}',
      "aria-pressed={n.value === 1}",
      "aria-expanded={!n.value && n.value < 2}",
    ];
    assert.deepEqual(plain.filter(needsAttr), []);
  });

  it("are evaluated in the browser if the rule depends on their value", () => {
    const open = [
      "class={n.value}",
      "class={{ n, a: n.value }}",
      "class={{ ...n.value }}",
      'class={["a", n.value]}',
      "style={{ top: n.value }}",
      "href={n.value}",
      "href={`${n.value}/x`}",
      'href={n.value ? "#a" : n.value}',
      "aria-pressed={n.value}",
      "aria-pressed={n.value && n.value === 1}",
    ];
    assert.deepEqual(
      open.filter((attribute) => !needsAttr(attribute)),
      [],
    );
  });

  it("write the same as the server", async () => {
    assert.equal(await written("class={{ a: n.value }}", 1), 'root @class: "a"');
    assert.equal(await written("class={{ a: n.value }}", 0), "root @class: null");
    assert.equal(await written('class={{ a: n.value, "b-c": 1 }}', 1), 'root @class: "a b-c"');
    assert.equal(await written('class={[n.value && "b", n.value ? "c" : ""]}', 0), "root @class: null");
    assert.equal(await written('class={["x", n.value && "b", { d: n.value }]}', 2), 'root @class: "x b d"');
    assert.equal(await written('style={n.value ? "top:0" : ""}', 0), "root @style: null");
    assert.equal(await written('class={n.value ? "a" : ("b")}', 0), 'root @class: "b"');
    assert.equal(await written('class={n.value > 0 ? "" : "b"}', 2), "root @class: null");
    assert.equal(await written("aria-pressed={n.value === 1}", 2), 'root @aria-pressed: "false"');
    assert.equal(await written("href={`/item/${n.value}`}", "javascript:"), 'root @href: "/item/javascript:"');
  });
});
