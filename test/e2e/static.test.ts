/** `svc build --static` of test/fixtures/static: pages as files, on a plain file server, in a real browser. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import type { Browser, Page } from "playwright-core";
import type { App } from "svckit";
import { launchBrowser, openTab } from "./browser.ts";
import { root } from "./demo-server.ts";

const folder = join(root, "test/fixtures/static");
const exported = join(folder, "dist/static");
const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".css": "text/css",
};

/** Serves the files of a folder by the decoded path, with no header but the content type. */
const host = createServer((request, response) => {
  const path = join(exported, decodeURIComponent(new URL(request.url ?? "/", "http://host").pathname));
  const file = existsSync(path) && statSync(path).isDirectory() ? join(path, "index.html") : path;
  if (!existsSync(file)) return void response.writeHead(request.url === "/favicon.ico" ? 204 : 404).end();
  response.writeHead(200, { "content-type": TYPES[extname(file)] ?? "text/plain" }).end(readFileSync(file));
});

let reported = "";
let browser: Browser;
let origin: string;

const read = (name: string): string => readFileSync(join(exported, name), "utf8");

before(async () => {
  const args = [join(root, "bin/svc.js"), "build", "--static", "--root", folder];
  const env = { ...process.env, SVC_SITE_URL: "https://example.com", NO_COLOR: "1" };
  ({ stdout: reported } = await promisify(execFile)(process.execPath, args, { env }));
  await new Promise<void>((resolve) => host.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(host.address() as AddressInfo).port}`;
  browser = await launchBrowser();
});

after(async () => {
  await browser?.close();
  host.close();
  host.closeAllConnections();
});

describe("svc build --static", () => {
  it("writes the pages that need no request, and the files for search engines and assistants", () => {
    const files = readdirSync(exported, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(exported.length + 1))
      .filter((name) => !name.startsWith("_svc"));
    assert.deepEqual(files.sort(), [
      "about.md",
      "about/index.html",
      "books/a b&c/index.html",
      "books/emma/index.html",
      "index.html",
      "like/index.html",
      "robots.txt",
      "site.css",
      "sitemap.xml",
    ]);
    assert.equal(read("about.md"), "# About\n");
    assert.match(read("robots.txt"), /Sitemap: https:\/\/example\.com\/sitemap\.xml/);
  });

  it("prints the written pages, and the reason for each omitted page", () => {
    for (const line of [
      "/books/a%20b%26c → books/a b&c/index.html",
      "/like → like/index.html (calls actions, which need the app at the same address)",
      "/me reads cookies of the request",
      "/search reads the query of the request",
      "/live says static: false",
      "/moved redirects to /about",
      "/books/gone has status 404",
    ])
      assert.ok(reported.includes(`  ${line}\n`), `${line}\n\n${reported}`);
  });

  it("has the policy in each page, by hash, without directives that only a header supports", () => {
    for (const page of ["index.html", "about/index.html", "books/emma/index.html"]) {
      const text = read(page);
      const [, policy = ""] =
        /<meta charset="utf-8"><meta http-equiv="content-security-policy" content="([^"]*)">/.exec(text) ?? [];
      assert.match(policy, /script-src 'self'/);
      assert.doesNotMatch(policy, /nonce|frame-ancestors|unsafe-eval|script-src[^;]*unsafe-inline/);
      assert.doesNotMatch(text, /nonce=/);
    }
  });

  it("writes no token and no visitor's data", () => {
    assert.match(read("index.html"), /"csrf_token":""/);
  });
});

/** @returns whether the front page became another one without a new document */
async function becomesAbout(page: Page): Promise<boolean> {
  await page.goto(origin, { waitUntil: "networkidle" });
  await page.evaluate(() => {
    Object.assign(self, { isSame: true });
    const link = Object.assign(document.createElement("a"), { href: "/about/" });
    document.body.append(link);
    link.click();
  });
  await page.locator("#made").waitFor();
  return (await page.evaluate("self.isSame === true")) as boolean;
}

describe("an exported page", () => {
  it("works as on the server: handlers and islands, under its policy", async () => {
    const tab = await openTab(browser);
    await tab.page.goto(origin);
    assert.equal(await tab.page.title(), "Home · Static");
    await tab.page.click("#count");
    await tab.page.waitForFunction("document.querySelector('#count').textContent === '1 clicks'");
    await tab.page.waitForFunction("document.querySelector('#seen').textContent === 'seen'");
    await tab.close();
  });

  it("becomes another one without a new document, because its HTML has its mark and policy", async () => {
    const tab = await openTab(browser);
    assert.equal(await becomesAbout(tab.page), true);
    await tab.close();
  });

  for (const [name, headers, change] of [
    ["has a policy from its host", { "content-security-policy": "sandbox allow-scripts" }, (text: string) => text],
    ["has no mark", {}, (text: string) => text.replace(/ data-svc-policy="[^"]*"/, "")],
    ["has another policy", {}, (text: string) => text.replace("object-src 'none'; ", "")],
  ] as const)
    it(`is loaded as a document if it ${name}`, async () => {
      const tab = await openTab(browser);
      await tab.page.route(`${origin}/about/`, async (handled) => {
        const response = await handled.fetch();
        await handled.fulfill({
          headers: { "content-type": "text/html", ...headers },
          body: change(await response.text()),
        });
      });
      assert.equal(await becomesAbout(tab.page), false);
      await tab.leave();
    });

  it("runs no injected script", async () => {
    const tab = await openTab(browser);
    await tab.page.route(`${origin}/about/`, async (route) => {
      const response = await route.fetch();
      const body = (await response.text()).replace("</body>", "<script>document.title = 'injected'</script></body>");
      await route.fulfill({ response, body });
    });
    await tab.page.goto(`${origin}/about/`);
    assert.notEqual(await tab.page.title(), "injected");
    assert.match(tab.takeComplaints().join(), /script-src/);
    await tab.leave();
  });

  it("is served by svc start if it has static: true, until it is invalidated", async () => {
    Object.assign(process.env, {
      NODE_ENV: "production",
      SVC_DATABASE_URL: "memory:",
      SVC_SECRET: "s".repeat(32),
      SVC_SITE_URL: "https://example.com",
    });
    const { default: app } = (await import(pathToFileURL(join(folder, "dist/server/app.js")).href)) as { default: App };
    await app.boot({ dist: join(folder, "dist") });
    const made = (html: string): string | undefined => /<p id="made">(.*?)<\/p>/.exec(html)?.[1];
    const get = async (headers: Record<string, string> = {}): Promise<Response> =>
      app.fetch(new Request("https://example.com/about", { headers }));
    const first = await get();
    assert.equal(first.headers.get("cache-control"), "public, max-age=0, must-revalidate");
    assert.equal(made(await first.text()), made(read("about/index.html")));
    assert.equal((await get({ "if-none-match": first.headers.get("etag") ?? "" })).status, 304);
    const { invalidate } = await import("svckit");
    invalidate("/about");
    const anew = made(await (await get()).text());
    assert.ok(anew !== undefined && anew !== made(read("about/index.html")));
    assert.equal(made(await (await get()).text()), anew);
    await app.close();
  });
});
