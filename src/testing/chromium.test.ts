import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it } from "node:test";
import { findChromium, type ChromiumPlaces } from "./chromium.ts";

function places(files: string[], changes: Partial<ChromiumPlaces> = {}): ChromiumPlaces {
  return { env: {}, exists: (path) => files.includes(path), packaged: async () => undefined, ...changes };
}

describe("the browser for tests", () => {
  const env = { PATH: ["/first", "/second"].join(":") };

  it("is the configured one, before all others", async () => {
    const found = await findChromium(
      places(["/my/chrome", "/first/chromium"], { env: { ...env, SVC_CHROMIUM: "/my/chrome" } }),
    );
    assert.deepEqual(found, { executablePath: "/my/chrome", args: ["--no-sandbox"] });
  });

  const packaged = async (): Promise<string> => "/packaged";
  const installed = join("/second", "google-chrome");

  it("is the packaged one by default, else the one on the PATH", async () => {
    assert.equal((await findChromium(places([installed], { env, packaged }))).executablePath, "/packaged");
    assert.equal((await findChromium(places([installed], { env }))).executablePath, installed);
  });

  it("is the system's if SVC_CHROMIUM says so, and never falls back to the packaged one", async () => {
    const ofSystem = { env: { ...env, SVC_CHROMIUM: "system" }, packaged };
    assert.equal((await findChromium(places([installed], ofSystem))).executablePath, installed);
    await assert.rejects(findChromium(places([], ofSystem)), /SVC_CHROMIUM is "system", but none of chromium, /);
  });

  it("is never guessed: a missing file or no browser at all is an error with a remedy", async () => {
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
