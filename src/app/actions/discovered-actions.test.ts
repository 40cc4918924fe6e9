import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { action } from "./action.ts";
import { withDiscovered } from "./discovered-actions.ts";

const [one, two] = [action(async () => 1), action(async () => 2)];
const found = (name: string, module: string, value = one) => ({ name, module, action: () => value });

describe("discovered actions", () => {
  it("are those that browser code calls, and listed ones override them", () => {
    const discovered = [found("save", "a.ts"), found("unused", "a.ts"), found("add", "b.ts")];
    assert.deepEqual(withDiscovered({ add: two }, discovered, ["save", "add"]), { save: one, add: two });
    assert.deepEqual(Object.keys(withDiscovered({}, discovered, undefined)), ["save", "unused", "add"]);
  });

  it("of two files must not share a name", () => {
    assert.throws(() => withDiscovered({}, [found("save", "a.ts"), found("save", "b.ts", two)], undefined), {
      code: "SVC_DEFINITION",
      message: /Two actions are called "save", in a\.ts and in b\.ts/,
    });
    assert.deepEqual(withDiscovered({}, [found("save", "a.ts"), found("save", "a.ts")], ["save"]), { save: one });
  });
});
