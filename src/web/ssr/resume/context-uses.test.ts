/** Pages contain the values of contexts that components read which the browser may create, and no others. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createContext, provide } from "../context.ts";
import { block, scope } from "../compiled.ts";
import { html } from "../html.ts";
import { renderPage } from "../render-page.ts";
import { uses } from "./context-uses.ts";
import type { TemplateInfo } from "../template-info.ts";

const Theme = createContext("plain", "theme.ts#Theme");
const Secret = createContext("none", "secret.ts#Secret");
const Unnamed = createContext("none");

const created = (list: TemplateInfo["uses"]): TemplateInfo => block("a.tsx", "b0", ["click"], [], ["A"], false, list);

/** The page of a scope inside of a provider of each context. */
function page(info: TemplateInfo): string {
  const write = (): string => `<p${scope(info, 0, [])}></p>`;
  const content = (): string =>
    provide(Theme, "dark", () => provide(Secret, "key of the vault", () => provide(Unnamed, "lost", write)));
  return renderPage(() => html(content), {
    nonce: "N",
    csrfToken: () => "token",
    manifest: { build: "b", chunks: { "a.tsx": "a-1" }, actions: [] },
    title: "Any",
    stub: "stub(__EVENTS__)",
  }).html;
}

describe("the state of a page", () => {
  it("has the value of a context that a created component reads through others, and no other provided value", () => {
    function useTheme(): void {}
    function Row(): void {}
    uses(useTheme, () => [[Theme], []]);
    uses(Row, () => [[], [useTheme, Row, "text", undefined]]);
    const found = page(created(() => [[], [Row]]));
    assert.match(found, /\[11,\["theme\.ts#Theme",\d+\]\]/);
    assert.doesNotMatch(found, /vault/);
  });

  it("has no provided value if no created component reads a context", () => {
    assert.doesNotMatch(page(created(undefined)), /dark|vault/);
    assert.doesNotMatch(page(created(() => [[], [() => undefined]])), /dark|vault/);
  });

  it("can't refer to a context whose declaration the compiler did not see", () => {
    assert.throws(() => page(created(() => [[Unnamed], []])), {
      code: "SVC_DEFINITION",
      message: /at the top of a module/,
    });
  });
});
