import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { store } from "../../reactivity/server-store.ts";
import { signal } from "../../reactivity/signal.ts";
import { renderInto } from "../current-page.ts";
import { Render } from "../render.ts";
import { only } from "./only-members.ts";
import { ValueTable } from "./values.ts";

const captor = { moduleId: "view.tsx", bind: 0 as const, names: ["View", "user", "list"] };

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

  it("is sent with texts, numbers and members that it lacks", () => {
    const user: Record<string, unknown> = { id: 1, name: "Ann", token: "hidden" };
    assert.deepEqual(only(user, "id name nickname"), { id: 1, name: "Ann" });
    assert.equal(only(user, "hasOwnProperty"), user);
  });

  it("is sent as a whole to all if other code captures it as a whole, so that they share what it sets", () => {
    const user = { id: 1, name: "Ann", token: "hidden" };
    inPage(() => {
      const table = new ValueTable();
      const own = table.add(only(user, "id"), undefined, captor, 0);
      const around = table.add([{ user }], undefined, captor, 1);
      const state = JSON.stringify(table.toJson(0, { indexOfNested: () => 0 }));
      assert.match(state, /hidden/);
      assert.equal(state.split("Ann").length, 2, "once");
      assert.ok(table.within(own).length > 0 && around === 1);
    });
    inPage(() => {
      const table = new ValueTable();
      table.add(only(user, "id"), undefined, captor, 0);
      assert.deepEqual(table.toJson(0, { indexOfNested: () => 0 }), [[1, { id: 1 }]]);
    });
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
