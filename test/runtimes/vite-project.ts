/** docs/guide/vite-projects.md, followed in a project of React that `npm create vite` has written, and used in a browser. */
import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { findChromium } from "svckit/testing";
import { startDemo } from "../e2e/demo-server.ts";
import { followViteGuide } from "../e2e/vite-guide.ts";
import { run } from "./checks.ts";

/** The part of the project that is its own: it shows the path and calls the guide's action. */
const APP = `import { useState } from "react";
import { order } from "./order.js";
export default function App() {
  const [text, setText] = useState("nothing");
  return <main><h1>{location.pathname}</h1><button onClick={async () => setText(await order("Sencha"))}>Order</button><p>{text}</p></main>;
}
`;

/** @param createVite path of the program. @param folder a folder for the project. @throws an error that says what failed */
export async function checkViteProject(createVite: string, folder: string, tarball: string): Promise<void> {
  const project = join(folder, "react");
  const succeed = async (argv: readonly string[], cwd: string): Promise<void> => {
    const { code, output } = await run({ argv, cwd });
    assert.equal(code, 0, `${argv.join(" ")} ended with ${code}:\n${output}`);
  };
  await succeed([process.execPath, createVite, "react", "--template", "react", "--no-interactive"], folder);
  const options = ["--no-audit", "--no-fund", "--prefer-offline"];
  await succeed(["npm", "install", ...options, tarball, "typescript", "@types/node"], project);
  // The guide's settings replace those of the template.
  rmSync(join(project, "vite.config.js"));
  followViteGuide(project, { plugin: "@vitejs/plugin-react" });
  writeFileSync(join(project, "src/App.jsx"), APP);
  await succeed(["npm", "run", "build"], project);
  const cli = join(project, "node_modules/svckit/bin/svc.js");
  const server = await startDemo({ app: project, cli, dataDir: join(project, "data"), args: ["--root", "server"] });
  const browser = await chromium.launch(await findChromium());
  try {
    const page = await browser.newPage();
    const errors: string[] = [];
    page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
    await page.goto(`${server.url}/settings`);
    await page.getByText("/settings").waitFor();
    await page.click("button");
    await page.getByText("Ordered Sencha").waitFor();
    await page.goto(`${server.url}/hello`);
    await page.click("text=Pages by svc: 0");
    await page.getByText("Pages by svc: 1").waitFor();
    assert.deepEqual(errors, []);
  } finally {
    await browser.close();
    await server.stop();
  }
}
