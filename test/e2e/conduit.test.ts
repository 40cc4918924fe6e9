/** examples/conduit in a real browser: each story runs with JavaScript and without, and must end the same way. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Browser, Page } from "playwright-core";
import { launchBrowser, openTab, savePicture, seriousViolations } from "./browser.ts";
import { startBuiltIn, type BuiltApp } from "./built-app.ts";

let app: BuiltApp;
let browser: Browser;

before(async () => {
  process.env["SVC_RATE_SUBMITS"] = "1000";
  process.env["SVC_SITE_URL"] = "https://conduit.example";
  app = await startBuiltIn("examples/conduit");
  browser = await launchBrowser();
});

after(async () => {
  await browser?.close();
  await app?.close();
});

interface Story {
  page: Page;
  /** A name that no other story uses. */
  name: string;
  takeComplaints: () => string[];
}

let stories = 0;

function twice(title: string, run: (story: Story) => Promise<void>): void {
  for (const isScripted of [true, false]) {
    it(`${title}, ${isScripted ? "with" : "without"} JavaScript`, async () => {
      const { page, close, takeComplaints } = await openTab(browser, { javaScriptEnabled: isScripted });
      await page.goto(app.url);
      await run({ page, name: `reader${++stories}`, takeComplaints });
      await close();
    });
  }
}

const link = (page: Page, name: string) => page.getByRole("link", { name, exact: true }).first().click();
const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();
const sees = (page: Page, text: string) => page.locator("body", { hasText: text }).waitFor();
/** Until the page shows it: an address that is opened before would cancel the request. */
const signOut = async (page: Page): Promise<void> => {
  await press(page, "Sign out");
  await page.getByRole("link", { name: "Sign in", exact: true }).first().waitFor();
};
/** Opens an article from a list. */
const open = (page: Page, title: string) => page.locator(".preview h2", { hasText: title }).click();
const heading = (page: Page, name: string) => page.getByRole("heading", { name, level: 1 }).waitFor();

/** Chromium logs a page with status 422 as an error in the console, as expected. */
function expectRefusal({ takeComplaints }: Story): void {
  assert.deepEqual(
    takeComplaints().filter((text) => !text.includes("status of 422")),
    [],
  );
}

async function signUp({ page, name }: Story): Promise<void> {
  await link(page, "Sign up");
  await heading(page, "Sign up");
  await page.getByLabel("Name", { exact: true }).fill(name);
  await page.getByLabel("E-mail").fill(`${name}@example.com`);
  await page.getByLabel("Password").fill("a long password");
  await press(page, "Sign up");
  await sees(page, `Welcome, ${name}`);
}

async function write({ page }: Story, title: string, body = "Of *this* and **that**."): Promise<void> {
  await link(page, "New article");
  await heading(page, "New article");
  await page.getByLabel("Title").fill(title);
  await page.getByLabel("What is it about?").fill("A word on it");
  await page.getByLabel("Your article").fill(body);
  await page.getByLabel("Tags").fill("craft, On-Stage");
  await press(page, "Publish");
  await heading(page, title);
}

describe("the front page", () => {
  twice("lists the newest articles, ten per page, and the articles of a tag", async ({ page }) => {
    assert.equal(await page.locator(".preview").count(), 10);
    await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "2" }).click();
    await sees(page, "How to wait for a machine");
    await page.locator("aside").getByRole("link", { name: "webhooks", exact: true }).click();
    await page.locator('.tabs [aria-current="page"]', { hasText: "#webhooks" }).waitFor();
    const titles = await page.locator(".preview h2").allTextContents();
    assert.deepEqual(titles.sort(), ["On idempotency", "The last mile of a webhook"]);
  });

  it("has no serious accessibility violations, light and dark, wide and narrow", async () => {
    const { page, close } = await openTab(browser, { reducedMotion: "reduce" });
    await page.goto(app.url);
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      assert.deepEqual(await seriousViolations(page), []);
      await savePicture(page, `conduit-${colorScheme}`);
    }
    await page.setViewportSize({ width: 360, height: 740 });
    assert.equal(await page.evaluate("document.documentElement.scrollWidth"), 360);
    await open(page, "Small steps to production");
    await heading(page, "Small steps to production");
    assert.deepEqual(await seriousViolations(page), []);
    await savePicture(page, "conduit-article");
    await close();
  });
});

describe("a visitor", () => {
  twice("signs up, out and in again, and sees each input error", async (story) => {
    const { page, name } = story;
    await signUp(story);
    await signOut(page);
    await link(page, "Sign in");
    await page.getByLabel("E-mail").fill(`${name}@example.com`);
    await page.getByLabel("Password").fill("not this one");
    await press(page, "Sign in");
    await sees(page, "E-mail or password is wrong");
    assert.equal(await page.getByLabel("E-mail").inputValue(), `${name}@example.com`);
    expectRefusal(story);
    await page.getByLabel("Password").fill("a long password");
    await press(page, "Sign in");
    await page.getByRole("link", { name, exact: true }).waitFor();
    await signOut(page);
    await link(page, "Sign up");
    await page.getByLabel("Name", { exact: true }).fill(name);
    await page.getByLabel("E-mail").fill("other@example.com");
    await page.getByLabel("Password").fill("a long password");
    await press(page, "Sign up");
    await sees(page, "This name is taken");
    expectRefusal(story);
  });

  twice("is asked to sign in for a page that only users may see, and returns to it", async (story) => {
    const { page, name } = story;
    await signUp(story);
    await signOut(page);
    await page.goto(`${app.url}/editor`);
    await heading(page, "Sign in");
    await page.getByLabel("E-mail").fill(`${name}@example.com`);
    await page.getByLabel("Password").fill("a long password");
    await press(page, "Sign in");
    await heading(page, "New article");
  });

  it("is not redirected to another site by the address", async () => {
    for (const to of ["https://evil.example", "//evil.example", "/\\evil.example"]) {
      const { page, leave, takeComplaints } = await openTab(browser, { javaScriptEnabled: false });
      await page.goto(`${app.url}/register`);
      await signUp({ page, name: `reader${++stories}`, takeComplaints });
      await signOut(page);
      await page.goto(`${app.url}/login?to=${encodeURIComponent(to)}`);
      await page.getByLabel("E-mail").fill(`reader${stories}@example.com`);
      await page.getByLabel("Password").fill("a long password");
      await press(page, "Sign in");
      assert.equal(new URL(page.url()).origin, app.url);
      // Chromium logs the refusal in the console.
      await leave();
    }
  });
});

