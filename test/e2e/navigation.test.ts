/** Enhanced navigation (src/web/client/navigation/client-navigation.ts): kept and dropped state, and navigations left to the browser. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { BrowserContextOptions, Page } from "playwright-core";
import { createApp, page as definePage, type Started } from "svckit";
import { html } from "svckit/jsx-runtime";
import { openTab, seriousViolations, slowDown } from "./browser.ts";
import { follow, heading, hold, isFetch, isSame, navigationSite } from "./navigation-site.ts";

const app = navigationSite();
const { openScripted, fetchesOf, pathOf } = app;

const scrolled = (page: Page): Promise<number> => page.evaluate("Math.round(scrollY)");

/** Messages of the browser that are expected. */
const EXPECTED = /status of 404|Unsafe attempt to load URL http:\/\/localhost/;

/** Stories of visitors, with the same result whether scripts run or not. */
const STORIES: Record<string, (page: Page) => Promise<void>> = {
  "goes from page to page": async (page) => {
    await page.goto(`${app.url}/`);
    await follow(page, "/about");
    await heading(page, "About");
    assert.equal(await page.title(), "About · Site");
    assert.equal(pathOf(page), "/about");
    assert.equal(await page.locator('link[rel="canonical"]').getAttribute("href"), "https://example.com/about");
    assert.equal(await page.locator('meta[name="theme-color"]').getAttribute("content"), "#123456");
    assert.equal(await page.locator('meta[name="description"]').count(), 0);
    assert.deepEqual(await page.locator('[aria-current="page"]').allTextContents(), ["/about"]);
    await follow(page, "/");
    await heading(page, "Home");
    assert.equal(await page.locator('meta[name="description"]').getAttribute("content"), "Where it begins");
    assert.equal(await page.locator('link[rel="canonical"], meta[name="theme-color"]').count(), 0);
  },
  "goes back and forward, to where it had scrolled": async (page) => {
    await page.goto(`${app.url}/`);
    await page.locator("#below").scrollIntoViewIfNeeded();
    const place = await scrolled(page);
    assert.ok(place > 1000);
    await page.locator("#below").click();
    await heading(page, "About");
    await page.waitForFunction(() => scrollY === 0);
    await page.goBack();
    await heading(page, "Home");
    await page.waitForFunction((y) => Math.abs(scrollY - y) < 2, place);
    assert.equal(pathOf(page), "/");
    await page.goForward();
    await heading(page, "About");
    await page.waitForFunction(() => scrollY === 0);
    assert.equal(pathOf(page), "/about");
  },
  "goes to a fragment of another page, and within it": async (page) => {
    await page.goto(`${app.url}/`);
    await follow(page, "/long#place");
    await heading(page, "Long");
    await page.waitForFunction(() => Math.abs(document.querySelector("#place")!.getBoundingClientRect().top) < 200);
    assert.equal(pathOf(page), "/long#place");
    await follow(page, "/long");
    // The link is at the top, so the page scrolls up before it is followed.
    await page.waitForFunction(() => location.hash === "" && scrollY === 0);
    // A click of the driver may scroll first, and then going back would return to that position.
    await page.locator("#within").evaluate((link) => (link as HTMLElement).click());
    await page.waitForFunction(() => scrollY > 1000);
    assert.equal(pathOf(page), "/long#place");
    await page.goBack();
    await page.waitForFunction(() => scrollY === 0);
    assert.equal(pathOf(page), "/long");
  },
  "follows a redirect": async (page) => {
    await page.goto(`${app.url}/`);
    await follow(page, "/moved");
    await heading(page, "About");
    assert.equal(pathOf(page), "/about");
  },
  "sees the page for a missing path": async (page) => {
    await page.goto(`${app.url}/`);
    await follow(page, "/nowhere");
    await heading(page, "Nothing is at /nowhere");
    assert.equal(pathOf(page), "/nowhere");
  },
  "goes to a page without scripts of its own and from there": async (page) => {
    await page.goto(`${app.url}/about`);
    await follow(page, "/still");
    await heading(page, "Still");
    assert.equal(await page.locator("header").count(), 0);
    await follow(page, "/counter");
    await heading(page, "Counter");
    assert.equal(await page.locator("header").count(), 1);
    await follow(page, "/plain");
    await heading(page, "Plain");
    await follow(page, "/");
    await heading(page, "Home");
  },
  "follows a link to another origin": async (page) => {
    await page.goto(`${app.url}/`);
    await follow(page, "/away");
    await page.waitForURL(/localhost/);
    await heading(page, "About");
  },
  "downloads a file, and stays": async (page) => {
    await page.goto(`${app.url}/about`);
    const download = page.waitForEvent("download");
    await follow(page, "/file");
    assert.equal((await download).suggestedFilename(), "a.txt");
    await heading(page, "About");
    assert.equal(pathOf(page), "/about");
  },
};

