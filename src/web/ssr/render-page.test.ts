import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { signal } from "../reactivity/signal.ts";
import { store } from "../reactivity/server-store.ts";
import { deserialize } from "../../platform/shared/deserialize.ts";
import { SvcError } from "../../platform/shared/errors.ts";
import type { Json } from "../../platform/shared/json.ts";
import { CsrfField } from "./components/csrf-field.ts";
import { html, type Html } from "./html.ts";
import { renderPage, type PageRenderOptions, type RenderedPage } from "./render-page.ts";
import { block, component, made, scope } from "./compiled.ts";
import { currentRender } from "./current-page.ts";

const MODULE = "pages/counter.tsx";
const counter = block(MODULE, "b0", ["click"], []);
const handlersOnly = block(MODULE, 0, ["click", "load"], []);

type State = {
  s: Record<string, Json[]>;
  v: [number, Json, number[]?][];
  n: Record<string, string[]>;
  csrf_token: string;
};

function options(changes: Partial<PageRenderOptions> = {}): PageRenderOptions {
  return {
    nonce: "N",
    csrfToken: () => "token",
    manifest: { build: "b1", chunks: { [MODULE]: "counter-1", "pages/other.tsx": "other-2" }, actions: [] },
    title: "Title",
    stub: "stub(__EVENTS__)",
    ...changes,
  };
}

function render(view: () => unknown, changes?: Partial<PageRenderOptions>): RenderedPage & { state: State } {
  const page = renderPage(view, options(changes));
  const json = /id="svc-state"[^>]*>([^<]*)</.exec(page.html)?.[1] ?? "null";
  return { ...page, state: JSON.parse(json) as State };
}

/** A view of trusted HTML, as compiled components return it. */
const view = (write: () => string) => (): Html => html(write);

describe("a page", () => {
  it("contains only stub, loader, scope attribute and state if it has a scope", () => {
    const count = signal(1);
    const page = render(view(() => `<p${scope(counter, 1, [count, "step"])}>${count.value}</p>`));
    assert.equal(
      page.html,
      `<!doctype html><html lang="en" data-build="b1"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Title</title>` +
        `<script nonce="N">stub(["click"])</script></head>` +
        `<body><p s="1 counter-1">1</p><script type="application/json" id="svc-state" nonce="N">` +
        `{"csrf_token":"token","build":"b1","s":{"1":["counter-1","b0",0,1]},"v":[[0,1,[1]],[1,"step"]],"n":{}}</script>` +
        `<script type="module" async nonce="N" src="/_svc/loader.js"></script></body></html>`,
    );
    assert.deepEqual([page.interactive, page.usesCsrf], [true, true]);
  });

  it("has no script, and reads no nonce, stub or token, if it has no scope", () => {
    const refuse = (): never => assert.fail("was asked for");
    const page = renderPage(
      view(() => "<p>static</p>"),
      Object.defineProperties(options({ csrfToken: refuse }), { nonce: { get: refuse }, stub: { get: refuse } }),
    );
    assert.doesNotMatch(page.html, /script|data-build/);
    assert.deepEqual([page.interactive, page.usesCsrf], [false, false]);
  });

  it("writes language, description, icon, stylesheets, prefetch and head elements, escaped", () => {
    const page = render(
      view(() => `<i${scope(handlersOnly, 0, [])}></i>`),
      {
        lang: 'de"',
        title: "<b>&",
        description: '"x"',
        icon: '/i.svg"',
        stylesheets: ["/a.css?x&y"],
        prefetch: "idle",
        head: view(() => `<meta name="k">`),
      },
    );
    assert.match(page.html, /<html lang="de&quot;" data-build="b1" data-svc-prefetch="idle">/);
    assert.match(page.html, /<title>&lt;b>&amp;<\/title><meta name="description" content="&quot;x&quot;">/);
    assert.match(page.html, /<link rel="icon" href="\/i\.svg&quot;"><link rel="stylesheet"/);
    assert.match(page.html, /<link rel="stylesheet" href="\/a\.css\?x&amp;y">.*<meta name="k"><\/head>/);
  });

  it("is private but has no script if only a form contains the token", () => {
    const page = render(() => CsrfField());
    assert.match(page.html, /<body><input type="hidden" name="_csrf" value="token"><\/body>/);
    assert.deepEqual([page.interactive, page.usesCsrf], [false, true]);
  });

  it("makes the stub listen once for each event type, except those of the loader", () => {
    const page = render(view(() => `<i${scope(counter, 0, [])}></i><i${scope(handlersOnly, 0, [])}></i>`));
    assert.match(page.html, /stub\(\["click"\]\)/);
  });

  it("escapes text that would end the state script", () => {
    const page = render(view(() => `<i${scope(counter, 0, ["</script><!--\u2028"])}></i>`));
    assert.equal(page.html.match(/<\/script>/g)?.length, 3);
    assert.doesNotMatch(page.html, /<!--|\u2028/);
    assert.deepEqual(page.state.v, [[1, "</script><!--\u2028"]]);
  });
});

