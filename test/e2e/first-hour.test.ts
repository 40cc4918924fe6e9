/**
 * What a newcomer adds in the first hour to the app that `svc new` wrote: Tailwind, a CSS module, images, a font, an alias, variables and
 * a component test. The published package runs it under svc dev, svc start and as a static export, in a browser under the production policy.
 */
import assert from "node:assert/strict";
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { Browser, Page } from "playwright-core";
import sharp from "sharp";
import { launchBrowser, openTab } from "./browser.ts";
import { root, startDemo, type DemoServer } from "./demo-server.ts";
import { readGuidePage } from "./guide-page.ts";
import { packedApp, run, type PackedApp } from "./packed-app.ts";
import { startStaticHost, type StaticHost } from "./static-host.ts";

const { files: testing } = readGuidePage(join(root, "docs/guide/testing.md"));
const guide = (name: string): string => testing.get(name) ?? "";

const FILES: Readonly<Record<string, string>> = {
  ".env": "VITE_SHOP=Leaf\nSHOP_KEY=never-in-a-browser\n",
  "env.d.ts": `/// <reference types="svckit/client" />
interface ImportMetaEnv { readonly VITE_SHOP: string; }
`,
  "vite.config.ts": `import tailwind from "@tailwindcss/vite";
import { defineConfig } from "vite";
export default defineConfig({ plugins: [tailwind()], resolve: { alias: { "@": import.meta.dirname } } });
`,
  // The guide's, with the alias and a second folder.
  "vitest.config.ts": guide("vitest.config.ts").replace(
    'include: ["*.test.tsx"] }',
    'include: ["*/*.test.tsx"] }, resolve: { alias: { "@": import.meta.dirname } }',
  ),
  "guide/counter.tsx": guide("counter.tsx"),
  "guide/counter.test.tsx": guide("counter.test.tsx"),
  "parts/words.ts": 'export const title = "Shelf";\n',
  "parts/counter.tsx": `import { signal } from "svckit";
import names from "./counter.module.css";
export function Counter() {
  const count = signal(0);
  return (
    <button type="button" class={count.value > 0 ? \`\${names["used"]} pt-[9px]\` : names["fresh"]} onClick={() => count.value++}>
      Count: {count.value}
    </button>
  );
}
`,
  "parts/counter.module.css": ".fresh { color: rgb(10, 11, 12); }\n.used { color: rgb(13, 14, 15); }\n",
  "parts/counter.test.tsx": `import { within } from "@testing-library/dom";
import { JSDOM } from "jsdom";
import { createApp, page } from "svckit";
import { createTestClient } from "svckit/testing";
import { expect, test } from "vitest";
import { Counter } from "./counter.tsx";

test("shows its count", async () => {
  const app = createApp({ pages: [page("/", { title: "Test", view: () => <Counter /> })] });
  const { window } = new JSDOM(await (await createTestClient(app).get("/")).text());
  const button = within(window.document.body).getByRole("button", { name: "Count: 0" });
  expect(button.className).toMatch(/fresh_/);
  await app.close();
});
`,
  "pages/shelf.tsx": `import { Image, asset } from "svckit/assets";
import { title } from "@/parts/words.ts";
import { Counter } from "@/parts/counter.tsx";
import font from "./face.ttf";
import logo from "./logo.svg";
import photo from "./photo.png?image";
import "./shelf.css";
export const head = { title, preload: [font] };
export default function Shelf() {
  return (
    <section>
      <h1 class="mt-[21px] face">{title} of {import.meta.env.VITE_SHOP}</h1>
      <img id="logo" src={logo} alt="Logo" width="20" height="20" />
      <img id="icon" src={asset("/icon.svg")} alt="Icon" width="20" height="20" />
      <img id="beside" src={new URL("./logo.svg", import.meta.url).href} alt="Logo" width="20" height="20" />
      <Image id="photo" src={photo} alt="Photo" loading="eager" />
      <Counter />
    </section>
  );
}
`,
  "pages/plain.tsx": `import { signal } from "svckit";
export const head = { title: "Plain" };
export default function Plain() {
  const count = signal(0);
  return <section><h1>Plain</h1><button type="button" onClick={() => count.value++}>Count: {count.value}</button></section>;
}
`,
  "pages/shelf.css": `@import "tailwindcss";
@font-face { font-family: Face; src: url("./face.ttf"); }
.face { font-family: Face; }
`,
  "pages/logo.svg": '<svg xmlns="http://www.w3.org/2000/svg" width="2" height="2"><rect width="2" height="2"/></svg>',
};

