import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import sharp from "sharp";
import type { ImageSource } from "../../../platform/shared/image-source.ts";
import { SvcError } from "../../../platform/shared/errors.ts";
import { buildApp } from "../build/build.ts";
import { createDevHost } from "../dev/dev-host.ts";
import { devChunkOf, withTempApp, type TempApp } from "../temp-app.testkit.ts";
import { ImageFiles } from "./images.ts";

const FILES = {
  "app.tsx": `import photo from "./photo.png?image"; import turned from "./turned.jpg?image"; import logo from "./logo.svg?image"; import url from "./photo.png"; import { Page } from "./page.tsx";
    export default { photo, turned, logo, url, Page };`,
  "page.tsx": `import { signal } from "svckit"; import photo from "./photo.png?image";
    export const Page = () => { const n = signal(""); return <p onClick={() => (n.value = photo.src)}>{n.value}</p>; };`,
  "logo.svg": '<svg xmlns="http://www.w3.org/2000/svg" width="30" height="20"/>',
};

interface Loaded {
  photo: ImageSource;
  turned: ImageSource;
  logo: ImageSource;
  url: string;
}

/** Noise, which no format makes small, scaled up, which all do. */
async function writePictures({ root }: TempApp): Promise<void> {
  const raw = { raw: { width: 30, height: 20, channels: 3 as const } };
  const picture = sharp(randomBytes(1800), raw).resize({ width: 600, height: 400 });
  await writeFile(path.join(root, "photo.png"), await picture.clone().png().toBuffer());
  const turned = picture.clone().resize({ width: 60 }).jpeg({ quality: 100 }).withMetadata({ orientation: 6 });
  await writeFile(path.join(root, "turned.jpg"), await turned.toBuffer());
}

const builtIn = async (root: string): Promise<Loaded> =>
  (
    (await import(`${pathToFileURL(path.join(root, "dist/server/app.js")).href}?${Math.random()}`)) as {
      default: Loaded;
    }
  ).default;

describe("an image imported with ?image", () => {
  it("has its size, and AVIF and WebP versions in a build, which the build writes", async () => {
    await withTempApp(FILES, async (app) => {
      await writePictures(app);
      const { hints, manifest } = await buildApp({ root: app.root });
      const { photo, turned, logo, url } = await builtIn(app.root);
      assert.deepEqual(hints, []);
      assert.deepEqual([photo.src, photo.width, photo.height], [url, 600, 400]);
      assert.deepEqual(
        photo.sources.map(({ type }) => type),
        ["image/avif", "image/webp"],
      );
      for (const { type, srcset } of photo.sources) {
        const versions = srcset.split(", ").map((one) => one.split(" "));
        assert.deepEqual(
          versions.map(([, width]) => width),
          ["480w", "600w"],
        );
        for (const [name = "", width = ""] of versions) {
          assert.match(name, /^\/_svc\/asset\/photo-\d+-[0-9a-f]{8}\.(?:avif|webp)$/);
          const written = await sharp(
            await readFile(path.join(app.root, "dist/client", name.slice("/_svc/".length))),
          ).metadata();
          assert.deepEqual(
            [`image/${written.format === "heif" ? "avif" : written.format}`, `${written.width}w`],
            [type, width],
          );
        }
      }
      assert.deepEqual([turned.width, turned.height], [40, 60], "as its orientation shows it");
      assert.deepEqual([logo.width, logo.height, logo.sources], [30, 20, []]);
      assert.ok((await app.read(`dist/client/handler/${manifest.chunks["page.tsx"]}.js`)).includes(url));
    });
  });

  it("is the original with its size under svc dev, and follows an edit", async () => {
    await withTempApp(FILES, async (app) => {
      await writePictures(app);
      const host = await createDevHost({ root: app.root });
      try {
        const load = async (): Promise<ImageSource> =>
          ((await host.loadApp()) as unknown as { default: Loaded }).default.photo;
        assert.deepEqual(await load(), { src: "/_svc/dev/files/photo.png", width: 600, height: 400, sources: [] });
        const noticed = new Promise<boolean>((resolve) => host.onChange(({ isUsed }) => resolve(isUsed)));
        const small = sharp({ create: { width: 3, height: 2, channels: 3, background: "red" } });
        await writeFile(path.join(app.root, "photo.png"), await small.png().toBuffer());
        assert.equal(await noticed, true);
        assert.deepEqual([(await load()).width, (await load()).height], [3, 2]);
      } finally {
        await host.close();
      }
    });
  });

  it("keeps its format in a build without sharp, which says how to install it", async () => {
    await withTempApp({}, async (app) => {
      await writePictures(app);
      const images = new ImageFiles(true, async () => undefined);
      const code = await images.moduleOf(path.join(app.root, "photo.png"), app.root);
      assert.match(code, /"width":600,"height":400,"sources":\[\]/);
      assert.match((await images.hint()) ?? "", /npm install --save-dev sharp/);
      assert.equal(await new ImageFiles(true).hint(), undefined, "without images");
    });
  });

  it("is refused if the file is no image, with its name", async () => {
    await withTempApp({ "text.png": "no image" }, async (app) => {
      await assert.rejects(
        new ImageFiles(true).moduleOf(path.join(app.root, "text.png"), app.root),
        (error) => error instanceof SvcError && error.code === "SVC128" && error.message.includes("text.png"),
      );
    });
  });

  it("is shown by <Image> in rows that the browser creates, too", async () => {
    const row = `import { signal } from "svckit"; import { Image } from "svckit/assets";
      export const Page = () => { const l = signal([1]); return <ul onClick={() => (l.value = [2])}>{l.value.map((x) => <li key={x}><Image src="/a.png" width={1} height={1} alt="" /></li>)}</ul>; };`;
    const code = await devChunkOf({ "view.tsx": row });
    assert.match(code, /import\(?.*\/_svc\/image\.js|load\("image"\)/);
  });
});