describe("captured values", () => {
  it("get one entry each for all scopes, with the scopes whose bindings read them", () => {
    const shared = signal("x");
    const list = store({ items: [1] });
    const { state } = render(
      view(
        () =>
          `<i${scope(counter, 2, [shared, list])}></i><i${scope(counter, 1, [shared, list])}></i><i${scope(handlersOnly, 0, [list])}></i>`,
      ),
    );
    assert.deepEqual(state.s, {
      1: ["counter-1", "b0", 0, 1],
      2: ["counter-1", "b0", 0, 1],
      3: ["counter-1", 0, 1],
    });
    assert.deepEqual(state.v, [
      [0, "x", [1, 2]],
      [2, { items: [1] }, [1]],
    ]);
  });

  it("are read at the end of the render", () => {
    const count = signal(1);
    const { state } = render(
      view(() => {
        const attribute = scope(counter, 1, [count]);
        count.value = 5;
        return `<i${attribute}></i>`;
      }),
    );
    assert.deepEqual(state.v, [[0, 5, [1]]]);
  });

  it("are encoded if plain JSON can't represent them, and the scope lists the parts that decode them", () => {
    const when = new Date(5);
    const set = signal(new Set([1]));
    const deep = store({ at: new Map([["k", undefined]]) });
    const page = render(view(() => `<i${scope(counter, 0, [when, set, deep])}></i>`));
    assert.match(page.html, /s="1 counter-1 data store"/);
    const values = page.state.v.map(([kind, value]) => [kind, deserialize(value)]);
    assert.deepEqual(values, [
      [4, when],
      [5, new Set([1])],
      [6, { at: new Map([["k", undefined]]) }],
    ]);
  });

  it("form one graph if they share objects, and its stores wake each other's scopes", () => {
    const inner = store({ n: 1 });
    const outer = store({ inner });
    const chosen = signal(inner);
    const page = render(
      view(() => `<i${scope(counter, 3, [inner, chosen, 5])}></i><i${scope(counter, 1, [outer])}></i>`),
    );
    const { v, n } = page.state;
    assert.deepEqual(v.slice(0, 4), [
      [10, [4, 0, 2], [1, 2]],
      [10, [4, 1, 0, 1], [1]],
      [1, 5],
      [10, [4, 2, 2], [1, 2]],
    ]);
    const [first, second, whole] = deserialize(v[4]?.[1] ?? null) as [object, object, { inner: object }];
    assert.ok(first === second && first === whole.inner);
    assert.deepEqual(n, { 1: ["data"], 2: ["data"] });
  });

  it("distinguish 0 from -0", () => {
    const { state } = render(view(() => `<i${scope(counter, 0, [0, -0, 0])}></i>`));
    assert.deepEqual(state.s, { 1: ["counter-1", "b0", 0, 1, 0] });
    assert.ok(Object.is(deserialize(state.v[1]?.[1] ?? null), -0));
  });

  it("preload the part that a value assigned during the render needs", () => {
    const list = signal<unknown>([]);
    const page = render(
      view(() => {
        const attribute = scope(counter, 0, [list]);
        list.value = [new Date(5)];
        return `<i${attribute}></i>`;
      }),
    );
    assert.match(page.html, /s="1 counter-1"/);
    assert.deepEqual(page.state.n, { 1: ["data"] });
  });

  it("preload the code of other scopes that show them", () => {
    const other = block("pages/other.tsx", "b0", [], ["region"]);
    const count = signal(0);
    const { state } = render(view(() => `<i${scope(handlersOnly, 0, [count])}></i><i${scope(other, 1, [count])}></i>`));
    assert.deepEqual(state.n, { 1: ["handler/other-2", "region"] });
  });

  it("are rejected with their place and a reason if they can't be serialized", () => {
    class Socket {}
    for (const [value, reported] of [
      [() => 1, /: slot 0 of scope b0\n.*function/],
      [new Socket(), /: slot 0 of scope b0\n.*Socket/],
      [{ deep: [Symbol("s")] }, /\.deep\[0\]/],
    ] as const) {
      assert.throws(
        () => render(view(() => `<i${scope(counter, 0, [value])}></i>`)),
        (error) =>
          error instanceof SvcError &&
          error.code === "SVC201" &&
          reported.test(error.message) &&
          error.message.includes(MODULE),
      );
    }
  });
});

describe("a render", () => {
  it("is current only while it runs, also after an error, also when nested", () => {
    assert.throws(() => currentRender(), { code: "SVC_DEFINITION" });
    assert.throws(() =>
      render(() => {
        throw new Error("view");
      }),
    );
    assert.throws(() => currentRender(), { code: "SVC_DEFINITION" });
    const outer = render(
      view(() => {
        const inner = render(view(() => `<i${scope(counter, 0, [])}></i>`));
        assert.match(inner.html, /s="1 counter-1"/);
        return `<b${scope(counter, 0, [])}></b>`;
      }),
    );
    assert.match(outer.html, /<b s="1 counter-1">/);
  });

  it("fails with instructions if the build does not know a module", () => {
    const unknown = block("pages/new.tsx", "b0", [], []);
    assert.throws(() => render(view(() => scope(unknown, 0, []))), {
      code: "SVC_DEFINITION",
      message: /no browser chunk for pages\/new\.tsx\. Build the app again\./,
    });
  });

  it("writes the results of components: HTML of compiled ones, HTML values, data, nothing", () => {
    assert.equal(
      component(() => made("<b>"), {}),
      "<b>",
    );
    assert.equal(
      component(() => (made("<b>"), "<i>"), {}),
      "&lt;i>",
    );
    assert.equal(
      component(() => html(() => "<i>"), {}),
      "<i>",
    );
    assert.equal(
      component(() => ["<", 1, null, undefined, true], {}),
      "&lt;1",
    );
    assert.equal(
      component(() => null, {}),
      "",
    );
  });
});
