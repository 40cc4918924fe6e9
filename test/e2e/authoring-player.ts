/** Plays a story of test/fixtures/authoring in a tab. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import type { Player } from "../fixtures/authoring/story.ts";
import type { Tab } from "./browser.ts";

const POLL_MS = 20;
/** The longest time for a page to open, whatever the time for checks. */
const NAVIGATION_MS = 60_000;

/** The page of a case in a tab, for its story. */
export class CasePlayer implements Player {
  readonly page: Page;
  readonly #tab: Tab;
  readonly #html: string;
  readonly #timeoutMs: number;

  private constructor(tab: Tab, html: string, timeoutMs: number) {
    this.page = tab.page;
    this.#tab = tab;
    this.#html = html;
    this.#timeoutMs = timeoutMs;
  }

  /**
   * Opens the page of a case.
   * @param timeoutMs the longest time for a check to hold
   * @throws AssertionError if the server can't render it
   */
  static async open(tab: Tab, url: string, timeoutMs: number): Promise<CasePlayer> {
    // A case may have routed requests of this tab.
    await tab.page.unrouteAll();
    tab.page.setDefaultTimeout(timeoutMs);
    tab.page.setDefaultNavigationTimeout(NAVIGATION_MS);
    const { page } = tab;
    const response = await page.goto(url);
    // In development the page of the error says what went wrong.
    if (response?.status() !== 200) assert.fail(`the server renders ${url}: ${await page.locator("body").innerText()}`);
    return new CasePlayer(tab, await response.text(), timeoutMs);
  }

  ssr(part: string | RegExp): void {
    const html = withoutProtocol(this.#html);
    assert.ok(
      typeof part === "string" ? html.includes(part) : part.test(html),
      `the server's HTML has ${part}: ${html}`,
    );
  }

  ssrLacks(part: string | RegExp): void {
    const has = typeof part === "string" ? this.#html.includes(part) : part.test(this.#html);
    assert.ok(!has, `the server's HTML lacks ${part}: ${this.#html}`);
  }

  click = (selector: string): Promise<void> => this.page.locator(selector).first().click();

  fill = (selector: string, value: string): Promise<void> => this.page.locator(selector).first().fill(value);

  text(selector: string, want: string | RegExp): Promise<void> {
    const read = () => this.page.evaluate((at) => document.querySelector(at)?.textContent ?? null, selector);
    return this.#until(read, want, `text of ${selector}`);
  }

  html(selector: string, want: string | RegExp): Promise<void> {
    const read = () => this.page.evaluate((at) => document.querySelector(at)?.innerHTML ?? null, selector);
    return this.#until(async () => withoutProtocol((await read()) ?? ""), want, `HTML of ${selector}`);
  }

  count(selector: string, want: number): Promise<void> {
    const read = () => this.page.evaluate((at) => document.querySelectorAll(at).length, selector);
    return this.#until(read, want, `count of ${selector}`);
  }

  attr(selector: string, name: string, want: string | RegExp | null): Promise<void> {
    const read = () =>
      this.page.evaluate(([at, of]) => document.querySelector(at)?.getAttribute(of) ?? null, [selector, name] as const);
    return this.#until(read, want, `${name} of ${selector}`);
  }

  prop(selector: string, name: string, want: unknown): Promise<void> {
    const read = () =>
      this.page.evaluate(([at, of]) => Reflect.get(document.querySelector(at) ?? {}, of) as unknown, [
        selector,
        name,
      ] as const);
    return this.#until(read, want, `${name} of ${selector}`);
  }

  js = <R>(read: () => R, want: R | RegExp): Promise<void> =>
    this.#until(() => this.page.evaluate(read), want, String(read));

  async idle(): Promise<void> {
    await this.count("[data-svc-pending]", 0);
    await this.page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  }

  async complains(about: RegExp): Promise<void> {
    const complaints: string[] = [];
    const read = async () => {
      complaints.push(...this.#tab.takeComplaints());
      return complaints.some((text) => about.test(text));
    };
    await this.#until(read, true, `the browser complains about ${about}`);
    assert.deepEqual(
      complaints.filter((text) => !about.test(text)),
      [],
      "the browser reports no other error",
    );
  }

  async #until(read: () => Promise<unknown>, want: unknown, subject: string): Promise<void> {
    const holds = (value: unknown) =>
      want instanceof RegExp ? want.test(String(value)) : JSON.stringify(value) === JSON.stringify(want);
    let value = await read();
    for (const end = performance.now() + this.#timeoutMs; !holds(value) && performance.now() < end;) {
      await this.page.waitForTimeout(POLL_MS);
      value = await read();
    }
    if (!holds(value)) assert.deepEqual(value, want, subject);
  }
}

/** HTML without comments, the scopes of content in no element, and the attributes that only resuming needs. */
const withoutProtocol = (html: string): string =>
  html
    .replaceAll(/<!--[^]*?-->/g, "")
    .replaceAll(/<template s="[^"]*"><\/template>/g, "")
    .replaceAll(/ (?:s|b|pt)="[^"]*"/g, "")
    .replaceAll(/ on:[^\s=>]+="[^"]*"/g, "");
