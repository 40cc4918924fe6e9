import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { browser, browserBody, browserImports, compileError, render, serverHead, signal } from "../harness.testkit.ts";

const A = (body: string): string => `export function A(p) { ${body} }`;

/** The reads that the browser watches before the first run of an effect there. */
function reads(body: string): string[] {
  const [, list = ""] = /\$E\([^]*, \[(.*)\]\);/.exec(browserBody(A(`${body} return <p>x</p>;`))) ?? [];
  return list.split(", ").filter(Boolean);
}

describe("an effect", () => {
  it("runs on the server in source order, so the page shows its changes", async () => {
    const text = A(
      "const n = signal(2); const twice = signal(0); effect(() => { twice.value = n.value * 2; }); return <p>{twice.value}</p>;",
    );
    assert.equal(await render(text), '<p s="1 test-1 effect">4</p>');
  });

  it("is bound with its scope and watches its possible reads", async () => {
    const text = A("const n = signal(1); effect(() => p.log.push(n.value)); return <p>x</p>;");
    const log: number[] = [];
    const lines = (await browser(text)).bind("b0", [log, signal(7)]);
    assert.deepEqual(lines, ["effect that may read [[],null]"]);
    assert.deepEqual(log, [7]);
    assert.match(serverHead(text), /\["effect"\], \[/);
  });

  it("may read signals, computeds, store fields and arguments, also through local functions", () => {
    assert.deepEqual(reads("const n = signal(1); effect(() => p.log.push(n.value));"), [
      "() => $[0]",
      "() => void $[1].value",
    ]);
    assert.deepEqual(reads("const n = signal(1); effect(() => sync({ n }));"), ["() => ({ n: $[0] })"]);
    assert.deepEqual(reads("const s = store({ a: { b: [] } }); effect(() => s.a.b.filter(Boolean));"), [
      "() => $[0].a.b",
    ]);
    assert.deepEqual(reads("const n = signal(1); const go = () => n.value; effect(() => sync(go()));"), [
      "() => void $[0].value",
    ]);
    assert.deepEqual(reads("const n = signal(1); const d = computed(() => n.value); effect(() => sync(d.value));"), [
      "() => void $_d($).value",
    ]);
    assert.deepEqual(reads("effect(() => sync(p.count.value));"), ["() => void $[0].value"]);
  });

  it("may read what functions of parameters and props have captured, if it uses the values of their calls", () => {
    assert.deepEqual(reads("const n = signal(1); effect(() => { n.value = p.source(); });"), ["() => $Called($[1])"]);
    assert.deepEqual(reads("effect(() => { if (p.isOn()) p.onChange(); });"), ["() => $Called($[0])"]);
    assert.deepEqual(reads("effect(() => p.onChange());"), []);
    const hook = (params: string, call: string): string =>
      browserBody(
        `function useCopy(${params}) { const out = signal(""); effect(() => { out.value = ${call}; }); return out; }` +
          A("const s = signal(1); const d = useCopy(() => s.value); return <p>{d.value}</p>;"),
      );
    assert.match(hook("source", "source()"), /\[[^\]]*\(\) => \$Called\(\$\[1\]\), \]/);
    assert.match(hook("{ source }", "source()"), /\(\) => \$Called\(\$\[1\]\)/);
    assert.match(hook("options", "options.source()"), /\(\) => \$Called\(\$\[1\]\.source\)/);
  });

  it("does not watch values that it only writes or reads untracked", () => {
    assert.deepEqual(
      reads("const n = signal(1); const m = signal(1); effect(() => { n.value = 1; untrack(() => m.value); });"),
      [],
    );
  });

  it("may read a browser global only after a typeof check", () => {
    const error = compileError(A("effect(() => { document.title = p.title; }); return <p>x</p>;"));
    assert.equal(error.code, "SVC111");
    assert.match(error.message, /"document" exists only in the browser.*onLoad/);
    browserBody(
      A('effect(() => { if (typeof document !== "undefined") document.title = p.title; }); return <p>x</p>;'),
    );
    browserBody(A("onLoad(() => { effect(() => { document.title = p.title; }); }); return <p>x</p>;"));
  });

  it("that sets a signal it reads is rejected, because it would trigger itself endlessly", () => {
    const refused = (body: string): string =>
      compileError(A(`const n = signal(1); effect(() => { ${body} }); return <p>x</p>;`)).message;
    assert.match(refused("n.value++;"), /SVC111 .*\n"n\.value" .*untrack\(\(\) => n\.value\)/);
    assert.match(refused("n.value += p.by;"), /SVC111/);
    browserBody(
      A(
        "const n = signal(1); effect(() => { n.value = untrack(() => n.value) + 1; later(() => n.value++); }); return <p>x</p>;",
      ),
    );
  });

  it("inside a handler is that of the part effect, with its cleanup", () => {
    const text = A(
      "const n = signal(1); onLoad(() => { effect(() => { onCleanup(() => stop()); return n.value; }); }); return <p>x</p>;",
    );
    assert.deepEqual(browserImports(text), ['import { L as $L, effect, onCleanup } from "/_svc/effect.js";']);
  });
});

describe("a lifecycle callback", () => {
  it("is called by the part effect if it may return a cleanup function, else it is a plain handler", () => {
    const code = (callback: string): string => browserBody(A(`onLoad(${callback}); return <p>x</p>;`));
    assert.match(code("() => { go(); return () => stop(); }"), /\$L\(\$el, /);
    assert.match(code("() => subscribe(p.id)"), /\$L\(\$el, /);
    assert.match(code("() => { onCleanup(stop); }"), /\$L\(\$el, /);
    assert.equal(code("() => { go(); }"), "export const h0 = ($) => { go(); };");
  });
});
