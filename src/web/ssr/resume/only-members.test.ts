import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { store } from "../../reactivity/server-store.ts";
import { signal } from "../../reactivity/signal.ts";
import { renderInto } from "../current-page.ts";
import { Render } from "../render.ts";
import { only } from "./only-members.ts";

function inPage(check: () => void): void {
  renderInto(new Render({ build: "b", chunks: {}, actions: [] }, () => ""), () => {
    check();
    return "";
  });
}

describe("an object of which a component uses some members", () => {
  it("is sent without the others, as one object for all captures", () => {
    const set = (): void => {};
    const form = { set, values: { name: "a" }, apiKey: "hidden" };
    inPage(() => {
      const sent = only(form, "set values");
      assert.deepEqual(sent, { set, values: form.values });
      assert.equal(only(form, "set values"), sent);
      assert.deepEqual(only(form, "values"), { values: form.values });
    });
  });

  it("has the members of today in each page, because a constant of a module may have changed", () => {
    const api = { settings: { theme: "light" }, load: () => 1, key: 1 };
    inPage(() => assert.equal(only(api, "load settings").settings.theme, "light"));
    api.settings = { theme: "dark" };
    inPage(() => assert.equal(only(api, "load settings").settings.theme, "dark"));
  });

  it("is sent as it is if code elsewhere may set a member that it uses", () => {
    const drag = { item: undefined, title: "a", drop: () => {} };
    for (const members of ["item", "drop title", "missing"]) assert.equal(only(drag, members), drag, members);
  });

  it("is sent as it is if nothing is left out", () => {
    const pair = { a: 1, b: 2 };
    assert.equal(only(pair, "a b"), pair);
  });

  it("is sent as it is if a member reaches others by itself", () => {
    const counter = {
      n: 0,
      inc() {
        return this.n++;
      },
    };
    assert.equal(only(counter, "inc"), counter);
    const lazy = {
      key: 1,
      get label() {
        return "a";
      },
    };
    assert.equal(only(lazy, "label"), lazy);
  });

  it("is sent as it is if it is a signal, a store, a list, an instance or no object", () => {
    for (const value of [signal(1), store({ a: 1, b: 2 }), [1, 2], new Map(), () => 1, "text", null, undefined])
      assert.equal(only(value, "a"), value);
  });
});
