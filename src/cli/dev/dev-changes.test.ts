/** Each kind of file change under `svc dev`: which of them reload the app. Uses the real development host and its watcher. */
import assert from "node:assert/strict";
import { basename, join } from "node:path";
import { describe, it } from "node:test";
import { createDevHost } from "../../web/compiler/dev/dev-host.ts";
import { withTempApp } from "../../web/compiler/temp-app.testkit.ts";
import { watch } from "./dev-watch.ts";

const APP = {
  "app.tsx": 'import text from "./text.md?raw"; export default { text };',
  "text.md": "imported",
  "README.md": "not imported",
};

describe("A file change under svc dev", () => {
  it("reloads the app only if the file is part of it", async () => {
    await withTempApp(APP, async (app) => {
      const host = await createDevHost({ root: app.root });
      await host.loadApp();
      const seen = new Map<string, () => void>();
      host.onChange(({ file }) => seen.get(basename(file))?.());
      const reloads: string[] = [];
      const settings: string[] = [];
      let now = "";
      const stop = watch({
        host,
        root: app.root,
        written: [join(app.root, ".svc")],
        onCode: () => reloads.push(now),
        onSettings: (name) => settings.push(name),
        onStyle: () => undefined,
      });
      const change = async (file: string): Promise<void> => {
        const noticed = new Promise<void>((resolve) => seen.set(basename(file), resolve));
        now = file;
        await app.write(file, `// ${file}`);
        await noticed;
      };
      try {
        // The watcher itself ignores these two.
        for (const file of [".app.tsx.swp", "app.tsx~"]) await app.write(file, "swap");
        const others = ["README.md", "notes.txt", "new-folder/page.html", "data/app.db", "theme.css", ".env.local"];
        for (const file of others) await change(file);
        await Promise.all(Array.from({ length: 1000 }, (_, at) => change(`uploads/${at}.png`)));
        assert.deepEqual([reloads, settings], [[], [".env.local"]]);
        for (const file of ["text.md", "other/new.ts"]) await change(file);
        assert.deepEqual(reloads, ["text.md", "other/new.ts"]);
      } finally {
        stop();
        await host.close();
      }
    });
  });
});
