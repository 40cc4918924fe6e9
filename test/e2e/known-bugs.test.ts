/** Known bugs of resumable pages in an earlier framework, each with the correct behavior. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Page } from "playwright-core";
import { button, hostileApp } from "./hostile-app.ts";

const app = hostileApp();

const onFaults = (story: (page: Page) => Promise<void>): Promise<void> => app.onPage("/faults", story);

/** The page as the server sends it. */
const html = async (): Promise<string> => (await fetch(`${app.url}/faults`)).text();

describe("a page before any click", () => {
  it("has attribute values in its HTML, and omits false attributes", async () => {
    const text = await html();
    assert.match(text, /<a href="\/one">Link<\/a>/);
    assert.match(text, /<button type="button" class="plain">/);
    assert.match(text, /<button type="button" class="bound">/);
    assert.match(text, /<input class="typed" value="server">/);
    assert.match(text, /<div class="wide" style="width:10px">/);
  });

  it("fetches no script but the loader, unless a moment needs one", () =>
    app.onPage("/other", async (page, tab) => {
      await page.waitForLoadState("networkidle");
      assert.deepEqual(tab.scripts, ["/_svc/loader.js"]);
    }));
});

describe("attributes", () => {
  it("appear and disappear, are sanitized, and update an untouched field", () =>
    onFaults(async (page) => {
      const part = page.locator("#attributes");
      await button(page, "Change").click();
      await part.locator(".bound[disabled]").waitFor();
      assert.equal(await part.locator(".typed").inputValue(), "browser");
      assert.doesNotMatch((await part.locator("a").getAttribute("href")) ?? "", /^javascript/);
      assert.equal(await part.locator(".wide").evaluate((wide: HTMLElement) => wide.style.width), "20px");
      await button(page, "Change").click();
      assert.equal(await part.locator(".bound").isEnabled(), true);
      assert.equal(await part.locator(".plain").isEnabled(), true);
    }));

  it("update a field that was typed into", () =>
    onFaults(async (page) => {
      const field = page.locator("#attributes .typed");
      await field.fill("typed");
      await button(page, "Change").click();
      await page.locator("#attributes .bound[disabled]").waitFor();
      assert.equal(await field.inputValue(), "browser");
    }));
});

describe("rows", () => {
  it("that are new have links, texts and handlers of their own, and existing rows are updated", () =>
    onFaults(async (page) => {
      const rows = page.locator("#rows .some li");
      await button(page, "Add row").click();
      await rows.nth(1).waitFor();
      const links = await rows.locator("a").evaluateAll((all) => all.map((link) => link.getAttribute("href")));
      assert.deepEqual(links, ["/item/1", "/item/2"]);
      assert.deepEqual(await rows.locator("b").allTextContents(), ["11", "20"]);
      await button(page, "Buy two").click();
      await button(page, "Buy one").click();
      assert.equal(await page.locator("#rows .total").textContent(), "two one ");
    }));

  it("of an initially empty list are rendered as written", () =>
    onFaults(async (page) => {
      await button(page, "Add row").click();
      await page.locator("#rows .none li").waitFor();
      assert.equal(await page.locator("#rows .none").innerHTML(), '<li class="row"><em>two</em></li>');
    }));
});

describe("handlers", () => {
  it("all run, innermost first, each with its own current target", () =>
    onFaults(async (page) => {
      const log = page.locator("#nested output");
      for (const times of [1, 2]) {
        await button(page, "Nested").click();
        const expected = "inner:inner:inner middle:middle outer:nested ".repeat(times);
        await page.waitForFunction((text) => document.querySelector("#nested output")?.textContent === text, expected);
      }
      assert.equal(await log.count(), 1);
    }));

  it("receive every event, including custom ones", () =>
    onFaults(async (page) => {
      await page.locator("#events summary").click();
      await button(page, "Target").dblclick();
      await button(page, "Target").click({ button: "right" });
      await button(page, "Target").evaluate((target) => {
        for (const type of ["dragover", "drop", "paste", "pointercancel", "transitionend", "cart-changed"])
          target.dispatchEvent(new Event(type, { bubbles: true }));
      });
      const expected = "toggle dblclick contextmenu dragover drop paste pointercancel transitionend cart-changed ";
      await page.locator("#events output", { hasText: expected.trim() }).waitFor();
      assert.equal(await page.locator("#events output").textContent(), expected);
    }));

  it("of pointer moves read each element on the path at most once", () =>
    onFaults(async (page) => {
      await page.locator("#moved").hover();
      await page.waitForFunction(() => Number(document.querySelector("#moved")?.textContent) > 0);
      const work = await page.evaluate(() => {
        let deepest = document.querySelector("#deep")!;
        for (let depth = 0; depth < 30; depth++) deepest = deepest.appendChild(document.createElement("i"));
        const reads = { attributes: 0, queries: 0 };
        const { getAttribute, closest, querySelectorAll } = Element.prototype;
        const counted = <T extends object>(owner: T, name: keyof T, count: keyof typeof reads): void => {
          const original = owner[name] as (...args: unknown[]) => unknown;
          Object.assign(owner, {
            [name](this: unknown, ...args: unknown[]) {
              reads[count]++;
              return original.apply(this, args);
            },
          });
        };
        counted(Element.prototype, "getAttribute", "attributes");
        counted(Element.prototype, "closest", "queries");
        counted(Element.prototype, "querySelectorAll", "queries");
        counted(Document.prototype, "querySelectorAll", "queries");
        counted(Document.prototype, "querySelector", "queries");
        const path = 30 + 5;
        for (let moves = 0; moves < 10; moves++) deepest.dispatchEvent(new MouseEvent("mousemove", { bubbles: true }));
        Object.assign(Element.prototype, { getAttribute, closest, querySelectorAll });
        return { ...reads, path };
      });
      // The stub reads each element, then the loader; and <html> once, for handlers of the window.
      assert.ok(work.attributes <= 10 * (2 * work.path + 1), `${work.attributes} attributes read`);
      assert.equal(work.queries, 0);
    }));
});

describe("values", () => {
  it("update derived values once per change, and never partially", () =>
    onFaults(async (page) => {
      await button(page, "Sum").click();
      await page.locator("#reactivity .sum", { hasText: /^50$/ }).waitFor();
      assert.equal(await page.locator("html").getAttribute("data-sums"), "50 ");
    }));

  it("are tracked even if the server did not read them", () =>
    onFaults(async (page) => {
      const chosen = page.locator("#reactivity .chosen");
      await button(page, "Choose").click();
      await chosen.filter({ hasText: /^1$/ }).waitFor();
      await button(page, "Second").click();
      assert.equal(await chosen.textContent(), "2");
    }));

  it("of a store change in place, deep inside", () =>
    onFaults(async (page) => {
      await button(page, "Mutate").click();
      await page.locator("#reactivity .store", { hasText: /^bxy,c$/ }).waitFor();
    }));

  it("can be set by moments, under a policy that forbids eval", () =>
    onFaults(async (page) => {
      await page.locator("#reactivity").scrollIntoViewIfNeeded();
      await page.locator("#reactivity .seen", { hasText: /^seen$/ }).waitFor();
      const answer = await fetch(`${app.url}/faults`);
      assert.doesNotMatch(answer.headers.get("content-security-policy") ?? "", /unsafe-eval/);
    }));
});
