/** The packaged browser on a machine where it has not been unpacked yet. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import { root, temporaryFolder } from "./demo-server.ts";

const START = `
  const { chromium } = await import("playwright-core");
  const { findChromium } = await import("svckit/testing");
  const found = await findChromium();
  const browser = await chromium.launch(found);
  console.log(found.executablePath);
  await browser.close();`;

const isOfThisSystem = process.platform === "linux" && process.arch === "x64";

describe("the packaged browser", { skip: !isOfThisSystem && "has no build for this system" }, () => {
  let folder: ReturnType<typeof temporaryFolder>;
  before(() => {
    folder = temporaryFolder();
  });
  after(() => folder.remove());

  /** @returns the path of the browser that a separate process has found and started */
  const start = async (): Promise<string> => {
    const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", START], {
      cwd: root,
      env: { ...process.env, SVC_CHROMIUM: "", TMPDIR: folder.path },
    });
    return stdout.trim();
  };

  it("starts in all processes that request it at once, if none has unpacked it yet", async () => {
    const paths = await Promise.all([start(), start()]);
    assert.equal(new Set(paths).size, 1, paths.join("\n"));
    assert.ok(paths[0]?.startsWith(folder.path) && existsSync(paths[0]), paths[0]);
    const left = readdirSync(folder.path).filter((name) => name.startsWith("svc-chromium-"));
    assert.equal(left.length, 1, left.join("\n"));
  });
});
