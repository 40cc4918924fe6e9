import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { onCleanup } from "../../reactivity/cleanup.ts";
import { signal } from "../../reactivity/signal.ts";
import { effect } from "./effect.ts";
import { renderInto } from "../current-page.ts";
import { Render } from "../render.ts";

function rendered(view: () => unknown): Render {
  const render = new Render({ build: "b", chunks: {}, actions: [] }, () => "token");
  try {
    renderInto(render, view);
  } finally {
    render.end();
  }
  return render;
}

describe("an effect on the server", () => {
  it("runs once, regardless of changes, and is cleaned up after the render", () => {
    const log: string[] = [];
    const count = signal(1);
    rendered(() => {
      effect(() => {
        log.push(`run ${count.value}`);
        onCleanup(() => log.push("undone"));
        return () => log.push("undone again");
      });
      count.value = 2;
      log.push("rendered");
      return "";
    });
    count.value = 3;
    assert.deepEqual(log, ["run 1", "rendered", "undone", "undone again"]);
  });

  it("is cleaned up if the page fails, and its cleanup error is reported, not thrown", () => {
    const log: string[] = [];
    const failing = (): void =>
      void rendered(() => {
        effect(() => () => log.push("undone"));
        throw new Error("page");
      });
    assert.throws(failing, /page/);
    assert.deepEqual(log, ["undone"]);
    const { errors } = rendered(() => {
      effect(() => () => {
        throw new Error("undoing");
      });
      return "";
    });
    assert.match(String(errors[0]), /undoing/);
  });

  it("runs its cleanups if it throws", () => {
    const log: string[] = [];
    assert.throws(() =>
      rendered(() => {
        effect(() => {
          onCleanup(() => log.push("undone"));
          throw new Error("half");
        });
        return "";
      }),
    );
    assert.deepEqual(log, ["undone"]);
  });

  it("reacts to signals outside of a page, and runs its cleanup", () => {
    const log: string[] = [];
    const count = signal(1);
    const end = effect(() => {
      const { value } = count;
      log.push(`run ${value}`);
      onCleanup(() => log.push(`undo ${value}`));
    });
    count.value = 2;
    end();
    count.value = 3;
    assert.deepEqual(log, ["run 1", "undo 1", "run 2", "undo 2"]);
  });
});
