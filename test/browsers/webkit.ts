/** WebKitGTK's MiniBrowser, driven by its WebDriver, on a screen of its own in memory. */
import { spawn, type ChildProcess } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { createServer } from "node:net";
import { Builder, Capabilities, Key, type WebDriver, type WebElement } from "selenium-webdriver";
import { inTime } from "./in-time.ts";
import { BLANK } from "./relay.ts";
import { look, type Launched, type Visitor } from "./visitor.ts";

const DRIVER = "/usr/bin/WebKitWebDriver";
const SCREEN = "/usr/bin/Xvfb";
const LIBRARIES = "/usr/lib";
/** A session that has answered nothing until then is broken. */
const ANSWER_MS = 10_000;

/** On a busy machine WebKit's driver loses clicks: the page gets no event of them, however long one waits. */
const CLICK_MS = 3000;
const MOST_CLICKS = 3;

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

/**
 * A session takes seconds of the processor's time, so all visits share one, one after another. The visit after a session that no longer answers gets a new one.
 */
export async function launchWebKit(): Promise<Launched> {
  let running: Running | undefined;
  const end = async (): Promise<void> => {
    const ending = running;
    running = undefined;
    for (const process of ending?.processes ?? []) await ended(process);
  };
  return {
    visit: async () => {
      const { session } = (running ??= await start());
      return visitorOf(session, async () => {
        if (!(await isCleared(session))) await end();
      });
    },
    close: end,
  };
}

interface Running {
  readonly session: WebDriver;
  /** The driver and the screen. The browser outlives its driver and ends with its screen. */
  readonly processes: readonly ChildProcess[];
}

async function start(): Promise<Running> {
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
  try {
    await answers(`${url}/status`);
    return { session: await startSession(url), processes: [driver, screen] };
  } catch (error) {
    await ended(driver);
    await ended(screen);
    throw error;
  }
}

function startSession(url: string): Promise<WebDriver> {
  const capabilities = new Capabilities({
    browserName: "MiniBrowser",
    // Waiting is the story's: it clicks before the page's scripts have loaded.
    pageLoadStrategy: "none",
    "webkitgtk:browserOptions": { binary: findBrowser(), args: ["--automation"] },
  });
  return new Builder().usingServer(url).withCapabilities(capabilities).build();
}

/**
 * Leaves the page without its cookies, storage, keys and pointer. About:blank would need a process of its own, which takes longer than a
 * story. @returns whether the session has done so in time
 */
function isCleared(driver: WebDriver): Promise<boolean> {
  const clear = async (): Promise<void> => {
    await driver.actions().clear();
    await driver.executeScript((path: string) => location.assign(path), BLANK);
    await look(() => driver.executeScript((path: string) => location.pathname === path, BLANK), BLANK);
    await driver.manage().deleteAllCookies();
    await driver.executeScript(() => {
      localStorage.clear();
      sessionStorage.clear();
    });
  };
  return inTime(clear(), ANSWER_MS, "Clearing").then(
    () => true,
    () => false,
  );
}

function visitorOf(driver: WebDriver, close: () => Promise<void>): Visitor {
  /** Actions do not scroll to their targets, so the element is brought into view. */
  const find = (selector: string, text?: string): Promise<WebElement> =>
    look(
      () =>
        driver.executeScript<WebElement | null>(
          (at: string, wanted: string | null) => {
            const element = [...document.querySelectorAll<HTMLElement>(at)].find(
              (each) => wanted === null || each.textContent.trim() === wanted,
            );
            element?.scrollIntoView({ block: "nearest" });
            return element;
          },
          selector,
          text ?? null,
        ),
      `${selector} ${text ?? ""}`,
    );
  const pointer = () => driver.actions({ async: true });
  /** Clicks again until the page has got the event. A document that replaces the page has got it too. */
  const deliver = async (
    type: "click" | "dblclick",
    locate: () => Promise<WebElement>,
    act: (element: WebElement) => Promise<void>,
  ): Promise<void> => {
    for (let clicks = 1; clicks <= MOST_CLICKS; clicks++) {
      const element = await locate();
      await driver.executeScript((awaited: string) => {
        Object.assign(globalThis, { isAwaited: true });
        const end = (): boolean => Reflect.deleteProperty(globalThis, "isAwaited");
        addEventListener(awaited, end, { capture: true, once: true });
      }, type);
      await act(element);
      const hasCome = (): Promise<boolean> => driver.executeScript(() => !("isAwaited" in globalThis));
      const arrived = look(hasCome, `The page gets a ${type}`, CLICK_MS);
      if (await arrived.catch(() => false)) return;
    }
    throw new Error(`The page got no ${type} after ${MOST_CLICKS} tries`);
  };
  return {
    go: (url) => driver.get(url),
    run: (work, ...args) => driver.executeScript(work, ...args),
    click: (selector, text) =>
      deliver(
        "click",
        () => find(selector, text),
        (origin) => pointer().move({ origin }).click().perform(),
      ),
    // Two clicks are a double click only if they follow each other within half a second.
    doubleClick: (selector) =>
      deliver(
        "dblclick",
        () => find(selector),
        (element) => pointer().doubleClick(element).perform(),
      ),
    hover: async (selector) =>
      pointer()
        .move({ origin: await find(selector) })
        .perform(),
    type: (text) => driver.actions().sendKeys(text).perform(),
    press: (key) => driver.actions().sendKeys(KEYS[key]).perform(),
    close,
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
    if (child.exitCode !== null || child.signalCode !== null) return done();
    child.once("exit", () => done());
    child.kill();
  });
}
