import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { actionStubs, exportedActions, type ExportedAction } from "./action-modules.ts";

const foundIn = (text: string): ExportedAction[] | undefined => exportedActions({ path: "actions.ts", text });
const actionsOf = (text: string): string[] | undefined => foundIn(text)?.map(({ exported }) => exported);

describe("a module of server actions", () => {
  it("is recognised by its exported calls of action under any local name", () => {
    assert.deepEqual(
      actionsOf(`
        import { action as serve } from "svckit";
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

  it("is not recognised by a mere mention of action", () => {
    assert.equal(actionsOf('import { page } from "svckit"; export const action = 1;'), undefined);
    assert.equal(actionsOf('import { action } from "other"; export const save = action(() => 1); // "svc"'), undefined);
    assert.equal(actionsOf("export const x = 1;"), undefined);
  });

  it("is not a file that only re-exports actions", () => {
    assert.deepEqual(
      actionsOf(
        'import { action } from "svckit"; const save = action(() => 1); export { save as other } from "./other.ts";',
      ),
      [],
    );
  });

  it("marks actions as streaming if their function is an inline or named async function*", () => {
    const found = foundIn(`
      import { action } from "svckit";
      import { schema, far } from "./schema.ts";
      async function* near() {}
      export const here = action(async function* () {});
      export const checked = action(schema, async function* ({ prompt }) {}, { timeout: 5 });
      export const named = action(near);
      export const once = action(async () => 1);
      export const plain = action(function* () {});
      export const unknown = action(far);`);
    assert.deepEqual(
      found?.filter(({ isStream }) => isStream).map(({ name }) => name),
      ["here", "checked", "named"],
    );
  });

  it("calls a default export by its local name, and rejects one without a name", () => {
    const text = 'import { action } from "svckit"; const save = action(() => 1); export default save;';
    assert.deepEqual(foundIn(text), [{ exported: "default", name: "save", isStream: false }]);
    assert.deepEqual(foundIn(text.replace("export default save", "export { save as default }")), foundIn(text));
    assert.throws(() => foundIn('import { action } from "svckit"; export default action(() => 1);'), {
      code: "SVC117",
    });
  });

  it("is replaced in the browser by stubs that call actions by name", () => {
    const plain = { isStream: false };
    assert.equal(
      actionStubs([
        { exported: "save", name: "save", ...plain },
        { exported: "default", name: "remove", ...plain },
        { exported: "ask", name: "ask", isStream: true },
      ]),
      [
        'import { act as $svc_act } from "/_svc/act.js";',
        'import { lines as $svc_lines } from "/_svc/lines.js";',
        'export const save = /* @__PURE__ */ $svc_act("save");',
        'export default /* @__PURE__ */ $svc_act("remove");',
        'export const ask = /* @__PURE__ */ $svc_lines("ask");',
        "",
      ].join("\n"),
    );
  });

  it("may contain actions with the names of runtime functions", () => {
    const stubs = actionStubs([
      { exported: "act", name: "act", isStream: false },
      { exported: "lines", name: "lines", isStream: true },
    ]);
    // Each name occurs once, imported or declared.
    const names = [...stubs.matchAll(/import \{ (?:\w+ as )?(\S+) \}|export const (\S+)/g)].map(
      (m) => m[1] ?? m[2] ?? "",
    );
    assert.deepEqual(names.toSorted(), ["$svc_act", "$svc_lines", "act", "lines"]);
  });
});
