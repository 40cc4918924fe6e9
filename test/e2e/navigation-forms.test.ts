/** Forms with the method GET, and clicks that come before a prefetch, on pages with enhanced navigation. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Page } from "playwright-core";
import { heading, isFetch, isSame, navigationSite } from "./navigation-site.ts";

const app = navigationSite();
const { openScripted, fetchesOf, pathOf } = app;

/** Touches the form, which loads the code that follows it. */
async function touch(page: Page, selector: string): Promise<void> {
  const loaded = page.waitForResponse((response) => response.url().includes("/_svc/visit"));
  await page.focus(selector);
  await (await loaded).finished();
  await page.evaluate(`import("/_svc/visit.js")`);
}

describe("a form with the method GET", () => {
  it("navigates within the document, with its fields as the query", async () => {
    const { page, close } = await openScripted("/find");
    await touch(page, "#find input[name=q]");
    const fetches = fetchesOf(page);
    await page.fill("#find input[name=q]", "tea & cake");
    await page.press("#find input[name=q]", "Enter");
    await heading(page, "Found tea & cake");
    assert.equal(pathOf(page), "/find?q=tea+%26+cake&paper=");
    await page.click("#also");
    await heading(page, "Found +also");
    await page.click("#about");
    await heading(page, "About");
    assert.equal(pathOf(page), "/about?q=&paper=");
    assert.deepEqual(fetches, ["/find?q=tea+%26+cake&paper=", "/find?q=&paper=&q=also", "/about?q=&paper="]);
    assert.equal(await isSame(page), true);
    await page.goBack();
    await heading(page, "Found +also");
    await close();
  });

  it("is left to the browser if it opts out of enhanced navigation, or a listener prevents it", async () => {
    const { page, close } = await openScripted("/find");
    await touch(page, "#left input");
    const fetches = fetchesOf(page);
    await page.evaluate(() =>
      document.querySelector("#find")!.addEventListener("submit", (event) => event.preventDefault()),
    );
    await page.press("#find input[name=q]", "Enter");
    await page.fill("#left input", "far");
    await page.press("#left input", "Enter");
    await heading(page, "Found far");
    assert.deepEqual(fetches, []);
    assert.equal(await isSame(page), false);
    await close();
  });
});

describe("a click that comes before the prefetch of its link", () => {
  it("fetches the page once, also while it is about to be shown", async () => {
    const { page, close } = await openScripted("/", { reducedMotion: "no-preference" });
    await page.clock.install();
    const fetches = fetchesOf(page);
    // The page has arrived and is shown when the transition begins.
    await page.evaluate(() => {
      document.startViewTransition = (change) => {
        const begun = new Promise<void>((begin) => Object.assign(self, { begin }));
        const done = begun.then(() => (change as () => Promise<void>)());
        return { ready: done, finished: done, updateCallbackDone: done, skipTransition: () => undefined } as never;
      };
    });
    await page.clock.pauseAt(Date.now() + 60_000);
    await page.click('a[href="/about"]');
    await page.waitForFunction(() => Reflect.has(self, "begin"));
    await page.clock.runFor(1000);
    await page.evaluate("self.begin()");
    await heading(page, "About");
    // Its prefetch comes after any of the link before.
    const next = page.waitForRequest((request) => request.url().endsWith("/long") && isFetch(request));
    await page.hover('a[href="/long"]');
    await page.clock.runFor(1000);
    await next;
    assert.deepEqual(fetches, ["/about", "/long"]);
    await close();
  });
});
