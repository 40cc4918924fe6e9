/** WebKitGTK's MiniBrowser, driven by its WebDriver, on a screen of its own in memory. */
import { spawn, type ChildProcess } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { createServer } from "node:net";
import { Builder, By, Capabilities, Key, type WebDriver, type WebElement } from "selenium-webdriver";
import type { Launched, Visitor } from "./visitor.ts";

const DRIVER = "/usr/bin/WebKitWebDriver";
const SCREEN = "/usr/bin/Xvfb";
const LIBRARIES = "/usr/lib";

/** Debian keeps the browser in a folder of the architecture and of the library's version. */
function findBrowser(): string | undefined {
  if (!existsSync(LIBRARIES)) return undefined;
  for (const machine of readdirSync(LIBRARIES).filter((name) => name.endsWith("-linux-gnu"))) {
    for (const library of readdirSync(`${LIBRARIES}/${machine}`).filter((name) => /^webkit2?gtk-/.test(name))) {
      const path = `${LIBRARIES}/${machine}/${library}/MiniBrowser`;
      if (existsSync(path)) return path;
    }
  }
  return undefined;
}

/** @returns the reason why WebKit cannot run here, or `undefined` */
export function lacksWebKit(): string | undefined {
  const missing = [DRIVER, SCREEN].find((path) => !existsSync(path));
  if (missing !== undefined) return `there is no ${missing}`;
  return findBrowser() === undefined ? "there is no MiniBrowser of webkit2gtk" : undefined;
}

export async function launchWebKit(): Promise<Launched> {
  const screen = spawn(SCREEN, ["-displayfd", "1", "-screen", "0", "1280x900x24", "-nolisten", "tcp"], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  const display = await new Promise<string>((done, fail) => {
    screen.once("exit", (code) => fail(new Error(`Xvfb ended with ${code}`)));
    screen.stdout.once("data", (line: Buffer) => done(line.toString().trim()));
  });
  const port = await freePort();
  const driver = spawn(DRIVER, [`--port=${port}`], {
    stdio: "ignore",
    // Chromium's sandbox is off in these tests as well: a container has no namespaces for it, and the pages are ours.
    env: { ...process.env, DISPLAY: `:${display}`, WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: "1" },
  });
  const url = `http://127.0.0.1:${port}`;
  await answers(`${url}/status`);
  return {
    visit: async () => visitorOf(await session(url)),
    close: async () => {
      await ended(driver);
      await ended(screen);
    },
  };
}

function session(url: string): Promise<WebDriver> {
  const capabilities = new Capabilities({
    browserName: "MiniBrowser",
    // Waiting is the story's: it clicks before the page's scripts have loaded.
    pageLoadStrategy: "none",
    "webkitgtk:browserOptions": { binary: findBrowser(), args: ["--automation"] },
  });
  return new Builder().usingServer(url).withCapabilities(capabilities).build();
}

/** Actions do not scroll to their targets. */
async function inView(element: WebElement): Promise<WebElement> {
  await element.getDriver().executeScript((target: Element) => target.scrollIntoView({ block: "nearest" }), element);
  return element;
}

function visitorOf(driver: WebDriver): Visitor {
  const find = (selector: string, text?: string): Promise<WebElement> =>
    driver.wait(async () => {
      for (const element of await driver.findElements(By.css(selector)))
        if (text === undefined || (await element.getText()).trim() === text) return inView(element);
      return undefined;
    }, 30_000) as Promise<WebElement>;
  const pointer = () => driver.actions({ async: true });
  return {
    go: (url) => driver.get(url),
    run: (work, ...args) => driver.executeScript(work, ...args),
    click: async (selector, text) =>
      pointer()
        .move({ origin: await find(selector, text) })
        .click()
        .perform(),
    doubleClick: async (selector) =>
      pointer()
        .doubleClick(await find(selector))
        .perform(),
    hover: async (selector) =>
      pointer()
        .move({ origin: await find(selector) })
        .perform(),
    type: (text) => driver.actions().sendKeys(text).perform(),
    press: (key) => driver.actions().sendKeys(KEYS[key]).perform(),
    close: () => driver.quit(),
  };
}

const KEYS = {
  Enter: Key.ENTER,
  Escape: Key.ESCAPE,
  Tab: Key.TAB,
  ArrowDown: Key.ARROW_DOWN,
  ArrowUp: Key.ARROW_UP,
  Backspace: Key.BACK_SPACE,
} as const;

function freePort(): Promise<number> {
  const server = createServer();
  return new Promise((done) =>
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => done(typeof address === "object" && address ? address.port : 0));
    }),
  );
}

/** A driver that is still starting refuses the connection. */
async function answers(url: string): Promise<void> {
  for (let attempt = 0; attempt < 400; attempt++) {
    if (
      await fetch(url).then(
        ({ ok }) => ok,
        () => false,
      )
    )
      return;
    await new Promise((done) => setTimeout(done, 25));
  }
  throw new Error(`${DRIVER} did not answer at ${url} within 10 s`);
}

function ended(child: ChildProcess): Promise<void> {
  return new Promise((done) => {
    if (child.exitCode !== null) return done();
    child.once("exit", () => done());
    child.kill();
  });
}
