/** Bytes of a visit of three pages, from Chromium's protocol. Cached content is not counted. */
import type { Browser, CDPSession } from "playwright-core";
import { gzipBytes } from "./front.ts";

/** Bodies from the network, recompressed with gzip at level 9. */
export interface Brought {
  bytes: number;
  requests: number;
}

export interface Visit {
  /** The document of the first page, and its fetches before any input. */
  html: Brought;
  rest: Brought;
  /** Caused by the first click on the layout's button. */
  click: Brought;
  /** Caused by the links to the second and third page. */
  first: Brought;
  second: Brought;
  /** Whether the layout's elements survived both. */
  isKept: boolean;
}

/** Counts responses. */
class Counter {
  readonly #session: CDPSession;
  #brought: Promise<Brought & { isHtml: boolean }>[] = [];

  constructor(session: CDPSession) {
    this.#session = session;
    const cached = new Set<string>();
    const unchanged = new Set<string>();
    const documents = new Set<string>();
    session.on("Network.requestServedFromCache", ({ requestId }) => cached.add(requestId));
    session.on("Network.responseReceived", ({ requestId, response, type }) => {
      if (response.fromDiskCache === true || response.url.endsWith("/favicon.ico")) cached.add(requestId);
      if (type === "Document") documents.add(requestId);
    });
    session.on("Network.responseReceivedExtraInfo", ({ requestId, statusCode }) => {
      if (statusCode === 304) unchanged.add(requestId);
    });
    session.on("Network.loadingFinished", ({ requestId }) => {
      if (cached.has(requestId)) return;
      const isHtml = documents.has(requestId);
      // A response without a body.
      if (unchanged.has(requestId)) this.#brought.push(Promise.resolve({ bytes: 0, requests: 1, isHtml }));
      else this.#brought.push(this.#bodyOf(requestId, isHtml));
    });
  }

  async #bodyOf(requestId: string, isHtml: boolean): Promise<Brought & { isHtml: boolean }> {
    const { body, base64Encoded } = await this.#session.send("Network.getResponseBody", { requestId });
    return { bytes: gzipBytes(Buffer.from(body, base64Encoded ? "base64" : "utf8")), requests: 1, isHtml };
  }

  /** The responses since the last call. */
  async take(): Promise<{ html: Brought; rest: Brought; all: Brought }> {
    const all = await Promise.all(this.#brought.splice(0));
    const sum = (list: typeof all): Brought => ({
      bytes: list.reduce((total, { bytes }) => total + bytes, 0),
      requests: list.length,
    });
    return {
      html: sum(all.filter(({ isHtml }) => isHtml)),
      rest: sum(all.filter(({ isHtml }) => !isHtml)),
      all: sum(all),
    };
  }
}

/** @param url of the first page */
export async function measureVisit(browser: Browser, url: string): Promise<Visit> {
  const context = await browser.newContext({ reducedMotion: "reduce" });
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send("Network.enable", { maxTotalBufferSize: 50_000_000 });
  const counter = new Counter(session);
  await page.goto(url, { waitUntil: "networkidle" });
  const { html, rest } = await counter.take();
  await page.click("#menu");
  await page.locator("#menu", { hasText: "Menu 1" }).waitFor();
  await page.waitForLoadState("networkidle");
  const click = (await counter.take()).all;
  const follow = async (name: string): Promise<Brought> => {
    await page.locator("nav a", { hasText: name }).click();
    await page.locator("h1", { hasText: name }).waitFor();
    await page.waitForLoadState("networkidle");
    // Fetches of the navigation have completed half a second later.
    await page.evaluate("new Promise((done) => setTimeout(done, 500))");
    return (await counter.take()).all;
  };
  const first = await follow("List");
  const second = await follow("About");
  const isKept = (await page.locator("#menu").textContent())?.trim() === "Menu 1";
  await context.close();
  return { html, rest, click, first, second, isKept };
}
