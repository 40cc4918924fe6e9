/** Firefox, driven over WebDriver BiDi, which it speaks itself: no geckodriver is needed. */
import { existsSync } from "node:fs";
import { launch, type ElementHandle, type Page } from "puppeteer-core";
import type { Launched, Visitor } from "./visitor.ts";

const PATH = process.env["SVC_FIREFOX"] ?? "/usr/bin/firefox-esr";

/** @returns the reason why Firefox cannot run here, or `undefined` */
export const lacksFirefox = (): string | undefined => (existsSync(PATH) ? undefined : `there is no ${PATH}`);

export async function launchFirefox(): Promise<Launched> {
  const browser = await launch({ browser: "firefox", executablePath: PATH });
  return {
    visit: async () => {
      const context = await browser.createBrowserContext();
      return visitorOf(await context.newPage(), () => context.close());
    },
    close: () => browser.close(),
  };
}

function visitorOf(page: Page, close: () => Promise<void>): Visitor {
  const find = async (selector: string, text?: string): Promise<ElementHandle> => {
    const handle = await page.waitForFunction(
      (at: string, wanted?: string) =>
        [...document.querySelectorAll(at)].find(
          (element) => wanted === undefined || element.textContent?.trim() === wanted,
        ),
      { timeout: 30_000 },
      selector,
      text,
    );
    return handle as ElementHandle;
  };
  return {
    go: async (url) => {
      await page.evaluate((href) => {
        location.href = href;
      }, url);
    },
    // Puppeteer's type maps handles among the arguments to elements. Here all arguments are JSON.
    run: <Result, Args extends unknown[]>(work: (...args: Args) => Result, ...args: Args) =>
      page.evaluate(work as (...args: unknown[]) => unknown, ...args) as Promise<Awaited<Result>>,
    click: async (selector, text) => (await find(selector, text)).click(),
    doubleClick: async (selector) => (await find(selector)).click({ count: 2 }),
    hover: async (selector) => (await find(selector)).hover(),
    type: (text) => page.keyboard.type(text),
    press: (key) => page.keyboard.press(key),
    close,
  };
}