describe("a writer", () => {
  twice("publishes, edits and deletes an article", async (story) => {
    const { page, name } = story;
    await signUp(story);
    await write(story, `What ${name} knows`, "Of *this* and **that**.\n\n<script>alert(1)</script>\n\n- one\n- two");
    assert.equal(await page.locator("article em").textContent(), "this");
    assert.deepEqual(await page.locator("article li").allTextContents(), ["one", "two", "craft", "on-stage"]);
    assert.match((await page.locator("article").textContent()) ?? "", /<script>alert\(1\)<\/script>/);
    await link(page, "Edit");
    await heading(page, "Edit the article");
    assert.equal(await page.getByLabel("Tags").inputValue(), "craft, on-stage");
    await page.getByLabel("Title").fill(`What ${name} knew`);
    await press(page, "Save");
    await heading(page, `What ${name} knew`);
    await link(page, name);
    await sees(page, `What ${name} knew`);
    await open(page, `What ${name} knew`);
    await press(page, "Delete");
    await sees(page, "Deleted");
    assert.equal(await page.getByText(`What ${name} knew`).count(), 0);
  });

  it("can't change the article of another writer in any way", async () => {
    const { page, leave, takeComplaints } = await openTab(browser);
    const story = { page, name: `reader${++stories}`, takeComplaints };
    await page.goto(app.url);
    await signUp(story);
    await open(page, "On idempotency");
    await heading(page, "On idempotency");
    const slug = new URL(page.url()).pathname.split("/").at(-1) ?? "";
    assert.equal(await page.getByRole("button", { name: "Delete", exact: true }).count(), 0);
    assert.equal((await page.goto(`${app.url}/editor/${slug}`))?.status(), 403);
    await write(story, "Mine");
    // The form of the writer's own article, changed to another article.
    const field = page.locator('form[action$="/delete-article"] input[name="slug"]');
    await field.evaluate((input, value) => ((input as HTMLInputElement).value = value), slug);
    const answered = page.waitForResponse((response) => response.url().endsWith("/delete-article"));
    await press(page, "Delete");
    assert.equal((await answered).status(), 403);
    assert.equal((await fetch(`${app.url}/article/${slug}`)).status, 200);
    await leave();
  });
});

describe("a reader", () => {
  twice("favorites, follows, comments, and finds everything again", async (story) => {
    const { page, name } = story;
    await signUp(story);
    await open(page, "Reading a flame graph");
    await heading(page, "Reading a flame graph");
    await page.getByRole("button", { name: "Favorite: Reading a flame graph" }).click();
    await page.locator('button[aria-pressed="true"]').waitFor();
    await press(page, "Follow ada");
    await page.getByRole("button", { name: "Unfollow ada" }).waitFor();
    await page.getByLabel("Your comment").fill("<b>Wide</b> indeed");
    await press(page, "Post comment");
    await page.locator(".comment > p", { hasText: "<b>Wide</b> indeed" }).waitFor();
    assert.equal(await page.getByLabel("Your comment").inputValue(), "");
    await link(page, "Home");
    await link(page, "Your feed");
    await page.locator('.tabs [aria-current="page"]', { hasText: "Your feed" }).waitFor();
    for (const author of await page.locator(".preview .byline a").allTextContents()) assert.equal(author, "ada");
    await link(page, name);
    await link(page, "Favorites");
    await open(page, "Reading a flame graph");
    await press(page, "Delete comment");
    await page.locator(".comment").waitFor({ state: "detached" });
  });

  twice("changes the public profile", async (story) => {
    const { page, name } = story;
    await signUp(story);
    await link(page, "Settings");
    await heading(page, "Settings");
    await page.getByLabel("About you").fill("Reads, mostly.");
    await press(page, "Save");
    await heading(page, name);
    await sees(page, "Reads, mostly.");
  });
});

describe("a page", () => {
  twice("that is missing is shown inside the site's own layout", async ({ page, takeComplaints }) => {
    const answer = await page.goto(`${app.url}/article/nothing-of-the-kind`);
    assert.equal(answer?.status(), 404);
    await sees(page, "This article does not exist");
    await link(page, "Go to the front page");
    await heading(page, "conduit");
    assert.deepEqual(
      takeComplaints().filter((text) => !text.includes("status of 404")),
      [],
    );
  });

  it("of an article also exists as Markdown, and the front page is in the sitemap", async () => {
    const { page, close } = await openTab(browser, { javaScriptEnabled: false });
    await page.goto(app.url);
    await open(page, "On idempotency");
    const text = await (await fetch(`${page.url()}.md`)).text();
    assert.match(text, /^# On idempotency\n/);
    assert.match(await (await fetch(`${app.url}/sitemap.xml`)).text(), /<loc>https:\/\/conduit\.example\/<\/loc>/);
    await close();
  });
});
