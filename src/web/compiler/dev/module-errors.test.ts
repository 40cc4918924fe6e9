import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { moduleErrors } from "./module-errors.ts";

describe("the search for the errors of all modules", () => {
  it("compiles the modules of the app, and neither the framework nor packages", async () => {
    const imports: Record<string, string[]> = {
      "/app/app.ts": ["svckit", "svckit/jsx-runtime.js", "./page.tsx", "lib"],
      "/app/page.tsx": ["svckit/i18n.js", "./app.ts"],
    };
    const compiled: string[] = [];
    const environment = {
      transformRequest: async (module: string) => {
        compiled.push(module);
        return { deps: imports[module] ?? assert.fail(module) };
      },
      pluginContainer: {
        // A linked framework is not in node_modules.
        resolveId: async (specifier: string) => ({
          id: /^(?:svckit|\.)/.test(specifier)
            ? `/app/${specifier.replace("./", "")}`
            : `/node_modules/${specifier}.js`,
        }),
      },
    };
    (await moduleErrors(environment, "/app/app.ts")).throwAny();
    assert.deepEqual(compiled, ["/app/app.ts", "/app/page.tsx"]);
  });
});