/** `reports`: the stories to run. Default: all. */
const WAYS: Record<
  string,
  { options: BrowserContextOptions; prepare?: (page: Page) => Promise<void>; reports?: RegExp }
> = {
  "with JavaScript": { options: { javaScriptEnabled: true } },
  "without JavaScript": { options: { javaScriptEnabled: false } },
  "on a slow network": { options: { javaScriptEnabled: true }, prepare: slowDown, reports: /^goes/ },
};

for (const [way, { options, prepare, reports = /./ }] of Object.entries(WAYS)) {
  describe(`a visitor ${way}`, () => {
    for (const [name, story] of Object.entries(STORIES)) {
      if (!reports.test(name)) continue;
      it(name, async () => {
        const tab = await openTab(app.browser, options);
        await prepare?.(tab.page);
        await story(tab.page);
        await tab.close(EXPECTED);
      });
    }
  });
}

describe("a link that is followed within the document", () => {
  it("keeps the layout, with its elements and their state", async () => {
    const tab = await openScripted("/");
    const { page } = tab;
    await page.click("#menu");
    await page.locator("#opened").waitFor();
    await page.fill("#search", "words");
    await page.evaluate(
      `document.querySelector("#side").scrollTop = 77; self.search = document.querySelector("#search")`,
    );
    await follow(page, "/about");
    await heading(page, "About");
    assert.equal(await isSame(page), true);
    assert.equal(await page.locator("#opened").count(), 1);
    assert.equal(await page.locator("#menu").getAttribute("aria-expanded"), "true");
    assert.equal(await page.inputValue("#search"), "words");
    assert.equal(await page.evaluate(`document.querySelector("#side").scrollTop`), 77);
    assert.equal(await page.evaluate(`self.search === document.querySelector("#search")`), true);
    await page.click("#menu");
    await page.locator("#opened").waitFor({ state: "detached" });
    await tab.close();
  });

  it("keeps nested layouts that both pages share, with the same parameters", async () => {
    const tab = await openScripted("/users");
    const { page } = tab;
    await page.click("#seen");
    await follow(page, "/users/ada");
    await heading(page, "User ada");
    assert.equal(await page.locator("#seen").textContent(), "1");
    await page.click("#seen");
    await follow(page, "/users/grace");
    await heading(page, "User grace");
    assert.equal(await page.locator("#seen").textContent(), "2");
    await follow(page, "/teams/1");
    await heading(page, "Team");
    await page.click("#points");
    await follow(page, "/teams/1/members");
    await heading(page, "Members");
    assert.equal(await page.locator("#points").textContent(), "1 of team 1");
    await follow(page, "/teams/2");
    await heading(page, "Team");
    assert.equal(await page.locator("#points").textContent(), "0 of team 2");
    assert.equal(await isSame(page), true);
    await tab.close();
  });

  it("starts the page anew each time, and ends the effects of the previous one", async () => {
    const tab = await openScripted("/counter");
    const { page } = tab;
    await page.evaluate("self.seen = []");
    for (let round = 0; round < 3; round++) {
      await page.locator("#there", { hasText: /^there$/ }).waitFor();
      assert.equal(await page.locator("#count").textContent(), "0");
      assert.equal(await page.inputValue("#typed"), "");
      await page.click("#count");
      await page.locator("#count", { hasText: "1" }).waitFor();
      await page.fill("#typed", "typed");
      await follow(page, "/about");
      await heading(page, "About");
      await follow(page, "/counter");
      await heading(page, "Counter");
    }
    assert.deepEqual(await page.evaluate("self.seen"), ["count 1", "end 1", "count 1", "end 1", "count 1", "end 1"]);
    assert.equal(await isSame(page), true);
    await tab.close();
  });

  it("focuses the new heading or the autofocus element, and announces the title to screen readers", async () => {
    const tab = await openScripted("/");
    const { page } = tab;
    await follow(page, "/about");
    await heading(page, "About");
    assert.equal(await page.evaluate("document.activeElement.textContent"), "About");
    assert.equal(await page.locator("svc-announcer[aria-live=polite]").textContent(), "About · Site");
    await follow(page, "/asks");
    await heading(page, "Asks");
    assert.equal(await page.evaluate("document.activeElement.id"), "asked");
    assert.equal(await page.locator("svc-announcer").textContent(), "Asks · Site");
    assert.equal(await page.locator("h1[tabindex]").count(), 0);
    assert.deepEqual(await seriousViolations(page), []);
    await tab.close();
  });
});

