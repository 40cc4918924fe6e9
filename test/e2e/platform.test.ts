/** Browser features other than clicks, and changes by browser extensions, under a policy with Trusted Types. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Page } from "playwright-core";
import { openTab } from "./browser.ts";
import { button, holdBack, hostileApp } from "./hostile-app.ts";

const app = hostileApp();
const log = (page: Page) => page.locator("output");

describe("Trusted Types", () => {
  it("are required by every test of these pages, and rows and branches are created nevertheless", () =>
    app.onPage("/platform", async (page, tab) => {
      const policy = (await fetch(`${app.url}/platform`)).headers.get("content-security-policy") ?? "";
      assert.match(policy, /require-trusted-types-for 'script'; trusted-types svc test$/);
      await assert.rejects(
        page.evaluate(() => void (document.createElement("p").innerHTML = "<b>text</b>")),
        /TrustedHTML/,
      );
      const complaints: string[] = [];
      while (!complaints.some((text) => text.startsWith("CSP"))) {
        complaints.push(...tab.takeComplaints());
        await page.evaluate("0");
      }
      assert.ok(complaints.every((text) => /trusted/i.test(text)));
      await button(page, "Grow").click();
      await page.locator("li", { hasText: /^4$/ }).waitFor();
      assert.equal(await page.locator("#shown").count(), 0);
      await button(page, "Grow").click();
      await page.locator("#shown").waitFor();
    }));

  it("allow late parts to be placed, and their rows to be created", async () => {
    const html = await (await fetch(`${app.url}/late`)).text();
    assert.ok(html.includes("data-svc-wait") && html.includes("data-svc-piece"), "the piece comes after the page");
    await app.onPage("/late", async (page) => {
      await page.locator("#found").waitFor();
      assert.equal(await page.locator("#wait").count(), 0);
      await button(page, "More").click();
      await page.locator("li", { hasText: "w0" }).waitFor();
      await button(page, "Take over").click();
      await page.locator("li", { hasText: "b" }).waitFor();
      assert.deepEqual(await page.locator("li").allTextContents(), ["a", "b", "w0"]);
    });
  });
});

describe("custom elements", () => {
  it("receive attributes, receive and emit events, and may be defined late", () =>
    app.onPage("/platform", async (page) => {
      await button(page, "Label").click();
      await page.locator('x-counter[label="two"]').waitFor();
      await page.evaluate(() => {
        customElements.define(
          "x-counter",
          class extends HTMLElement {
            constructor() {
              super();
              const inside = document.createElement("button");
              inside.textContent = "Inside";
              inside.onclick = () => this.dispatchEvent(new CustomEvent("step", { detail: 7, bubbles: true }));
              this.attachShadow({ mode: "open" }).append(inside, document.createElement("slot"));
            }
          },
        );
      });
      await button(page, "Inside").click();
      await log(page).filter({ hasText: "host step 7" }).waitFor();
      assert.equal(await page.locator("x-counter b").textContent(), "slotted");
    }));

  it("emit events from their shadow root before any script has loaded", async () => {
    const tab = await openTab(app.browser);
    const { page } = tab;
    const releaseHeld = await holdBack(page);
    await page.goto(`${app.url}/platform`, { waitUntil: "commit" });
    await page.locator("x-counter").evaluate((host) => {
      const inside = document.createElement("button");
      inside.textContent = "Inside";
      host.attachShadow({ mode: "open" }).append(inside);
    });
    await button(page, "Inside").click();
    releaseHeld();
    await log(page)
      .filter({ hasText: /^host $/ })
      .waitFor();
    await tab.close();
  });
});

describe("dialogs, popovers and details", () => {
  it("emit events when they open and close, by the browser or by the user", () =>
    app.onPage("/platform", async (page) => {
      await page.locator("summary").click();
      await log(page).filter({ hasText: "opened" }).waitFor();
      await button(page, "Popover").click();
      await log(page).filter({ hasText: "popover open" }).waitFor();
      await page.keyboard.press("Escape");
      await log(page).filter({ hasText: "popover closed" }).waitFor();
      await button(page, "Modal").click();
      await button(page, "Fine").click();
      await log(page).filter({ hasText: "dialog fine" }).waitFor();
      await button(page, "Modal").click();
      await page.keyboard.press("Escape");
      await log(page).filter({ hasText: "fine cancel dialog" }).waitFor();
    }));
});

describe("transitions", () => {
  it("may wrap an update", () =>
    app.onPage("/platform", async (page) => {
      await button(page, "Transition").click();
      await log(page).filter({ hasText: "transition" }).waitFor();
    }));

  it("between pages leave both pages working", () =>
    app.onPage("/platform", async (page) => {
      for (const name of ["Other page", "Back"]) {
        await page.evaluate(() => {
          const style = new CSSStyleSheet();
          style.replaceSync("@view-transition { navigation: auto }");
          document.adoptedStyleSheets.push(style);
        });
        await page.getByRole("link", { name }).click();
      }
      await button(page, "Count").click();
      await page.locator("#count", { hasText: /^1$/ }).waitFor();
    }));
});

describe("a page restored from the back-forward cache", () => {
  it("continues where it was, and replays nothing", () =>
    app.onPage("/input", async (page) => {
      await button(page, "Count").click();
      await page.locator("#count", { hasText: /^1$/ }).waitFor();
      await page.evaluate(() => addEventListener("pageshow", (event) => (document.title = `kept: ${event.persisted}`)));
      await page.getByRole("link", { name: "Other page" }).click();
      await button(page, "Say").click();
      await page.goBack();
      const isKept = (await page.title()) === "kept: true";
      await button(page, "Count").click();
      await page.locator("#count", { hasText: isKept ? /^2$/ : /^1$/ }).waitFor();
    }));

  it("is eligible for the cache: nothing listens for its unload", () =>
    app.onPage("/input", async (page) => {
      await button(page, "Count").click();
      const session = await page.context().newCDPSession(page);
      const { result } = await session.send("Runtime.evaluate", { expression: "window" });
      const { listeners } = await session.send("DOMDebugger.getEventListeners", { objectId: result.objectId ?? "" });
      const types = new Set(listeners.map(({ type }) => type));
      assert.ok(types.has("click"));
      for (const type of ["unload", "beforeunload", "pagehide"]) assert.equal(types.has(type), false, type);
      const blocking = listeners.filter(({ type, passive }) => /touch|wheel|scroll/.test(type) && !passive);
      assert.deepEqual(blocking, []);
    }));
});

describe("forms", () => {
  it("that are invalid are not sent, and emit the browser's events", () =>
    app.onPage("/forms", async (page) => {
      const field = page.locator("#valid input");
      await button(page, "Send").click();
      await log(page).filter({ hasText: "invalid" }).waitFor();
      assert.equal(await page.locator("#valid input:user-invalid").count(), 1);
      await field.fill("someone@example.org");
      await button(page, "Send").click();
      await log(page).filter({ hasText: "sent someone@example.org" }).waitFor();
      assert.equal(await log(page).textContent(), "invalid sent someone@example.org ");
    }));

  it("whose fields are named like properties of elements work, early and late", async () => {
    const tab = await openTab(app.browser);
    const { page } = tab;
    const releaseHeld = await holdBack(page);
    await page.goto(`${app.url}/clobbered`, { waitUntil: "commit" });
    // Playwright would loop over the parents forever.
    const click = async (id: string): Promise<void> => {
      await page.waitForFunction((name) => document.getElementById(name), id);
      const box = (name: string) => document.getElementById(name)!.getBoundingClientRect().toJSON() as DOMRect;
      const { x, y } = await page.evaluate(box, id);
      await page.mouse.click(x + 5, y + 5);
    };
    await click("more");
    await click("submit");
    releaseHeld();
    await log(page).filter({ hasText: "form form clobbered" }).waitFor();
    await click("more");
    assert.equal(await page.locator("#count").textContent(), "2");
    await tab.close();
  });
});

describe("pages in a hostile environment", () => {
  it("work with a <base> that points elsewhere", () =>
    app.onPage("/vital", async (page) => {
      await button(page, "Count").click();
      await page.locator("#head", { hasText: /^1$/ }).waitFor();
      assert.equal(await page.locator("main p").textContent(), "Now it is 1 of many");
    }));

  it("work although extensions insert elements into head and body before any script runs", async () => {
    const tab = await openTab(app.browser);
    const { page } = tab;
    const releaseHeld = await holdBack(page);
    await page.goto(`${app.url}/vital`, { waitUntil: "commit" });
    await button(page, "Count").waitFor();
    await page.evaluate(() => {
      document.head.prepend(document.createElement("link"));
      document.head.append(document.createElement("meta"));
      document.body.prepend(document.createElement("div"));
      document.body.append(document.createElement("div"), "text");
      document.documentElement.append(document.createElement("aside"));
    });
    await button(page, "Count").click();
    releaseHeld();
    await page.locator("#head", { hasText: /^1$/ }).waitFor();
    assert.equal(await page.locator("main p").textContent(), "Now it is 1 of many");
    await tab.close();
  });

  it("work although a translator replaces their text nodes", () =>
    app.onPage("/vital", async (page) => {
      await button(page, "Count").click();
      await page.locator("#head", { hasText: /^1$/ }).waitFor();
      await page.evaluate(() => {
        const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
        const texts: Text[] = [];
        while (walker.nextNode())
          if (walker.currentNode.parentElement?.tagName !== "SCRIPT") texts.push(walker.currentNode as Text);
        for (const text of texts) {
          const font = document.createElement("font");
          font.textContent = text.data.toUpperCase();
          text.replaceWith(font);
        }
      });
      await page.getByRole("button", { name: "COUNT" }).click();
      assert.equal(await page.locator("main p b").textContent(), "IT");
    }));

  it("work inside a frame of the same site", () =>
    app.onPage("/other", async (page) => {
      await page.evaluate(() => {
        const frame = document.createElement("iframe");
        frame.src = "/input";
        document.body.append(frame);
      });
      const frame = page.frameLocator("iframe");
      await frame.getByRole("button", { name: "Count" }).click();
      await frame.locator("#count", { hasText: /^1$/ }).waitFor();
    }));

  it("of one address in two tabs are independent", async () => {
    const tab = await openTab(app.browser);
    await tab.page.goto(`${app.url}/input`);
    const second = await tab.page.context().newPage();
    await second.goto(`${app.url}/input`);
    await button(tab.page, "Count").click();
    await button(second, "Count").click();
    await button(second, "Count").click();
    await second.locator("#count", { hasText: /^2$/ }).waitFor();
    assert.equal(await tab.page.locator("#count").textContent(), "1");
    await tab.close();
  });

  it("do not touch the content of templates", () =>
    app.onPage("/platform", async (page) => {
      await button(page, "Label").click();
      await page.locator('x-counter[label="two"]').waitFor();
      const content = await page
        .locator("#template")
        .evaluate((template: HTMLTemplateElement) => template.content.firstElementChild?.outerHTML);
      assert.equal(content, "<p>in a template</p>");
    }));
});
