import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { EMPTY_MANIFEST } from "../../platform/shared/manifest.ts";
import { systemClock } from "../../platform/shared/clock.ts";
import { Await } from "./components/await.ts";
import { featureScript, PageFeatures } from "./widget-scripts.ts";
import { html } from "./html.ts";
import { Modal } from "./components/modal.ts";
import { Popup } from "./components/popup.ts";
import { renderPage, type PageRenderOptions } from "./render-page.ts";
import { ThemeSwitch } from "./components/theme-switch.ts";
import { Toasts } from "./components/toasts.ts";

const OPTIONS: PageRenderOptions = {
  manifest: EMPTY_MANIFEST,
  csrfToken: () => "token",
  title: "Widgets",
  nonce: "n0",
  stub: "",
  stylesheets: ["/app.css"],
  clock: systemClock,
};

const pageOf = (view: () => unknown, options: Partial<PageRenderOptions> = {}): string =>
  renderPage(view, { ...OPTIONS, ...options }).html;

describe("a page with widgets", () => {
  it("has their stylesheet before its own, and each script once, with its nonce", () => {
    const page = pageOf(() => [
      Popup({ id: "a", label: "A", role: "menu" }),
      Popup({ id: "b", label: "B", role: "menu" }),
      Modal({ id: "c", title: "C" }),
    ]);
    assert.match(page, /<link rel="stylesheet" href="\/_svc\/ui\.css"><link rel="stylesheet" href="\/app\.css">/);
    assert.equal(page.split("ui.css").length, 2);
    assert.equal(page.split("/_svc/ui-menu.js").length, 2);
    assert.equal(page.match(/position-area.*?ui\.js/g)?.length, 1);
    for (const [script] of page.matchAll(/<script[^>]*>/g)) assert.match(script, / nonce="n0"/);
  });

  it("checks in one line whether the browser needs a fallback", () => {
    for (const name of ["place", "modal"] as const)
      assert.match(
        featureScript(name, { nonce: "n" }),
        /^<script data-svc-ui nonce="n">.+\|\|import\("\/_svc\/ui\.js"\)<\/script>$/,
      );
  });

  it("has no trace of widgets if it uses none", () => {
    assert.doesNotMatch(
      pageOf(() => html(() => "<p>x</p>")),
      /_svc|svc-/,
    );
  });

  it("sends the scripts and stylesheet for deferred content with that content, and not before", async () => {
    const { stream } = renderPage(
      () =>
        Await({
          value: new Promise<string>((done) => setImmediate(() => setImmediate(() => done("B")))),
          children: (label) => Popup({ id: "b", label }),
        }),
      OPTIONS,
    );
    assert.ok(stream);
    const parts: string[] = [];
    for await (const part of stream) parts.push(part);
    const at = parts.findIndex((part) => part.includes('id="b-button"'));
    assert.ok(at > 0);
    assert.doesNotMatch(parts.slice(0, at - 1).join(""), /ui\.css|ui\.js/);
    assert.match(parts.join(""), /ui\.css.*id="b-button".*ui\.js/s);
  });
});

describe("a required script or stylesheet", () => {
  it("is returned once", () => {
    const features = new PageFeatures();
    assert.deepEqual([features.newScripts(), features.newStyles()], [[], []]);
    features.use("menu");
    features.meet("pan");
    features.meet("click");
    assert.deepEqual([...features.newScripts()].sort(), ["gesture", "menu"]);
    assert.deepEqual(features.newStyles(), ["/_svc/ui.css"]);
    features.use("menu", "modal");
    assert.deepEqual([features.newScripts(), features.newStyles()], [["modal"], []]);
  });
});

describe("widgets", () => {
  it("escape their props, and reject invalid ids", () => {
    const hostile = `"><script>x</script>`;
    const page = pageOf(() => [
      Popup({ id: "a", label: hostile, class: hostile, "aria-label": hostile, children: hostile }),
      Modal({
        id: "b",
        title: hostile,
        label: hostile,
        closeLabel: hostile,
        closedby: hostile as "any",
        class: hostile,
      }),
      Toasts({ flash: hostile, "aria-label": hostile, closeLabel: hostile, tone: hostile as "bad" }),
    ]);
    assert.doesNotMatch(page, /<script>x/);
    for (const id of ["", "a b", '"', "1a", undefined as never]) {
      assert.throws(() => pageOf(() => Popup({ id, label: "x" })), { code: "SVC_DEFINITION" });
      assert.throws(() => pageOf(() => Modal({ id, title: "x" })), { code: "SVC_DEFINITION" });
    }
    assert.throws(() => pageOf(() => Popup({ id: "a", placement: "middle" as never })), { code: "SVC_DEFINITION" });
  });

  it("switch themes only if the app has themes enabled", () => {
    assert.throws(() => pageOf(() => ThemeSwitch({})), { code: "SVC_DEFINITION" });
    const page = pageOf(() => ThemeSwitch({ themes: ["dark"], labels: { dark: "<Nacht>" } }), { theme: "dark" });
    assert.match(page, /<html lang="en" data-svc-theme="dark" style="color-scheme:dark">/);
    assert.match(page, /<button name="theme" value="dark" aria-pressed="true">&lt;Nacht><\/button>/);
  });
});