/** Development packages that the newcomer's app needs, all linked by `packedApp`. */
async function extend(app: string): Promise<void> {
  for (const [file, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(app, file)), { recursive: true });
    writeFileSync(join(app, file), text);
  }
  // A font that is installed anyway.
  const fonts = join(root, "node_modules/playwright-core/lib/vite/recorder/assets");
  const font = readdirSync(fonts).find((name) => name.endsWith(".ttf")) ?? "";
  cpSync(join(fonts, font), join(app, "pages/face.ttf"));
  const noise = sharp(Buffer.from(Array.from({ length: 300 }, (_, at) => (at * 37) % 256)), {
    raw: { width: 10, height: 10, channels: 3 },
  });
  writeFileSync(join(app, "pages/photo.png"), await noise.resize(600, 600).png().toBuffer());
  // The alias in TypeScript's settings.
  const settings = JSON.parse(readFileSync(join(app, "tsconfig.json"), "utf8")) as { compilerOptions: object };
  Object.assign(settings.compilerOptions, { paths: { "@/*": ["./*"] } });
  writeFileSync(join(app, "tsconfig.json"), JSON.stringify(settings));
  // Global stylesheets belong to every page, so none is left for the page without styles.
  const entry = join(app, "app.ts");
  writeFileSync(entry, readFileSync(entry, "utf8").replace(/^ {2}stylesheets:.*\n/m, ""));
}

const styleOf = (page: Page, selector: string, name: string): Promise<string> =>
  page.locator(selector).evaluate((element, property) => getComputedStyle(element).getPropertyValue(property), name);

/** The stories that pass however the app is served. */
function tellStories(browser: () => Browser, origin: () => string): void {
  it("shows Tailwind's classes, a CSS module, images, the font, the alias and the variable, also after a click", async () => {
    const tab = await openTab(browser());
    await tab.page.goto(`${origin()}/shelf/`, { waitUntil: "load" });
    assert.equal(await tab.page.locator("h1").textContent(), "Shelf of Leaf");
    assert.equal(await styleOf(tab.page, "h1", "margin-top"), "21px");
    assert.equal(await styleOf(tab.page, "section button", "color"), "rgb(10, 11, 12)");
    await tab.page.locator("section button").click();
    await tab.page.getByText("Count: 1").waitFor();
    assert.equal(await styleOf(tab.page, "section button", "color"), "rgb(13, 14, 15)");
    assert.equal(await styleOf(tab.page, "section button", "padding-top"), "9px");
    const widths = tab.page
      .locator("section img")
      .evaluateAll((all) => all.map((one) => (one as HTMLImageElement).naturalWidth));
    assert.ok((await widths).length === 4 && (await widths).every((width) => width > 0));
    assert.equal(
      await tab.page.evaluate(() => document.fonts.ready.then(() => document.fonts.check("12px Face"))),
      true,
    );
    const photo = tab.page.locator("#photo");
    assert.deepEqual([await photo.getAttribute("width"), await photo.getAttribute("height")], ["600", "600"]);
    await tab.close();
  });

  it("loads no stylesheet on a page without styles", async () => {
    const tab = await openTab(browser());
    const styles: string[] = [];
    tab.page.on("request", (request) => void (request.resourceType() === "stylesheet" && styles.push(request.url())));
    await tab.page.goto(`${origin()}/plain/`);
    await tab.page.locator("section button").click();
    await tab.page.getByText("Count: 1").waitFor();
    assert.deepEqual(styles, []);
    await tab.close();
  });
}

