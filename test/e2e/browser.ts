/** A real Chromium. Console errors, page errors, failed requests and CSP reports fail the test. */
import { readFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { chromium, type Browser, type BrowserContextOptions, type Page } from "playwright-core";
import { findChromium } from "svckit/testing";
import { root } from "./demo-server.ts";

/** One context with one page, and its errors. */
export interface Tab {
  page: Page;
  /** The paths of the requested scripts, in order. */
  scripts: string[];
  /** The errors since the last call. `close` does not report them again. */
  takeComplaints(): string[];
  /**
   * @param expected errors to ignore, from before this call and while the page closes
   * @throws on any other browser error
   */
  close(expected?: RegExp): Promise<void>;
  /** Closes a page without checking its errors. */
  leave(): Promise<void>;
}

/** The errors of open tabs. A test that fails on a missing element would otherwise never report them. */
const unreported = new Set<readonly string[]>();
process.on("exit", (code) => {
  if (code === 0) return;
  for (const complaints of unreported) {
    if (complaints.length > 0)
      console.error(`In a tab that was never closed the browser complained:\n${complaints.join("\n")}`);
  }
});

export async function launchBrowser(): Promise<Browser> {
  return chromium.launch(await findChromium());
}

export async function openTab(browser: Browser, options: BrowserContextOptions = {}): Promise<Tab> {
  const context = await browser.newContext(options);
  const complaints: string[] = [];
  unreported.add(complaints);
  const scripts: string[] = [];
  await context.addInitScript(() => {
    document.addEventListener("securitypolicyviolation", (event) =>
      console.error(`CSP: ${event.violatedDirective} refused ${event.blockedURI}`),
    );
  });
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  page.on("console", (message) => {
    const { url } = message.location();
    // A browser with a window requests an icon on its own, and a site need not have one.
    if (message.type() !== "error" || url.endsWith("/favicon.ico")) return;
    complaints.push(`${message.text()} ${url}`.trimEnd());
  });
  page.on("pageerror", (error) => {
    if (!SKIPPED.test(error.message)) complaints.push(`page error: ${error.stack || error.message}`);
  });
  page.on("request", (request) => {
    if (request.resourceType() === "script") scripts.push(new URL(request.url()).pathname);
  });
  return {
    page,
    scripts,
    takeComplaints: () => complaints.splice(0),
    leave: () => {
      unreported.delete(complaints);
      return context.close();
    },
    close: async (expected) => {
      unreported.delete(complaints);
      await context.close();
      const others = complaints.filter((complaint) => expected?.test(complaint) !== true);
      if (others.length > 0) throw new Error(`The browser complained:\n${others.join("\n")}`);
    },
  };
}

/** A browser skips a transition between two pages if one opts out. Newer browsers report that as a page error, even without page scripts. */
const SKIPPED = /^Transition was (?:aborted|skipped)/;

/** Makes a page hidden or visible, as when the visitor switches tabs. */
export async function seenAs(page: Page, isSeen: boolean): Promise<void> {
  await page.evaluate((value) => {
    Object.defineProperty(document, "hidden", { value, configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
  }, !isSeen);
}

/** The addresses of the streams that a page requests from now on. */
export function streamsOf(page: Page): string[] {
  const streams: string[] = [];
  page.on("request", (request) => {
    if (request.resourceType() === "eventsource") streams.push(request.url());
  });
  return streams;
}

/** @returns what widgets announce to screen readers from now on */
export async function saidIn(page: Page): Promise<() => Promise<string[]>> {
  const said = await page.evaluateHandle(() => {
    const all: string[] = [];
    const listen = (): void => {
      for (const ear of document.querySelectorAll("[data-say]")) all.push(ear.textContent);
    };
    new MutationObserver(listen).observe(document.body, { childList: true, subtree: true });
    return all;
  });
  return () => said.jsonValue();
}

/** Simulates a distant server from now on: 100 ms latency, 40 kB per second. */
export async function slowDown(page: Page): Promise<void> {
  const client = await page.context().newCDPSession(page);
  const limits = { latency: 100, downloadThroughput: 40_000, uploadThroughput: 40_000 };
  await client.send("Network.emulateNetworkConditions", { offline: false, ...limits });
}

const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

interface AxeViolation {
  id: string;
  impact: string | null;
  nodes: { html: string; failureSummary: string }[];
}

/**
 * @param rules the axe rules to check. Default: all
 * @returns one line for each accessibility violation of the page that axe calls serious or critical.
 */
export async function seriousViolations(page: Page, rules?: readonly string[]): Promise<string[]> {
  await page.evaluate(axeSource);
  const violations = (await page.evaluate(
    `axe.run(${rules ? JSON.stringify({ runOnly: rules }) : ""}).then((found) => found.violations)`,
  )) as AxeViolation[];
  return violations
    .filter((violation) => violation.impact === "serious" || violation.impact === "critical")
    .map((violation) => `${violation.id}: ${violation.nodes.map((node) => node.html).join(" ")}`);
}

/** Saves a picture for visual review, below test-results/ (not in git). */
export async function savePicture(page: Page, name: string): Promise<void> {
  await mkdir(join(root, "test-results"), { recursive: true });
  const width = page.viewportSize()?.width ?? 1280;
  // The report lists hundreds of packages. Its top is enough to see the layout.
  const clip = {
    x: 0,
    y: 0,
    width,
    height: Math.min(1400, await page.evaluate("document.documentElement.scrollHeight")),
  };
  await page.screenshot({ path: join(root, "test-results", `${name}.png`), fullPage: true, clip });
}
