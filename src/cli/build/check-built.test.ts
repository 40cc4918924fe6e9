import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { after, before, describe, it } from "node:test";
import { checkBuilt } from "./check-built.ts";
import { createOutput } from "../output.ts";

const APP = pathToFileURL(join(import.meta.dirname, "../../app/app.js")).href;
const DEFINITION = pathToFileURL(join(import.meta.dirname, "../../graphs/definition/definition.js")).href;
const PAGE = pathToFileURL(join(import.meta.dirname, "../../app/pages/page.js")).href;

describe("the check of a build", () => {
  let folder = "";
  let count = 0;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), "svc-check-built-"));
  });
  after(() => rmSync(folder, { recursive: true }));

  /** @returns the printed text */
  async function check(text: string): Promise<string> {
    const entry = join(folder, `app${count++}.mjs`);
    const imports = `import { createApp } from "${APP}";\nimport { worker } from "${DEFINITION}";\nimport { page } from "${PAGE}";\n`;
    writeFileSync(entry, imports + text);
    const printed: string[] = [];
    const sink = { isTTY: false, write: (line: string) => void printed.push(line) };
    await checkBuilt(entry, "app.tsx", createOutput(sink, sink, {}));
    return printed.join("");
  }

  it("fails for the reasons that a start would fail for", async () => {
    const cases: [text: string, printed: RegExp][] = [
      [
        'const run = () => 1; export default createApp({ workers: [worker("a", run), worker("a", () => 2)] });',
        /named "a"/,
      ],
      [
        'const home = page("/", { title: "A", view: () => "" }); export default createApp({ pages: [home, home] });',
        /twice/,
      ],
      ["export default 5;", /^app\.tsx must "export default createApp/],
      ['worker("a b", () => 1); export default createApp({});', /"a b" is not a valid name for a worker/],
    ];
    for (const [text, message] of cases) await assert.rejects(check(text), { code: "SVC_DEFINITION", message }, text);
    await assert.rejects(check(`import { createAp } from "${APP}";`), SyntaxError);
  });

  it("accepts an app that loads, and reports requirements that only the server meets", async () => {
    assert.equal(await check("export default createApp({});"), "");
    assert.match(
      await check('throw new Error("STRIPE_KEY is not set");'),
      /^The app does not load here, so its definitions are not checked\. Error: STRIPE_KEY is not set/,
    );
    assert.match(await check('import "no-such-package-here";'), /not checked\. Error.*no-such-package-here/);
  });
});
