/** Each kind of file change under `svc dev`: which of them reload the app. Uses the real development host and its watcher. */
import assert from "node:assert/strict";
import { basename, join } from "node:path";
import { describe, it, mock } from "node:test";
import { createDevHost } from "../../web/compiler/dev/dev-host.ts";
import { withTempApp } from "../../web/compiler/temp-app.testkit.ts";
import { watch, type WatchOptions } from "./dev-watch.ts";

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
      let onSettings = (): void => undefined;
      const reported = new Promise<void>((resolve) => (onSettings = resolve));
      let now = "";
      const stop = watch({
        host,
        root: app.root,
        written: [join(app.root, ".svc")],
        onCode: () => reloads.push(now),
        onSettings: (name) => {
          settings.push(name);
          onSettings();
        },
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
        await reported;
        // On a slow machine one save is several events, further apart than the quiet time. The next test counts reports with a clock.
        assert.deepEqual([reloads, [...new Set(settings)]], [[], [".env.local"]]);
        for (const file of ["text.md", "other/new.ts"]) await change(file);
        assert.deepEqual([...new Set(reloads)], ["text.md", "other/new.ts"]);
      } finally {
        stop();
        await host.close();
      }
    });
  });

  it("of the settings is reported once, although a save is several events", () => {
    mock.timers.enable({ apis: ["setTimeout"] });
    const settings: string[] = [];
    let change = (_file: string): void => undefined;
    const onChange: WatchOptions["host"]["onChange"] = (listener) => {
      change = (file) => listener({ file, isUsed: false, styles: [] });
      return () => undefined;
    };
    const onSettings = (name: string): void => void settings.push(name);
    const nothing = (): void => undefined;
    const stop = watch({
      host: { onChange },
      root: "/app",
      written: [],
      onCode: nothing,
      onSettings,
      onStyle: nothing,
    });
    for (const file of ["/app/.env.local", "/app/vite.config.ts", "/app/.env.local"]) change(file);
    mock.timers.tick(1000);
    change("/app/.env.local");
    mock.timers.tick(1000);
    assert.deepEqual(settings, ["vite.config.ts", ".env.local", ".env.local"]);
    stop();
    mock.timers.reset();
  });
});