describe("An app of svc new with the additions of the first hour", () => {
  let packed: PackedApp;
  let browser: Browser;
  let built: string;

  before(async () => {
    packed = await packedApp("shelf", ["sharp"]);
    await extend(packed.app);
    browser = await launchBrowser();
  });

  after(async () => {
    await browser?.close();
    packed?.remove();
  });

  describe("under svc dev", () => {
    let server: DemoServer;
    before(async () => {
      const env = { NODE_ENV: "development" };
      server = await startDemo({
        app: packed.app,
        cli: packed.cli,
        command: "dev",
        dataDir: join(packed.folder, "dev"),
        env,
      });
    });
    after(() => server?.stop());
    tellStories(
      () => browser,
      () => server.url,
    );
  });

  it("builds without sharp, and the build says how to get smaller images", async () => {
    built = await run(process.execPath, [packed.cli, "build"], packed.app);
    assert.match(built, /npm install --save-dev sharp/);
    assert.equal(
      readdirSync(join(packed.app, "dist/client/asset")).some((name) => name.endsWith(".avif")),
      false,
    );
  });

  it("passes its type check, its own tests, and its component test and that of the guide in Vitest", async () => {
    assert.match(await run("npm", ["test"], packed.app), /# fail 0\b/);
    const vitest = join(packed.app, "node_modules/vitest/vitest.mjs");
    // Vitest allows each test five seconds, in which the first one also compiles the app. A busy machine needs more.
    const options = ["run", "--no-color", "--testTimeout=120000"];
    assert.match(await run(process.execPath, [vitest, ...options], packed.app), /Tests +2 passed/);
  });

  describe("built and started", () => {
    let server: DemoServer;
    before(async () => {
      symlinkSync(join(root, "node_modules/sharp"), join(packed.folder, "tools/node_modules/sharp"));
      const env = { SVC_SITE_URL: "https://shelf.example", SVC_SECRET: "s".repeat(32) };
      await run(process.execPath, [packed.cli, "build", "--static"], packed.app, env);
      server = await startDemo({ app: packed.app, cli: packed.cli, dataDir: join(packed.folder, "data"), env });
    });
    after(() => server?.stop());
    tellStories(
      () => browser,
      () => server.url,
    );

    it("has a policy without exceptions, immutable files and versions of the image", async () => {
      const page = await fetch(`${server.url}/shelf`);
      assert.match(page.headers.get("content-security-policy") ?? "", /script-src 'self' 'nonce-/);
      const html = await page.text();
      assert.match(html, /<source type="image\/avif" srcset="\/_svc\/asset\/photo-480-[0-9a-f]{8}\.avif 480w, /);
      assert.match(html, /<link rel="preload" as="font"[^>]* crossorigin href="\/_svc\/asset\/face-[0-9a-f]{8}\.ttf">/);
      const urls = [...html.matchAll(/(?:href|src)="(\/[^"]+\.(?:css|svg|png|ttf))"/g)].map(([, url = ""]) => url);
      assert.ok(urls.length >= 6, html);
      for (const url of urls)
        assert.match((await fetch(server.url + url)).headers.get("cache-control") ?? "", /immutable/, url);
    });

    it("keeps the secret variable out of everything that browsers load", () => {
      const client = join(packed.app, "dist/client");
      const files = readdirSync(client, { recursive: true, encoding: "utf8", withFileTypes: true });
      for (const file of files)
        if (file.isFile())
          assert.ok(!readFileSync(join(file.parentPath, file.name)).includes("never-in-a-browser"), file.name);
    });
  });

  describe("exported", () => {
    let host: StaticHost;
    before(async () => {
      host = await startStaticHost(join(packed.app, "dist/static"));
    });
    after(() => host?.close());
    tellStories(
      () => browser,
      () => host.url,
    );
  });
});
