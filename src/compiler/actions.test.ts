import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { actionStubs, exportedActions } from "./actions.ts";

const actionsOf = (text: string): string[] | undefined => exportedActions({ path: "actions.ts", text });

describe("a module of server actions", () => {
  it("is known by its exported calls of action, whatever that is called there", () => {
    assert.deepEqual(
      actionsOf(`
        import { action as serve } from "svc";
        import { schema } from "./schema.ts";
        export const save = serve(schema, (input) => input), remove = serve(() => 1);
        const inner = serve(() => 2);
        const later = serve(() => 3);
        export { later, inner as renamed };
        export const LIMIT = 5;
        export function help() {}`),
      ["save", "remove", "later", "renamed"],
    );
  });

  it("is no module that only mentions them", () => {
    assert.equal(actionsOf('import { page } from "svc"; export const action = 1;'), undefined);
    assert.equal(actionsOf('import { action } from "other"; export const save = action(() => 1); // "svc"'), undefined);
    assert.equal(actionsOf("export const x = 1;"), undefined);
  });

  it("is stubs in the browser that call by name", () => {
    assert.equal(
      actionStubs(["save", "remove"]),
      [
        'import { act } from "/_svc/act.js";',
        'export const save = /* @__PURE__ */ act("save");',
        'export const remove = /* @__PURE__ */ act("remove");',
        "",
      ].join("\n"),
    );
  });
});