describe("a link that the visitor is about to follow", () => {
  for (const [how, mean] of Object.entries({
    pointing: (page: Page) => page.locator('a[href="/about"]').first().hover(),
    focusing: (page: Page) => page.locator('a[href="/about"]').first().focus(),
  })) {
    it(`is prefetched once: by ${how}`, async () => {
      const tab = await openScripted("/users");
      const { page } = tab;
      const fetches = fetchesOf(page);
      const response = page.waitForResponse((answer) => isFetch(answer.request()));
      await mean(page);
      await response;
      await page.locator("#search").focus();
      await mean(page);
      await follow(page, "/about");
      await heading(page, "About");
      assert.deepEqual(fetches, ["/about"]);
      await follow(page, "/users");
      await heading(page, "Users");
      await follow(page, "/about");
      await heading(page, "About");
      assert.deepEqual(fetches, ["/about", "/users", "/about"], "a page shown before is fetched again");
      await tab.close();
    });
  }

  for (const [what, goOn] of Object.entries({
    "later, after another page": async (page: Page) => {
      await page.goto(`${app.url}/about`);
      await page.goto(`${app.url}/flash`);
    },
    "on the linked page": async (page: Page) => {
      await follow(page, "/flash");
      await heading(page, "Flash");
      assert.equal(await isSame(page), true);
    },
  })) {
    it(`does not consume a waiting flash message: the visitor sees it ${what}`, async () => {
      const tab = await openScripted("/users");
      const { page } = tab;
      await page.evaluate(`fetch("/set-flash").then((answer) => answer.text())`);
      const failed = page.waitForResponse((answer) => isFetch(answer.request()));
      await page.locator('a[href="/flash"]').focus();
      assert.equal((await failed).status(), 204);
      await goOn(page);
      assert.equal(await page.locator(".svc-flash").textContent(), "Saved");
      await page.goto(`${app.url}/flash`);
      assert.equal(await page.locator(".svc-flash").textContent(), "");
      await tab.close();
    });
  }

  it("shows a waiting flash message within the page, even if it is followed before the prefetch has ended", async () => {
    const tab = await openScripted("/users");
    const { page } = tab;
    await page.evaluate(`fetch("/set-flash").then((answer) => answer.text())`);
    const releaseHeld = await hold(page, "/flash");
    const asked = page.waitForRequest(isFetch);
    await page.locator('a[href="/flash"]').focus();
    await asked;
    await follow(page, "/flash");
    await page.locator("[aria-busy=true]").first().waitFor();
    await releaseHeld();
    await heading(page, "Flash");
    assert.equal(await page.locator(".svc-flash").textContent(), "Saved");
    assert.equal(await isSame(page), true);
    await tab.close();
  });

  it("is fetched again if its prefetch is old", async () => {
    const tab = await openTab(app.browser, { reducedMotion: "reduce" });
    const { page } = tab;
    await page.clock.install();
    await page.goto(`${app.url}/users`, { waitUntil: "networkidle" });
    const fetches = fetchesOf(page);
    const response = page.waitForResponse((answer) => isFetch(answer.request()));
    await page.locator('a[href="/about"]').first().focus();
    await page.clock.runFor(100);
    await response;
    await page.clock.fastForward(60_000);
    await follow(page, "/about");
    await page.clock.runFor(1000);
    await heading(page, "About");
    assert.deepEqual(fetches, ["/about", "/about"]);
    await tab.close();
  });
});

