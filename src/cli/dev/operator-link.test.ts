import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { describe, it } from "node:test";
import type { App } from "../../app/app-types.ts";
import { createApp } from "../../app/app.ts";
import { SimulatedClock } from "../../platform/shared/clock.ts";
import { OperatorLink, type Keys } from "./operator-link.ts";
import { createOutput } from "../output.ts";

const URL_OF_APP = "http://127.0.0.1:3000";

function linkWith(keys: Keys = new PassThrough()) {
  let stdout = "";
  let stderr = "";
  const output = createOutput({ write: (text) => (stdout += text) }, { write: (text) => (stderr += text) }, {});
  const link = new OperatorLink(new SimulatedClock(), output, keys);
  const tokens = (): string[] => [...stdout.matchAll(/\/_svc\/ops\/link\?token=(\w+)/g)].map(([, token = ""]) => token);
  return { link, tokens, stdout: () => stdout, stderr: () => stderr };
}

function appWith(env: Record<string, string> = {}, extension = "ops"): App {
  return createApp({ env: { NODE_ENV: "development", ...env }, extensions: { [extension]: [] } });
}

describe("the link to the screens that svc dev prints", () => {
  it("opens the screens of the app once", () => {
    const { link, tokens, stderr } = linkWith();
    link.print(appWith(), URL_OF_APP);
    const [token = ""] = tokens();
    assert.deepEqual([link.token.redeem(token), link.token.redeem(token)], [true, false]);
    assert.equal(stderr(), "");
  });

  it("is printed while the app can't be loaded yet", () => {
    const { link, tokens } = linkWith();
    link.print(undefined, URL_OF_APP);
    assert.equal(tokens().length, 1);
  });

  it("is not printed for an app without screens or in production mode", () => {
    const { link, stdout } = linkWith();
    link.print(appWith({}, "other"), URL_OF_APP);
    link.print(appWith({ NODE_ENV: "production" }), URL_OF_APP);
    assert.equal(stdout(), "");
  });

  it("is printed again for each o and Enter in a terminal", async () => {
    const keys: Keys & PassThrough = new PassThrough();
    keys.isTTY = true;
    const { link, tokens } = linkWith(keys);
    const app = appWith();
    let printed: () => void = () => undefined;
    const twice = new Promise<void>((resolve) => (printed = resolve));
    const stop = link.onKey(() => {
      link.print(app, URL_OF_APP);
      if (tokens().length === 2) printed();
    });
    keys.write("o\nx\nO\n");
    await twice;
    stop();
    const [first = "", second = ""] = tokens();
    assert.deepEqual([link.token.redeem(first), link.token.redeem(second)], [false, true]);
  });

  it("does not read input without a terminal", () => {
    const keys = new PassThrough();
    const { link } = linkWith(keys);
    link.onKey(() => assert.fail("nobody pressed a key"));
    assert.equal(keys.listenerCount("data") + keys.listenerCount("readable"), 0);
  });
});
