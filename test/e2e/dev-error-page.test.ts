/** An app with its own `_error.tsx` under `svc dev`: the overlay shows the error over it. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { Browser } from "playwright-core";
import { launchBrowser, openTab } from "./browser.ts";
import { root, startDemo, type DemoServer } from "./demo-server.ts";

const FILES: Record<string, string> = {
  "app.ts": `import { createFullStackApp } from "svckit/fullstack"; export default createFullStackApp({ navigation: "enhanced" });`,
  "pages/_error.tsx": `import type { ErrorProps } from "svckit/fullstack"; export default ({ status }: ErrorProps) => <h1>Sorry, {status}</h1>;`,
  "pages/index.tsx": `export default () => <p><a href="/loads">loads</a> <a href="/renders">renders</a> <a href="/missing">missing</a></p>;`,
  "pages/loads.tsx": `export const load = () => { throw new Error("planted in load"); }; export default () => <p />;`,
  "pages/renders.tsx": `export default function Renders() { throw new Error("planted in render"); return <p />; }`,
  "pages/missing.tsx": `import { notFound } from "svckit"; export const load = () => notFound("gone"); export default () => <p />;`,
};

// Inside the repository, so that "svckit" resolves to this package.
const folder = join(root, "out", `dev-error-page-${process.pid}`);
let server: DemoServer;
let browser: Browser;

before(async () => {
  for (const [file, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
  server = await startDemo({
    app: folder,
    command: "dev",
    dataDir: join(folder, ".svc"),
    env: { NODE_ENV: "development" },
  });
  browser = await launchBrowser();
});

after(async () => {
  await browser?.close();
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
});

describe("an error that _error.tsx shows", () => {
  for (const [path, message] of [
    ["/loads", "planted in load"],
    ["/renders", "planted in render"],
  ] as const)
    it(`is also in the overlay of svc dev, which can be closed: ${message}`, async () => {
      const { page, close } = await openTab(browser);
      const dialog = page.getByRole("alertdialog");
      for (const go of [() => page.goto(server.url + path), () => page.click(`a[href="${path}"]`)]) {
        await go();
        await dialog.getByRole("heading", { name: message }).waitFor();
        await page.keyboard.press("Escape");
        await dialog.waitFor({ state: "detached" });
        await page.getByRole("heading", { name: "Sorry, 500" }).waitFor();
        await page.goto(server.url, { waitUntil: "networkidle" });
      }
      await close(/status of 500/);
    });

  it("is not in the overlay if it is an answer for visitors", async () => {
    const { page, close } = await openTab(browser);
    await page.goto(`${server.url}/missing`, { waitUntil: "load" });
    await page.getByRole("heading", { name: "Sorry, 404" }).waitFor();
    // Its script has run before the event "load".
    if ((await page.getByRole("alertdialog").count()) > 0) throw new Error("the overlay is open");
    await close(/status of 404/);
  });
});