describe("a visitor who goes back", () => {
  it("sees the previous page without a request, until an action was called", async () => {
    const tab = await openScripted("/");
    const { page } = tab;
    const fetches = fetchesOf(page);
    await follow(page, "/about");
    await heading(page, "About");
    await follow(page, "/users");
    await heading(page, "Users");
    await page.goBack();
    await heading(page, "About");
    assert.deepEqual(fetches, ["/about", "/users"]);
    await page.evaluate(`fetch("/_svc/action/none", { method: "POST" }).then((answer) => answer.text())`);
    await page.goForward();
    await heading(page, "Users");
    assert.deepEqual(fetches, ["/about", "/users", "/users"]);
    await tab.close(EXPECTED);
  });

  it("stays on the page for history entries of the app itself", async () => {
    const tab = await openScripted("/");
    const { page } = tab;
    await follow(page, "/long");
    await heading(page, "Long");
    await page.evaluate("new Promise((done) => (addEventListener('scroll', done, { once: true }), scrollTo(0, 700)))");
    await page.evaluate("history.pushState({ isOpen: true }, '')");
    await page.goBack();
    await page.goForward();
    await page.waitForFunction(() => (history.state as { isOpen?: boolean }).isOpen === true);
    assert.equal(await scrolled(page), 700);
    assert.equal(await isSame(page), true);
    await tab.close();
  });

  it("returns to the previous scroll positions, also after a reload", async () => {
    const tab = await openScripted("/");
    const { page } = tab;
    await page.evaluate("scrollTo(0, 1234)");
    await follow(page, "/about");
    await heading(page, "About");
    await page.reload({ waitUntil: "networkidle" });
    await page.goBack();
    await heading(page, "Home");
    await page.waitForFunction(() => scrollY === 1234);
    await tab.close();
  });
});

describe("the browser itself handles", () => {
  const loads: Record<string, (page: Page) => Promise<unknown>> = {
    "a page of another build": (page) =>
      page.route("**/about", async (route) => {
        if (!isFetch(route.request())) return route.continue();
        const response = await route.fetch();
        const body = (await response.text()).replace(/data-svc-links="\w*"/, 'data-svc-links="other"');
        return route.fulfill({ response, body });
      }),
    "a page that can't be fetched": (page) =>
      page.route("**/about", (route) => (isFetch(route.request()) ? route.abort() : route.continue())),
    "every link, if the code can't be fetched": (page) => page.route("**/visit.js", (route) => route.abort()),
    "a link with navigation turned off": (page) =>
      page.evaluate(`document.querySelector("nav").setAttribute("data-svc-navigation", "off")`),
    "a link in a tab of its own": (page) => page.evaluate(`document.querySelector('a[href="/about"]').target = "_top"`),
  };
  for (const [what, prepare] of Object.entries(loads)) {
    it(what, async () => {
      const tab = await openScripted("/users");
      await prepare(tab.page);
      await follow(tab.page, "/about");
      await heading(tab.page, "About");
      assert.equal(await isSame(tab.page), false);
      await tab.close(/ERR_FAILED/);
    });
  }

  it("a click with a modifier key, or one that a handler has prevented", async () => {
    const tab = await openScripted("/counter");
    const { page } = tab;
    // This listener is last, so it sees the effect of all others.
    await page.evaluate(`addEventListener("click", (event) => {
      self.isPrevented = event.defaultPrevented;
      event.preventDefault();
    })`);
    await page
      .locator('a[href="/users"]')
      .first()
      .click({ modifiers: ["ControlOrMeta"] });
    assert.equal(await page.evaluate("self.isPrevented"), false);
    await page.click("#own");
    assert.equal(pathOf(page), "/counter");
    await tab.close();
  });
});

describe("a handler", () => {
  it("navigates to another page as a link does, optionally replacing the history entry", async () => {
    const tab = await openScripted("/counter");
    const { page } = tab;
    await page.click("#go");
    await heading(page, "About");
    assert.equal(await isSame(page), true);
    await page.goBack();
    await heading(page, "Counter");
    await page.click("#instead");
    await heading(page, "About");
    await page.reload();
    assert.equal(pathOf(page), "/about");
    const entries = await page.evaluate("history.length");
    assert.equal(entries, 2 + 1, "the first page of a tab is its blank one");
    await tab.close();
  });
});

