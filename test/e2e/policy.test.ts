/** The effect of the policy's options in a real Chromium: Trusted Types where text becomes markup or script, and reports. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Browser } from "playwright-core";
import { createApp, html, route, type LogFields, type Started } from "svckit";
import { launchBrowser, openTab } from "./browser.ts";

const env = { NODE_ENV: "production", SVC_DATABASE_URL: "memory:", SVC_SECRET: "s".repeat(32) };

/** Each passes an untrusted text to the browser. The policy's nonce and source list refuse some of them, but not all. */
const SINKS = {
  innerHTML: "at.innerHTML = text",
  outerHTML: "at.appendChild(document.createElement('p')).outerHTML = text",
  insertAdjacentHTML: "at.insertAdjacentHTML('beforeend', text)",
  "document.write": "document.write(text)",
  createContextualFragment: "document.createRange().createContextualFragment(text)",
  "DOMParser.parseFromString": "new DOMParser().parseFromString(text, 'text/html')",
  "iframe.srcdoc": "document.createElement('iframe').srcdoc = text",
  "script.src": "document.createElement('script').src = '/a.js'",
  "script.text": "document.createElement('script').text = text",
  "Worker of a text": "new Worker('/a.js')",
  setHTMLUnsafe: "at.setHTMLUnsafe(text)",
};

const trial = (code: string): string => `try { ${code}; return "taken" } catch (error) { return error.name }`;
const script = Object.entries(SINKS)
  .map(([name, code]) => `[${JSON.stringify(name)}, (() => { ${trial(code)} })()]`)
  .join(",");

const sinks = route("GET", "/", (ctx) =>
  html(
    `<body><div id="at"></div><script nonce="${ctx.nonce}">` +
      `const at = document.getElementById("at"), text = "<b>stranger</b>"; self.outcomes = [${script}]</script>`,
  ),
);

/** Sink -> `taken`, or the name of the error. */
async function outcomes(browser: Browser, started: Started): Promise<Record<string, string>> {
  const tab = await openTab(browser);
  await tab.page.goto(started.url);
  await tab.page.waitForFunction(() => (globalThis as { outcomes?: unknown }).outcomes);
  const reported = (await tab.page.evaluate("outcomes")) as [string, string][];
  await tab.leave();
  return Object.fromEntries(reported);
}

describe("Trusted Types", () => {
  let browser: Browser;
  const open: Started[] = [];
  const start = async (trustedTypes: boolean): Promise<Started> => {
    const app = createApp({ routes: [sinks], security: { trustedTypes }, env });
    const started = await app.start({ host: "127.0.0.1", port: 0 });
    open.push(started);
    return started;
  };
  before(async () => {
    browser = await launchBrowser();
  });
  after(async () => {
    await browser?.close();
    for (const started of open) await started.close();
  });

  it("refuse an untrusted text in every sink that would make it markup or script", async () => {
    const all = await outcomes(browser, await start(true));
    assert.deepEqual(
      Object.entries(all).filter(([, outcome]) => outcome !== "TypeError"),
      [],
    );
    assert.deepEqual(Object.keys(all), Object.keys(SINKS));
  });

  it("are the reason for the refusal: without them each sink accepts the text", async () => {
    const all = await outcomes(browser, await start(false));
    assert.deepEqual(
      Object.entries(all).filter(([, outcome]) => outcome !== "taken"),
      [],
    );
  });
});

describe("reports", () => {
  const hole = route("GET", "/", (ctx) =>
    html(`<body><script>fired = 1</script><script nonce="${ctx.nonce}">self.ran = typeof fired</script>`),
  );

  for (const reportOnly of [false, true]) {
    it(
      `of ${reportOnly ? "a report-only policy contain what it would refuse" : "the policy contain what it refused"}`,
      { timeout: 30_000 },
      async () => {
        let reported: (fields: LogFields) => void = () => undefined;
        const report = new Promise<LogFields>((done) => (reported = done));
        // The boot warns too, about missing settings.
        const warn = (fields: LogFields): void => void (fields["directive"] !== undefined && reported(fields));
        const log = { debug() {}, info() {}, error() {}, warn };
        const app = createApp({ routes: [hole], security: { report: true, reportOnly }, env, log });
        const started = await app.start({ host: "127.0.0.1", port: 0 });
        const browser = await launchBrowser();
        try {
          const tab = await openTab(browser);
          await tab.page.goto(`${started.url}/?token=s3cret`);
          assert.equal(await tab.page.evaluate("ran"), reportOnly ? "number" : "undefined");
          const { directive, refused, page, source, isTrial } = await report;
          assert.deepEqual(
            { directive, refused, page, isTrial },
            {
              directive: "script-src-elem",
              refused: "inline",
              page: `${started.url}/`,
              isTrial: reportOnly ? true : undefined,
            },
          );
          assert.equal(source, `${started.url}/:1`);
          await tab.leave();
        } finally {
          await browser.close();
          await started.close();
        }
      },
    );
  }
});
