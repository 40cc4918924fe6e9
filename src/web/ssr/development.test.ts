import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { store } from "../reactivity/server-store.ts";
import { effect, effectOfComponent } from "./resume/effect.ts";
import { html } from "./html.ts";
import { Dynamic } from "./components/dynamic.ts";
import { Portal } from "./components/portal.ts";
import { block, component, made, scope } from "./compiled.ts";
import { renderInto, renderPlaced } from "./current-page.ts";
import { Render } from "./render.ts";
import { Slot } from "./components/slot.ts";
import { signal, untrack } from "../reactivity/signal.ts";
import { resourceOfHook } from "./resume/resource.ts";
import { once, still, stillWhole } from "./resume/store-prop-reads.ts";
import { unique } from "./resume/unique-rows.ts";
import { ValueNames } from "./resume/value-names.ts";

const manifest = { build: "b", chunks: { "pages/a.tsx": "a-1" }, actions: [] };
const inDevelopment = (view: () => unknown): string =>
  renderPlaced(new Render(manifest, () => "", { names: new ValueNames() }), view);
const inProduction = (view: () => unknown): string => renderInto(new Render(manifest, () => ""), view);

describe("an element whose name is a value", () => {
  const page = (): unknown =>
    html(() => component(Dynamic as never, { is: "h2", title: "a", onClick: () => undefined }));

  it("refuses in development handlers that the browser can't create", () => {
    assert.throws(() => inDevelopment(page), { code: "SVC201", message: /<h2> got the handler onClick/ });
    assert.equal(inProduction(page), '<h2 title="a"></h2>');
  });
});

describe("a resource of a hook", () => {
  const load = (id: number): string => `item ${id}`;
  const page = (source: () => number) => (): unknown =>
    html(() => made(`<p>${String(resourceOfHook("use-item.ts:3:10")(source, load).pending)}</p>`));

  it("is refused in development if its source reads a signal, which the browser would not follow", () => {
    const id = signal(1);
    assert.throws(() => inDevelopment(page(() => id.value)), {
      code: "SVC111",
      message: /^SVC111 use-item\.ts:3:10\n.*Call resource\(…\) in the component/,
    });
    assert.equal(inDevelopment(page(() => 1)), "<p>false</p>");
    assert.equal(inProduction(page(() => id.value)), "<p>false</p>");
  });
});

describe("the development check", () => {
  const Text = (): string => made("<div>x</div>");
  const Paragraph = (): string => made(`<p>${component(Text, {})}</p>`);
  const page = (): unknown => html(() => component(Paragraph, {}));

  it("rejects nesting across components that the parser would repair, and reports its path", () => {
    assert.throws(() => inDevelopment(page), {
      code: "SVC203",
      message: /^SVC203 "<div" of Text\n<div> can't be inside <p>.* Found inside <p> of Paragraph\.$/,
    });
    assert.equal(inProduction(page), "<p><div>x</div></p>");
  });

  it("rejects text that a component writes into a table", () => {
    const Cell = (): string => made("text");
    const Table = (): string => made(`<table><tbody><tr>${component(Cell, {})}</tr></tbody></table>`);
    assert.throws(() => inDevelopment(() => html(() => component(Table, {}))), {
      code: "SVC203",
      message: /"text" of Cell/,
    });
  });

  it("leaves the HTML unchanged, including portals and empty components", () => {
    const Empty = (): string => "";
    const Card = (props: { children?: unknown }): string =>
      made(`<b>${component(Slot, { of: props, children: html(() => "nothing") } as never)}</b>`);
    const View = (): string =>
      made(
        `<br><script>"<p><div>"</script><svg><path></path></svg><i id="a"></i>${component(Portal as never, { to: "#a", children: html(() => component(Text, {})) } as never)}` +
          component(Card, { children: html(() => component(Empty, {})) }),
      );
    const view = (): unknown => html(() => component(View, {}));
    const expected = '<br><script>"<p><div>"</script><svg><path></path></svg><i id="a"><div>x</div></i><b>nothing</b>';
    assert.equal(inDevelopment(view), expected);
    assert.equal(renderPlaced(new Render(manifest, () => ""), view), expected);
  });

  it("rejects an effect that the compiler did not find in a component, because the browser would never run it", () => {
    const view = (): unknown => {
      effect(() => {});
      return "";
    };
    assert.throws(() => inDevelopment(view), {
      code: "SVC111",
      message: /effect was called outside of a component/,
    });
    assert.equal(inProduction(view), "");
    assert.equal(
      inDevelopment(() => (effectOfComponent(() => {}), "")),
      "",
    );
  });

  it("rejects a store from a prop, or an object inside it, where the output never updates", () => {
    const read = (of: (list: { names: string[]; at: { x: number } }) => unknown) => (): string =>
      inDevelopment(() => {
        const made = of(store({ names: ["a"], at: { x: 1 } }));
        return String(still(made, "pages/a.tsx:2:5", "props.list"));
      });
    const reported = { code: "SVC204", message: /^SVC204 pages\/a\.tsx:2:5\nprops\.list is a store/ };
    assert.throws(
      read((list) => list),
      reported,
    );
    assert.throws(
      read((list) => list.at),
      reported,
    );
    assert.throws(
      read((list) => list.names),
      reported,
    );
    assert.equal(read((list) => list.names[0])(), "a");
    assert.equal(read((list) => ({ ...list }).at.x)(), "1");
  });

  it("rejects an object with a store that a function gets, where the output never updates", () => {
    const form = { data: store({ name: "Ada" }), title: "Form" };
    const check = (value: unknown): string => inDevelopment(() => String(stillWhole(value, "pages/a.tsx:2:5", "form")));
    assert.throws(() => check(form), { code: "SVC204", message: /^SVC204 pages\/a\.tsx:2:5\nform contains a store/ });
    assert.equal(check({ title: "Form" }), "[object Object]");
  });

  it("rejects a signal that is read or written where the output never updates", () => {
    const count = signal(1);
    const help = {
      get double() {
        return count.value * 2;
      },
    };
    const read = (run: () => unknown) => (): unknown => once(run, "pages/a.tsx:2:5", "help.double");
    assert.throws(
      read(() => help.double),
      { code: "SVC205", message: /^SVC205 pages\/a\.tsx:2:5\nhelp\.double reads a signal/ },
    );
    assert.throws(
      read(() => count),
      { code: "SVC205", message: /help\.double is a signal or computed/ },
    );
    assert.equal(read(() => untrack(() => help.double))(), 2);
    assert.equal(read(() => "plain")(), "plain");
  });

  it("rejects two items with the same key, and reports the key's position", () => {
    const list = [{ id: 1 }, { id: 2 }, { id: 1 }];
    const view = (): unknown => String(unique(list, (item) => item.id, "pages/a.tsx:3:9").length);
    assert.throws(() => inDevelopment(view), {
      code: "SVC202",
      message: /^SVC202 pages\/a\.tsx:3:9\nItems 0 and 2 of this list have the same key, 1,/,
    });
    assert.equal(inProduction(view), "3");
  });
});

describe("a value that can't be serialized", () => {
  it("is reported with its component, source and path", () => {
    const own = block("pages/a.tsx", "b0", [], [], ["Profile", "props.user"]);
    const render = new Render(manifest, () => "");
    renderInto(render, () => html(() => `<i${scope(own, 0, [{ socket: new (class Socket {})() }])}></i>`));
    assert.throws(() => render.state(), {
      code: "SVC201",
      message: /^SVC201 pages\/a\.tsx: "props\.user" of Profile\n.*Its part \.socket is an instance of Socket/,
    });
  });
});
