import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { signal } from "../../reactivity/signal.ts";
import { Answer, SvcError } from "../../../platform/shared/errors.ts";
import { ErrorBoundary } from "./error-boundary.ts";
import { html } from "../html.ts";
import { block, scope } from "../compiled.ts";
import { renderInto } from "../current-page.ts";
import { Render } from "../render.ts";

const newRender = (): Render => new Render({ build: "b", chunks: { "x.tsx": "x-1" }, actions: [] }, () => "token");
const shown = block("x.tsx", "b0", ["click"], []);

describe("an error boundary", () => {
  it("removes the scopes and values of failed content from the state, and wakes none of its scopes", () => {
    const page = newRender();
    const shared = signal("shared");
    const write = (...values: unknown[]): string => `<b${scope(shown, values.length, values)}></b>`;
    const fails = html(() => {
      write(shared, signal("lost"));
      throw new Error("x");
    });
    const view = (): unknown => [
      html(() => write(shared)),
      ErrorBoundary({ fallback: html(() => write(signal("kept"))), children: fails }),
      html(() => write(signal("last"))),
    ];
    assert.equal(renderInto(page, view), '<b s="1 x-1"></b><b s="2 x-1"></b><b s="3 x-1"></b>');
    const { s, v } = JSON.parse(page.state()) as { s: unknown; v: unknown };
    assert.deepEqual(s, { 1: ["x-1", "b0", 0], 2: ["x-1", "b0", 1], 3: ["x-1", "b0", 2] });
    assert.deepEqual(v, [
      [0, "shared", [1]],
      [0, "kept", [2]],
      [0, "last", [3]],
    ]);
  });

  it("reports the errors it caught, and lets redirects and refusals pass", () => {
    const page = newRender();
    const thrown = (error: unknown): string =>
      renderInto(page, () =>
        ErrorBoundary({
          fallback: "sorry",
          children: html(() => {
            throw error;
          }),
        }),
      );
    const fault = new Error("x");
    assert.equal(thrown(fault), "sorry");
    assert.deepEqual(page.errors, [fault]);
    assert.throws(() => thrown(new Answer("elsewhere")), Answer);
    assert.throws(() => thrown(new SvcError("SVC_NOT_FOUND", "none")), { code: "SVC_NOT_FOUND" });
    assert.equal(thrown(new SvcError("SVC110", "a mistake")), "sorry");
  });
});
