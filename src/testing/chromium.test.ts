import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it } from "node:test";
import { findChromium, type ChromiumPlaces } from "./chromium.ts";

function places(files: string[], changes: Partial<ChromiumPlaces> = {}): ChromiumPlaces {
  return { env: {}, exists: (path) => files.includes(path), packaged: async () => undefined, ...changes };
}

describe("the browser for tests", () => {
  const env = { PATH: ["/first", "/second"].join(":") };

  it("is the one that is named, before all others", async () => {
    const found = await findChromium(
      places(["/my/chrome", "/first/chromium"], { env: { ...env, SVC_CHROMIUM: "/my/chrome" } }),
    );
    assert.deepEqual(found, { executablePath: "/my/chrome", args: ["--no-sandbox"] });
  });

  it("is else the one on the PATH, else the packaged one", async () => {
    const packaged = async (): Promise<string> => "/packaged";
    const installed = join("/second", "google-chrome");
    assert.equal((await findChromium(places([installed], { env, packaged }))).executablePath, installed);
    assert.equal((await findChromium(places([], { env, packaged }))).executablePath, "/packaged");
  });

  it("is never guessed: a name without a file and nothing at all are errors that say what to do", async () => {
    await assert.rejects(
      findChromium(places([], { env: { SVC_CHROMIUM: "/gone" } })),
      /SVC_CHROMIUM is "\/gone", but there is no such file/,
    );
    await assert.rejects(
      findChromium(places([], { env })),
      /No Chromium found.*npm install --save-dev @sparticuz\/chromium/,
    );
  });
});
