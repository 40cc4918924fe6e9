/** Imported stylesheets and files: built, exported and under `svc dev`, in a real browser under the production policy. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { Browser, Page } from "playwright-core";
import { launchBrowser, openTab } from "./browser.ts";
import { startDemo, type DemoServer } from "./demo-server.ts";
import { startStaticHost, type StaticHost } from "./static-host.ts";
import { styledApp, type StyledApp } from "./styled-app.ts";

/** Names of the linked stylesheets, without hashes, in their order. */
const linked = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll<HTMLLinkElement>("link[rel=stylesheet]")].map(
      ({ href }) => /([\w.]+?)(?:-[0-9a-f]{8})?\.css$/.exec(new URL(href).pathname)?.[1] ?? href,
    ),
  );

const styleOf = (page: Page, selector: string, name: string): Promise<string> =>
  page.locator(selector).evaluate((element, property) => getComputedStyle(element).getPropertyValue(property), name);

/** Waits until an element is shown with a value. */
async function hasStyle(page: Page, selector: string, name: string, value: string): Promise<void> {
  await page.waitForFunction(
    ([where, property, expected]) =>
      getComputedStyle(document.querySelector(where ?? "") as Element).getPropertyValue(property ?? "") === expected,
    [selector, name, value] as const,
  );
}

/** Stories with the same result however the app is served. @param origin address of the app */
const STORIES: Record<string, (page: Page, origin: string) => Promise<void>> = {
  "links the stylesheets that its layouts and modules import, in the order of the app": async (page, origin) => {
    await page.goto(`${origin}/`);
    assert.deepEqual(await linked(page), ["base", "layout"]);
    assert.equal(await styleOf(page, "h1", "color"), "rgb(2, 2, 2)");
    await page.goto(`${origin}/shop/`);
    const names = await linked(page);
    assert.deepEqual(
      names.map((name) => name.replace(".module", "")),
      ["base", "layout", "shop", "notice", "color", "shop"],
    );
    assert.equal(await styleOf(page, "h1", "color"), "rgb(3, 3, 3)");
    assert.equal(await styleOf(page, "#open", "color"), "rgb(4, 4, 4)");
  },
  "has the class names of a CSS module on the server and in handlers": async (page, origin) => {
    await page.goto(`${origin}/shop/`);
    assert.equal(await styleOf(page, "#price", "color"), "rgb(5, 5, 5)");
    await page.locator("#mark").click();
    await hasStyle(page, "#look", "color", "rgb(6, 6, 6)");
    assert.equal(await styleOf(page, "#look", "background-color"), "rgb(8, 8, 8)");
  },
  "is styled as soon as a followed link shows it": async (page, origin) => {
    await page.goto(`${origin}/`, { waitUntil: "networkidle" });
    await page.evaluate(() => Object.assign(self, { isSame: true }));
    await page.locator("nav a", { hasText: "Shop" }).click();
    await page.locator("h1", { hasText: "Shop" }).waitFor();
    assert.equal(await styleOf(page, "#price", "color"), "rgb(5, 5, 5)");
    await page.locator("nav a", { hasText: "Home" }).click();
    await page.locator("h1", { hasText: "Home" }).waitFor();
    assert.equal(await page.evaluate("self.isSame"), true);
    assert.equal(await styleOf(page, "h1", "color"), "rgb(2, 2, 2)");
  },
  "has the same addresses of files on the server and in handlers": async (page, origin) => {
    await page.goto(`${origin}/pictures/`, { waitUntil: "load" });
    const sources = (): Promise<string[]> =>
      page.locator("img").evaluateAll((images) => images.map((image) => image.getAttribute("src") ?? ""));
    const [dot, mark, inlined = "", badge, beside] = await sources();
    assert.match(inlined, /^data:image\/png/);
    assert.equal(await page.locator("pre").textContent(), "A note");
    assert.equal(
      await page
        .locator("img")
        .evaluateAll((images) => images.every((image) => (image as HTMLImageElement).naturalWidth > 0)),
      true,
    );
    await page.locator("#where").click();
    await page.locator("output", { hasText: "beside" }).waitFor();
    const shown = ((await page.locator("output").textContent()) ?? "").split(" ");
    assert.deepEqual(shown, [dot, mark, badge, beside]);
    assert.match(await styleOf(page, "section", "background-image"), /dot/);
  },
};

let browser: Browser;
before(async () => {
  browser = await launchBrowser();
});
after(() => browser?.close());

function runStories(origin: () => string): void {
  for (const [name, story] of Object.entries(STORIES))
    it(name, async () => {
      const tab = await openTab(browser);
      await story(tab.page, origin());
      await tab.close();
    });
}

