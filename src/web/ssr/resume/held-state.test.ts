import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { store } from "../../reactivity/server-store.ts";
import { signal } from "../../reactivity/signal.ts";
import { held, passedState, stateOf, wholeState, withMembers } from "./held-state.ts";
import { isLive, LIVE, live, livePart, prop } from "./live-props.ts";

describe("state in values that the compiler does not know", () => {
  it("is a store, or an object inside of one", () => {
    const board = store({ columns: [{ title: "a" }], due: new Date(0) });
    assert.equal(stateOf(board, "columns"), board);
    assert.equal(stateOf(board.columns, "length"), board.columns);
    assert.equal(stateOf(board.columns[0], "title"), board.columns[0]);
    assert.equal(stateOf(board.due, "getTime"), undefined);
    assert.equal(stateOf({ columns: [{ title: "a" }] }, "columns title"), undefined);
    assert.equal(stateOf("a", "length"), undefined);
  });

  it("contains only the members that the component reads", () => {
    const data = store({ user: { name: "Ada" } });
    const model = { data, title: "Model", inner: { data, pin: 1 }, password: "secret", run: () => 1 };
    assert.deepEqual(stateOf(model, "data.user.name run title.length"), { data, title: "Model" });
    assert.deepEqual(stateOf(model, "inner.data.user"), { inner: { data } });
    assert.equal(stateOf(model, "title"), undefined);
    assert.equal(model.inner.pin, 1);
  });

  it("is passed on as a whole only if nothing else is in the value", () => {
    const data = store({ n: 1 });
    const form = { data, count: signal(1), isOpen: false, error: undefined, inner: { data } };
    for (const value of [form, data, [data]]) assert.equal(wholeState(value), value);
    for (const value of [{ data, title: "Model" }, { data, run: () => 1 }, { isOpen: true }, new Date(0), "a", null])
      assert.equal(wholeState(value), undefined);
    assert.equal(stateOf(form, "*"), form);
    assert.equal(stateOf({ data, title: "Model" }, "* data.n"), undefined);
  });

  it("is read without calling getters", () => {
    const model = {
      get data(): never {
        throw new Error("called");
      },
    };
    assert.equal(stateOf(model, "data.user"), undefined);
  });

  it("is added to the live props of an instance, whose own stay", () => {
    const data = store({ n: 1 });
    const own = { n: 1, [LIVE]: { n: data } };
    assert.equal(held(own, "~user1", { name: "Ada" }, "name"), own);
    assert.equal(held(undefined, "~user1", null, "name"), undefined);
    assert.deepEqual(held(own, "~data1", data, "n")?.[LIVE], { n: data, "~data1": data });
    assert.deepEqual(Object.keys(own[LIVE]), ["n"]);
    assert.deepEqual(held({}, "s", data, "n")?.[LIVE], { s: data });
  });

  it("is what a component reads of a prop, if the prop also contains other data", () => {
    const data = store({ n: 1 });
    const form = { data, title: "Form", password: "secret" };
    const props = live({ form }, { form: passedState(form) });
    assert.ok(!isLive(props, "form") && !isLive(props, "*"));
    assert.equal(prop(props, "form", form), form);
    assert.equal(withMembers(props, "form", "title"), props);
    const own = withMembers(props, "form", "data.n title");
    assert.ok(isLive(own, "form"));
    assert.deepEqual(prop(own, "form", form), { data, title: "Form" });
    // A component below decides by its own reads.
    const below = live({ form }, { form: livePart(props, "form") });
    assert.deepEqual(prop(withMembers(below, "form", "data.n"), "form", form), { data });
  });

  it("is passed on at once if it is all that a value contains", () => {
    const data = store({ n: 1 });
    assert.equal(passedState({ data })?.constructor, Object);
    assert.equal(passedState("text"), undefined);
    assert.equal(passedState(new Date(0)), undefined);
  });
});
