/** docs/guide/vite-projects.md, followed in an empty folder: a single-page app that Vite builds gets pages and actions of svc. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { Browser } from "playwright-core";
import { launchBrowser, openTab } from "./browser.ts";
import { root, startDemo, temporaryFolder, type DemoServer } from "./demo-server.ts";
import { run } from "./packed-app.ts";
import { followViteGuide } from "./vite-guide.ts";

/** The project before svc. Its page has an inline script, and loads a part of its code later. */
const PROJECT: Readonly<Record<string, string>> = {
  "package.json": '{ "name": "shop", "private": true, "type": "module" }',
  "index.html": `<!doctype html>
<html lang="en">
  <head><meta charset="utf-8"><title>Shop</title><script>document.documentElement.dataset.theme = "dark";</script></head>
  <body><a href="/hello">Hello</a><main></main><script type="module" src="/src/main.js"></script></body>
</html>
`,
  "src/main.js": `import { order } from "./order.js";
import "./main.css";
const main = document.querySelector("main");
main.innerHTML = "<h1></h1><button>Order</button><output></output>";
main.querySelector("h1").textContent = location.pathname;
main.querySelector("button").onclick = async () => {
  const { loud } = await import("./loud.js");
  main.querySelector("output").textContent = loud(await order("Sencha"));
};
`,
  "src/main.css": "h1 { color: rgb(1, 2, 3); }\n",
  "src/loud.js": "export const loud = (text) => `${text}!`;\n",
};

const BINARIES = { svc: "bin/svc.js", vite: "node_modules/vite/bin/vite.js", tsc: "node_modules/typescript/bin/tsc" };

/** As after the page's npm install. */
function install(project: string): void {
  const modules = join(project, "node_modules");
  for (const name of ["svckit", "vite", "typescript", "@types/node"]) {
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(name === "svckit" ? root : join(root, "node_modules", name), join(modules, name), "dir");
  }
  mkdirSync(join(modules, ".bin"));
  for (const [name, file] of Object.entries(BINARIES)) symlinkSync(join(root, file), join(modules, ".bin", name));
}

/** The stories that pass in development and in production. */
function tellStories(browser: () => Browser, origin: () => string): void {
  it("shows the single-page app at all of its paths, and its code calls an action", async () => {
    const tab = await openTab(browser());
    await tab.page.goto(`${origin()}/settings/profile`);
    await tab.page.getByText("/settings/profile").waitFor();
    const color = await tab.page.locator("h1").evaluate((title) => getComputedStyle(title).color);
    assert.equal(color, "rgb(1, 2, 3)");
    assert.equal(await tab.page.evaluate(() => document.documentElement.dataset["theme"]), "dark");
    await tab.page.click("button");
    await tab.page.getByText("Ordered Sencha!").waitFor();
    await tab.close();
  });

  it("shows a page of svc, to which a link of the single-page app leads", async () => {
    const tab = await openTab(browser());
    await tab.page.goto(`${origin()}/`);
    await tab.page.click("a");
    await tab.page.click("text=Pages by svc: 0");
    await tab.page.getByText("Pages by svc: 1").waitFor();
    await tab.close();
  });
}

describe("The guide for Vite projects", () => {
  const folder = temporaryFolder();
  const project = folder.path;
  let browser: Browser;

  before(async () => {
    for (const [name, text] of Object.entries(PROJECT)) {
      mkdirSync(dirname(join(project, name)), { recursive: true });
      writeFileSync(join(project, name), text);
    }
    install(project);
    followViteGuide(project);
    browser = await launchBrowser();
  });
  after(async () => {
    await browser?.close();
    folder.remove();
  });

  describe("under vite and svc dev", () => {
    let svc: DemoServer;
    let vite: DemoServer;
    before(async () => {
      const env = { NODE_ENV: "development" };
      const common = { app: project, dataDir: join(project, "data"), env };
      svc = await startDemo({ ...common, command: "dev", args: ["--root", "server"] });
      followViteGuide(project, { svcUrl: svc.url });
      const args = ["--host", "127.0.0.1", "--port", "0"];
      vite = await startDemo({ ...common, script: join(root, BINARIES.vite), args });
    });
    after(async () => {
      await vite?.stop();
      await svc?.stop();
    });
    tellStories(
      () => browser,
      () => vite.url,
    );
  });

  describe("built and started", () => {
    let server: DemoServer;
    before(async () => {
      await run("npm", ["run", "build"], project);
      const env = { SVC_SECRET: "s".repeat(32) };
      server = await startDemo({ app: project, dataDir: join(project, "data"), args: ["--root", "server"], env });
    });
    after(() => server?.stop());
    tellStories(
      () => browser,
      () => server.url,
    );

    it("has no type errors, and needs no exception from the policy", async () => {
      await run(process.execPath, [join(root, BINARIES.tsc), "-p", "server"], project);
      assert.ok(existsSync(join(project, "server/public/index.html")));
      const policy = (await fetch(server.url, { headers: { accept: "text/html" } })).headers.get(
        "content-security-policy",
      );
      assert.match(policy ?? "", /script-src 'self' 'sha256-[^']+';/);
    });
  });
});