for (const trustedTypes of [false, true])
  describe(`A built page${trustedTypes ? " with Trusted Types" : ""}`, () => {
    let app: StyledApp;
    let server: DemoServer;
    before(async () => {
      app = styledApp(`built-${trustedTypes}`, { "trusted-types.json": `{"isOn":${trustedTypes}}` });
      await app.build();
      const env = { SVC_SECRET: "s".repeat(32), SVC_SITE_URL: "http://localhost" };
      server = await startDemo({ app: app.folder, dataDir: join(app.folder, ".svc"), env });
    });
    after(async () => {
      await server?.stop();
      app?.remove();
    });
    runStories(() => server.url);

    it("has immutable stylesheets, of which it loads those of a prefetched page", async () => {
      const tab = await openTab(browser);
      await tab.page.goto(`${server.url}/`);
      const loaded = tab.page.waitForResponse(/\/_svc\/asset\/shop-[0-9a-f]{8}\.css$/);
      await tab.page.locator("nav a", { hasText: "Shop" }).hover();
      assert.match((await loaded).headers()["cache-control"] ?? "", /immutable/);
      assert.equal(await tab.page.locator("h1").textContent(), "Home");
      await tab.close();
    });

    it("has immutable public files under the URLs of asset(), and revalidates them under their own", async () => {
      const [, url = ""] = /id="badge" src="([^"]+)"/.exec(await (await fetch(`${server.url}/pictures`)).text()) ?? [];
      assert.match(url, /^\/icons\/badge-[0-9a-f]{8}\.svg$/);
      const caching = async (path: string): Promise<string> => {
        const response = await fetch(server.url + path);
        assert.equal(response.headers.get("content-type"), "image/svg+xml");
        return response.headers.get("cache-control") ?? "";
      };
      assert.match(await caching(url), /max-age=31536000, immutable/);
      assert.match(await caching("/icons/badge.svg"), /must-revalidate/);
    });
  });

describe("An exported page", () => {
  let app: StyledApp;
  let host: StaticHost;
  before(async () => {
    app = styledApp("exported");
    await app.build("--static");
    host = await startStaticHost(join(app.folder, "dist/static"));
  });
  after(() => {
    host?.close();
    app?.remove();
  });
  runStories(() => host.url);
});

describe("A page under svc dev", () => {
  let app: StyledApp;
  let server: DemoServer;
  before(async () => {
    app = styledApp("dev");
    const env = { NODE_ENV: "development" };
    server = await startDemo({ app: app.folder, command: "dev", dataDir: join(app.folder, ".svc"), env });
  });
  after(async () => {
    await server?.stop();
    app?.remove();
  });
  runStories(() => server.url);

  it("shows an edited stylesheet without a reload, and is never without styles", async () => {
    const tab = await openTab(browser);
    await tab.page.goto(`${server.url}/shop`);
    await tab.page.evaluate(() => {
      const seen: string[] = [];
      Object.assign(self, { isSame: true, seen });
      const look = (): void => {
        seen.push(getComputedStyle(document.querySelector("h1") as Element).color);
        requestAnimationFrame(look);
      };
      look();
    });
    for (const [file, from, to, selector] of [
      ["pages/shop.css", "rgb(3, 3, 3)", "rgb(33, 3, 3)", "h1"],
      ["pages/imported.css", "rgb(4, 4, 4)", "rgb(44, 4, 4)", "#open"],
      ["pages/shop.module.css", "rgb(5, 5, 5)", "rgb(55, 5, 5)", "#price"],
    ] as const) {
      app.write(file, app.read(file).replace(from, to));
      await hasStyle(tab.page, selector, "color", to);
    }
    assert.equal(await tab.page.evaluate("self.isSame"), true);
    assert.deepEqual(await tab.page.evaluate("[...new Set(self.seen)]"), ["rgb(3, 3, 3)", "rgb(33, 3, 3)"]);
    await tab.close();
  });

  it("shows the error of a stylesheet, also in a page that opens, keeps the old styles, and gets the fixed ones", async () => {
    const tab = await openTab(browser);
    await tab.page.goto(`${server.url}/shop`);
    const original = app.read("pages/shop.css");
    const colorBefore = await styleOf(tab.page, "section h1", "color");
    const problem = tab.page.getByRole("alertdialog");
    app.write("pages/shop.css", `${original}\n@import "./missing.css";`.split("\n").toReversed().join("\n"));
    await problem.getByText("Stylesheet error").waitFor();
    await problem.getByText("missing.css").first().waitFor();
    await problem.getByRole("link", { name: /^pages\/shop\.css:1:/ }).waitFor();
    assert.equal(await styleOf(tab.page, "section h1", "color"), colorBefore);
    const other = await openTab(browser);
    await other.page.goto(`${server.url}/shop`);
    await other.page.getByRole("alertdialog").getByText("Stylesheet error").waitFor();
    app.write("pages/shop.css", original.replace(/h1 \{ color: [^;]+/, "h1 { color: rgb(66, 6, 6)"));
    for (const { page } of [tab, other]) {
      await hasStyle(page, "h1", "color", "rgb(66, 6, 6)");
      await page.getByRole("alertdialog").waitFor({ state: "detached" });
    }
    assert.match(server.output(), /SVC_DEFINITION pages\/shop\.css:1:/);
    for (const each of [tab, other]) await each.close(/status of 500 .*shop\.css/);
  });
});
