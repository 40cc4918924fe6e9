import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { html } from "../html.ts";
import { outlet } from "./outlet.ts";
import { renderPage, type PageRenderOptions } from "../render-page.ts";

const options = (changes: Partial<PageRenderOptions>): PageRenderOptions => ({
  nonce: "N",
  csrfToken: () => "token",
  manifest: { build: "b1", chunks: {}, actions: [] },
  title: "Title",
  stub: "",
  ...changes,
});
const page = (changes: Partial<PageRenderOptions>): string =>
  renderPage(() => html(() => "<p>static</p>"), options(changes)).html;

describe("an outlet", () => {
  it("writes escaped content between two marks with its key", () => {
    assert.equal(String(outlet("a1", "<b>")), "<!--svc:slot a1-->&lt;b><!--/svc:slot-->");
  });

  it("rejects a key that could end the mark", () => {
    for (const key of ["", "a--b", "-->", "a b"]) assert.throws(() => outlet(key, ""), { code: "SVC_DEFINITION" });
  });
});

describe("a static page", () => {
  it("has no script if the browser follows its links", () => {
    assert.doesNotMatch(page({ navigation: "links" }), /script/);
    assert.doesNotMatch(page({}), /script/);
  });

  it("has only the links script, with its build id, if navigation is enhanced", () => {
    assert.deepEqual(
      page({ navigation: "enhanced" })
        .match(/<script.*<\/script>/)?.[0]
        .split("</script>"),
      [`<script type="module" async nonce="N" src="/_svc/links.js" data-svc-links="b1">`, ""],
    );
  });

  it("contains the Trusted Types policy if the app requires Trusted Types", () => {
    assert.match(
      page({ navigation: "enhanced", policy: "policy()" }),
      /<script nonce="N">policy\(\)<\/script><script type="module"/,
    );
    assert.doesNotMatch(page({ policy: "policy()" }), /script/);
  });
});