describe("a handler that navigates while the navigation code fails to load", () => {
  it("lets the browser load the page", async () => {
    const tab = await openScripted("/counter");
    const { page } = tab;
    await page.route("**/visit.js", (route) => route.abort());
    await page.click("#go");
    await heading(page, "About");
    assert.equal(await isSame(page), false);
    await tab.close(/ERR_FAILED/);
  });
});

describe("a handler that has changed data", () => {
  it("navigates to the current version of a page, not to a prefetched one", async () => {
    const tab = await openScripted("/counter");
    const { page } = tab;
    const fetches = fetchesOf(page);
    const response = page.waitForResponse((answer) => isFetch(answer.request()));
    await page.locator('a[href="/about"]').first().focus();
    await response;
    await page.click("#go");
    await heading(page, "About");
    assert.deepEqual(fetches, ["/about", "/about"]);
    await tab.close();
  });
});

describe("a page without enhanced navigation", () => {
  it("contains no byte of it", async () => {
    const plain = await (await fetch(`${app.url}/plain`)).text();
    assert.doesNotMatch(plain, /links\.js|svc:slot/);
    const asking = await (await fetch(`${app.url}/about`)).text();
    assert.match(asking, /links\.js/);
    const [inside] = /(?<=<!--svc:slot \w{8}-->)[^]*(?=<!--\/svc:slot-->)/.exec(asking) ?? [];
    assert.match(inside ?? "", /^<h1>About/);
  });
});

describe("after fifty navigations", () => {
  it("the page holds no more nodes and listeners than after ten", async () => {
    const tab = await openScripted("/");
    const { page } = tab;
    const client = await page.context().newCDPSession(page);
    const around = async (): Promise<void> => {
      for (const path of ["/counter", "/users", "/users/ada", "/teams/1", "/still"]) {
        await follow(page, path);
        await page.waitForFunction((to) => location.pathname === to && document.querySelector("h1") !== null, path);
        for (const id of ["menu", "count", "seen", "points"]) {
          const button = page.locator(`#${id}`);
          if (await button.count()) await button.click();
        }
        if (path === "/still") {
          await follow(page, "/counter");
          await heading(page, "Counter");
        }
      }
    };
    const held = async (): Promise<Record<string, number>> => {
      await client.send("HeapProfiler.collectGarbage");
      const { metrics } = await client.send("Performance.getMetrics");
      return Object.fromEntries(metrics.map(({ name, value }) => [name, value]));
    };
    await client.send("Performance.enable");
    for (let round = 0; round < 2; round++) await around();
    const before = await held();
    for (let round = 0; round < 8; round++) await around();
    const after = await held();
    assert.equal(await isSame(page), true);
    assert.equal(after["JSEventListeners"], before["JSEventListeners"]);
    assert.ok(after["Nodes"]! - before["Nodes"]! < 20, `${before["Nodes"]} nodes, then ${after["Nodes"]}`);
    await tab.close();
  });
});

describe("under Trusted Types", () => {
  let started: Started;
  before(async () => {
    const write = (name: string) => html(() => `<main><h1>${name}</h1><a href="/two">Two</a></main>`);
    const app = createApp({
      pages: [
        definePage("/", { title: "One", navigation: "enhanced", view: () => write("One") }),
        definePage("/two", { title: "Two", navigation: "enhanced", view: () => write("Two") }),
      ],
      security: { trustedTypes: true },
      env: { NODE_ENV: "production", SVC_DATABASE_URL: "memory:", SVC_SECRET: "s".repeat(32) },
    });
    started = await app.start({ host: "127.0.0.1", port: 0 });
  });
  after(() => started.close());

  it("pages are swapped by the framework's policy", async () => {
    const tab = await openTab(app.browser);
    const { page } = tab;
    await page.goto(started.url, { waitUntil: "networkidle" });
    await page.evaluate("self.isSame = true");
    await follow(page, "/two");
    await heading(page, "Two");
    assert.equal(await isSame(page), true);
    await tab.close();
  });
});
