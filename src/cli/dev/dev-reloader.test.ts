import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { LoadedModules } from "../../web/compiler/dev/dev-host.ts";
import { DevReloader } from "./dev-reloader.ts";

/** An app that does nothing but boot. */
function appNamed(name: string): LoadedModules {
  const none = async (): Promise<void> => undefined;
  return { default: { name, start: none, boot: none, fetch: none, handler: none, close: none }, dispose: none };
}

/** A load that the test ends. */
function newLoad() {
  let begin = (): void => undefined;
  let end: (loaded: LoadedModules | Promise<LoadedModules>) => void = () => undefined;
  const begun = new Promise<void>((resolve) => (begin = resolve));
  const ended = new Promise<LoadedModules>((resolve) => (end = resolve));
  return {
    /** Resolves when the reloader has begun it. */
    begun,
    load: () => {
      begin();
      return ended;
    },
    end: (loaded: LoadedModules) => end(loaded),
    fail: (message: string) => end(Promise.reject(new Error(message))),
  };
}

function setUp(loads: readonly { load: () => Promise<LoadedModules> }[]) {
  const waiting = [...loads];
  const faults: unknown[] = [];
  let report = (): void => undefined;
  const reloader = new DevReloader({
    host: { entry: "app.ts", loadApp: async () => waiting.shift()?.load() ?? Promise.reject(new Error("no load")) },
    root: "/app",
    support: {
      manifest: () => assert.fail("not asked for"),
      chunk: async () => undefined,
      script: () => "",
      kept: () => undefined,
      faultPage: () => "",
    },
    onReady: () => undefined,
    onFault: (error) => {
      faults.push(error);
      report();
    },
  });
  return { reloader, faults, fault: new Promise<void>((resolve) => (report = resolve)) };
}

/** A running app, an edit whose load has begun, and a request that waits for it. `third` is the load of the next edit. */
async function edited() {
  const [first, second, third] = [newLoad(), newLoad(), newLoad()];
  const made = setUp([first, second, third]);
  const { reloader } = made;
  first.end(appNamed("first"));
  await reloader.load();
  await reloader.boot("http://127.0.0.1:3000");
  reloader.changed();
  const request = reloader.app();
  await second.begun;
  return { ...made, request, second, third };
}

const nameOf = (app: unknown): unknown => Reflect.get(app as object, "name");

describe("A load under svc dev", () => {
  it("that fails after another edit is not reported, and its requests get the app of that edit", async () => {
    const { reloader, faults, request, second, third } = await edited();
    reloader.changed();
    second.fail("a module ran twice");
    third.end(appNamed("third"));
    assert.equal(nameOf(await request), "third");
    assert.equal(nameOf(await reloader.app()), "third");
    assert.deepEqual(faults, []);
    await reloader.close();
  });

  it("that succeeds after another edit answers no request, because its modules may have run twice", async () => {
    const { reloader, request, second, third } = await edited();
    reloader.changed();
    second.end(appNamed("second"));
    third.end(appNamed("third"));
    assert.equal(nameOf(await request), "third");
    await reloader.close();
  });

  it("that fails without another edit is reported, and fails its requests until the next edit", async () => {
    const { reloader, faults, fault, request, second, third } = await edited();
    second.fail("a syntax error");
    await assert.rejects(request, /a syntax error/);
    await fault;
    assert.equal(faults.length, 1);
    reloader.changed();
    third.end(appNamed("third"));
    assert.equal(nameOf(await reloader.app()), "third");
    await reloader.close();
  });
});
