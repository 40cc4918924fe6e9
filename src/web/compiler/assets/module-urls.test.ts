import assert from "node:assert/strict";
import path from "node:path";
import { describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { buildApp } from "../build/build.ts";
import { createDevHost } from "../dev/dev-host.ts";
import { withTempApp } from "../temp-app.testkit.ts";

const FILES = {
  "app.tsx": `import { helper } from "./parts/helper.ts"; import { own } from "./own.server.ts"; import { Page } from "./page.tsx";
    export default { helper, own, photo: new URL("./photo.png", import.meta.url), list: new URL("./list.txt", import.meta.url).protocol, Page };`,
  "page.tsx": `import { signal } from "svckit"; import { helper } from "./parts/helper.ts";
    export const Page = () => { const n = signal(""); return <p onClick={() => (n.value = helper)}>{n.value}</p>; };`,
  "parts/helper.ts": 'export const helper = new URL("../photo.png", import.meta.url).pathname;',
  "own.server.ts": 'export const own = new URL("./photo.png", import.meta.url).href;',
  "photo.png": "no real image",
  "list.txt": "read by the server",
};

interface Loaded {
  helper: string;
  own: string;
  photo: URL;
  list: string;
}

describe("new URL with import.meta.url", () => {
  it("is the URL that browsers load in server code of a build, and a file in server modules", async () => {
    await withTempApp(FILES, async (app) => {
      const { manifest } = await buildApp({ root: app.root });
      const entry = pathToFileURL(path.join(app.root, "dist/server/app.js")).href;
      const { default: built } = (await import(entry)) as { default: Loaded };
      assert.match(built.helper, /^\/_svc\/asset\/photo-[0-9a-f]{8}\.png$/);
      assert.deepEqual(
        [built.photo.href, `${built.photo}`, JSON.stringify(built.photo)],
        [built.helper, built.helper, `"${built.helper}"`],
      );
      assert.match(built.own, /^file:.*\/photo\.png$/);
      assert.equal(built.list, "file:");
      const chunk = await app.read(`dist/client/handler/${manifest.chunks["page.tsx"]}.js`);
      assert.ok(chunk.includes(built.helper), chunk);
    });
  });

  it("is the URL that browsers load under svc dev", async () => {
    await withTempApp(FILES, async (app) => {
      const host = await createDevHost({ root: app.root });
      try {
        const { default: loaded } = (await host.loadApp()) as unknown as { default: Loaded };
        assert.deepEqual(
          [loaded.helper, loaded.photo.href],
          ["/_svc/dev/files/photo.png", "/_svc/dev/files/photo.png"],
        );
        assert.match(loaded.own, /^file:.*\/photo\.png$/);
        assert.match(
          (await host.chunk(host.manifest().chunks["page.tsx"] ?? "")) ?? "",
          /\/_svc\/dev\/files\/photo\.png/,
        );
      } finally {
        await host.close();
      }
    });
  });
});
