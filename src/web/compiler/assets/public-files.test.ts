import assert from "node:assert/strict";
import path from "node:path";
import { describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { SvcError } from "../../../platform/shared/errors.ts";
import { buildApp } from "../build/build.ts";
import { createDevHost } from "../dev/dev-host.ts";
import { withTempApp } from "../temp-app.testkit.ts";
import { PublicFiles, withPublicFiles } from "./public-files.ts";

const FILES = {
  "app.tsx": `import { asset } from "svckit/assets"; import { Page } from "./page.tsx";
    export default { style: asset("/theme/app.css"), icon: asset("/icons.svg#cart"), Page };`,
  "page.tsx": `import { signal } from "svckit"; import { asset as fileOf } from "svckit/assets"; import { helper } from "./helper.ts";
    export const Page = () => { const n = signal(""); return <p onClick={() => (n.value = fileOf("/theme/app.css") + helper)}>{n.value}</p>; };`,
  "helper.ts": 'import { asset } from "svckit/assets"; export const helper = asset("/icons.svg");',
  "public/theme/app.css": "body { color: red }",
  "public/icons.svg": "<svg/>",
};

/** @returns whether the error is SVC127 and names a part */
const isUnknown =
  (part: RegExp) =>
  (error: unknown): boolean =>
    error instanceof SvcError && error.code === "SVC127" && part.test(error.message);

describe("asset", () => {
  it("gives the server and the browser the same URL with a hash in a build, and copies the file there", async () => {
    await withTempApp(FILES, async (app) => {
      const { manifest } = await buildApp({ root: app.root });
      const entry = pathToFileURL(path.join(app.root, "dist/server/app.js")).href;
      const { default: built } = (await import(entry)) as { default: { style: string; icon: string } };
      assert.match(built.style, /^\/theme\/app-[0-9a-f]{8}\.css$/);
      assert.match(built.icon, /^\/icons-[0-9a-f]{8}\.svg#cart$/);
      const chunk = await app.read(`dist/client/handler/${manifest.chunks["page.tsx"]}.js`);
      assert.ok(chunk.includes(built.style) && chunk.includes(built.icon.replace("#cart", "")), chunk);
      assert.equal(await app.read(`dist/client/public${built.style}`), "body { color: red }");
      assert.equal(await app.read("dist/public/theme/app.css"), "body { color: red }");
    });
  });

  it("gives another URL after a change of the content, and keeps the file for pages of the earlier build", async () => {
    await withTempApp(FILES, async (app) => {
      await buildApp({ root: app.root });
      await app.write("public/icons.svg", "<svg></svg>");
      await buildApp({ root: app.root });
      assert.equal((await app.list("dist/client/public")).filter((name) => name.startsWith("icons-")).length, 2);
    });
  });

  it("gives the path itself under svc dev, where an added or removed file reloads the app", async () => {
    await withTempApp({ ...FILES, "helper.ts": "export const helper = 1;" }, async (app) => {
      const host = await createDevHost({ root: app.root });
      try {
        const { default: loaded } = (await host.loadApp()) as unknown as { default: { style: string } };
        assert.equal(loaded.style, "/theme/app.css");
        assert.match((await host.chunk(host.manifest().chunks["page.tsx"] ?? "")) ?? "", /= "\/theme\/app\.css/);
        const uses: boolean[] = [];
        const write = async (file: string, text: string): Promise<void> => {
          const noticed = new Promise<void>((resolve) => {
            const stop = host.onChange((change) => {
              if (!change.file.endsWith(file)) return;
              stop();
              uses.push(change.isUsed);
              resolve();
            });
          });
          await app.write(file, text);
          await noticed;
        };
        await write("public/other.js", "");
        await write("app.tsx", FILES["app.tsx"].replace("/theme/app.css", "/theme/new.css"));
        await assert.rejects(host.loadApp(), isUnknown(/public\/theme\/new\.css does not exist/));
        await write("public/theme/new.css", "");
        await host.loadApp();
        assert.deepEqual(uses, [false, true, true]);
      } finally {
        await host.close();
      }
    });
  });

  it("refuses unknown files, paths outside of public/ and computed paths, with their position", () => {
    const compile = (argument: string): unknown =>
      withPublicFiles(
        { path: "app.ts", text: `import { asset } from "svckit/assets";\nasset(${argument});` },
        path.join(import.meta.dirname, "public"),
        new PublicFiles(true),
      );
    assert.throws(() => compile('"/nope.css"'), isUnknown(/app\.ts:2:7[^]*public\/nope\.css does not exist/));
    assert.throws(() => compile('"/../public-files.js"'), isUnknown(/does not exist/));
    assert.throws(() => compile('"nope.css"'), isUnknown(/begins with a slash/));
    assert.throws(() => compile("name"), isUnknown(/string in quotes/));
  });
});
