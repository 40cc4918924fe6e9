/** Stories of single pages: clicks, early input, platform features, native forms, streaming, the back-forward cache. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { buildDemo, root, startDemo, temporaryFolder } from "../e2e/demo-server.ts";
import type { Act } from "./stage.ts";
import { open, shows, until } from "./visitor.ts";

export const pages: Act = {
  name: "pages",
  start: async () => {
    const app = join(root, "test/fixtures/hostile");
    const folder = temporaryFolder();
    await buildDemo(app);
    const server = await startDemo({ app, dataDir: join(folder.path, "data") });
    return {
      url: server.url,
      stop: async () => {
        await server.stop();
        folder.remove();
      },
    };
  },
  stories: {
    "a click runs its handler and updates the text": async ({ visitor, url }) => {
      await open(visitor, `${url}/input`);
      await visitor.click("button", "Count");
      await visitor.click("button", "Count");
      await shows(visitor, "#count", "2");
    },
    "a double click is two clicks and a double click": async ({ visitor, url }) => {
      await open(visitor, `${url}/input`);
      await visitor.doubleClick("button:nth-of-type(2)");
      await shows(visitor, "output", "click click double");
    },
    "a bound field writes its signal with every key": async ({ visitor, url }) => {
      await open(visitor, `${url}/input`);
      await visitor.click("#field");
      await visitor.type("a");
      // The first key waits for code; see "keys and a submit before any script has loaded".
      await shows(visitor, "output", "a =a");
      await visitor.type("bc");
      await shows(visitor, "output", "a =a b =ab c =abc");
      await shows(visitor, "#text", "abc");
    },
    "a handler loads a module on demand": async ({ visitor, url }) => {
      await open(visitor, `${url}/input`);
      await visitor.click("button", "Shout");
      await until(visitor, () => document.querySelector("output")?.textContent?.startsWith("WORDS"));
    },
    "an action answers": async ({ visitor, url }) => {
      await open(visitor, `${url}/input`);
      await visitor.click("button", "Ask");
      await until(visitor, () => document.querySelector("#answer")?.textContent?.includes("you"));
    },
    "clicks before any script has loaded are all handled": async ({ visitor, relay, url }) => {
      const release = relay.hold("/_svc/");
      await visitor.go(`${url}/input`);
      await until(visitor, () => document.querySelector("#answer") !== null);
      await visitor.click("button", "Count");
      await visitor.click("button", "Count");
      await visitor.click("button", "Count");
      assert.equal(await visitor.run(() => document.querySelector("#count")?.textContent), "0");
      release();
      await shows(visitor, "#count", "3");
    },
    "keys and a submit before any script has loaded are handled in order": async ({ visitor, relay, url }) => {
      const release = relay.hold("/_svc/");
      await visitor.go(`${url}/input`);
      await until(visitor, () => document.querySelector("#answer") !== null);
      await visitor.click("#field");
      await visitor.type("ab");
      await visitor.click("#sent");
      await visitor.press("Enter");
      await visitor.click("button", "Count");
      release();
      await shows(visitor, "#count", "1");
      await shows(visitor, "output", "a =ab b =ab submit");
      assert.equal(await visitor.run(() => location.pathname), "/input");
    },
    "input while code arrives is handled once": async ({ visitor, relay, url }) => {
      const release = relay.hold("/_svc/core.js");
      await visitor.go(`${url}/input`);
      await until(visitor, () => document.querySelector("#answer") !== null);
      await visitor.click("button", "Count");
      release();
      await shows(visitor, "#count", "1");
      await visitor.click("button", "Count");
      await shows(visitor, "#count", "2");
    },
    "a list grows and a branch toggles": async ({ visitor, url }) => {
      await open(visitor, `${url}/platform`);
      await visitor.click("button", "Grow");
      await until(visitor, () => document.querySelectorAll("li").length === 4 && !document.querySelector("#shown"));
      await visitor.click("button", "Grow");
      await until(visitor, () => document.querySelectorAll("li").length === 5 && !!document.querySelector("#shown"));
    },
    "details report that they toggle": async ({ visitor, url }) => {
      await open(visitor, `${url}/platform`);
      await visitor.click("summary");
      await shows(visitor, "output", "opened");
      await visitor.click("summary");
      await shows(visitor, "output", "opened closed");
    },
    "a popover opens, reports it, and closes with Escape": async ({ visitor, url }) => {
      await open(visitor, `${url}/platform`);
      await visitor.click("button", "Popover");
      await shows(visitor, "output", "popover open");
      await visitor.press("Escape");
      await shows(visitor, "output", "popover open popover closed");
    },
    "a dialog closes with the value of its button": async ({ visitor, url }) => {
      await open(visitor, `${url}/platform`);
      await visitor.click("button", "Modal");
      await visitor.click("button", "Fine");
      await shows(visitor, "output", "dialog fine");
    },
    "a dialog is cancelled with Escape": async ({ visitor, url }) => {
      await open(visitor, `${url}/platform`);
      await visitor.click("button", "Modal");
      await until(visitor, () => document.querySelector("dialog")?.open);
      await visitor.press("Escape");
      await until(visitor, () => document.querySelector("output")?.textContent?.startsWith("cancel dialog"));
    },
    "a handler may start a view transition": async ({ visitor, url }) => {
      await open(visitor, `${url}/platform`);
      await visitor.click("button", "Transition");
      await shows(visitor, "output", "transition");
    },
    "native validation refuses an invalid form and lets a valid one pass": async ({ visitor, url }) => {
      await open(visitor, `${url}/forms`);
      await visitor.click("button", "Send");
      await shows(visitor, "output", "invalid");
      await visitor.click("input");
      await visitor.type("a@b.example");
      await visitor.press("Enter");
      await shows(visitor, "output", "invalid sent a@b.example");
    },
    "a reset takes back what was typed, and the field stays bound": async ({ visitor, url }) => {
      await open(visitor, `${url}/reset`);
      await visitor.run(() => {
        const output = document.querySelector("output") as Element;
        const shown: string[] = [];
        Object.assign(globalThis, { shown });
        const options = { childList: true, characterData: true, subtree: true };
        new MutationObserver((records) => shown.push(...records.map(() => output.textContent))).observe(
          output,
          options,
        );
      });
      await visitor.click("#name");
      await visitor.type("B");
      await until(visitor, () => document.querySelector("output")?.textContent?.length === 4);
      await visitor.click("button");
      await shows(visitor, "output", "Ada");
      const shown = await visitor.run(() => (globalThis as { shown?: string[] }).shown ?? []);
      // An output is a part of its form: Firefox resets it too, and writes its text again. WHATWG HTML section 4.10.12.
      const changes = shown.filter((text, at) => text !== shown[at - 1]);
      assert.deepEqual([changes.length, changes[1]], [2, "Ada"]);
      await visitor.click("#name");
      await visitor.type("C");
      await until(visitor, () => /C/.test(document.querySelector("output")?.textContent ?? ""));
    },
    "fields may have the names of DOM properties": async ({ visitor, url }) => {
      await open(visitor, `${url}/clobbered`);
      await visitor.click("#more");
      await shows(visitor, "#count", "1");
      await visitor.click("#submit");
      await until(visitor, () => document.querySelector("output")?.textContent?.includes("clobbered"));
    },
    "a page with little text is shown and works before its deferred content arrives": async ({ visitor, url }) => {
      await visitor.go(`${url}/held`);
      await until(visitor, () => performance.getEntriesByName("first-contentful-paint").length === 1);
      await visitor.click("button", "Count");
      await shows(visitor, "output", "1");
      assert.equal(await visitor.run(() => document.querySelector("#wait")?.textContent), "on its way");
      await fetch(`${url}/release`);
      await shows(visitor, "#found", "Released");
      await shows(visitor, "output", "1");
    },
    "deferred content arrives and works": async ({ visitor, url }) => {
      await open(visitor, `${url}/late`);
      await until(visitor, () => !!document.querySelector("#found") && !document.querySelector("#wait"));
      await visitor.click("button", "More");
      await visitor.click("button", "Take over");
      await until(
        visitor,
        () => [...document.querySelectorAll("li")].map((row) => row.textContent).join(" ") === "a b w0",
      );
    },
    "a page works after navigation back to it": async ({ visitor, url }) => {
      await open(visitor, `${url}/input`);
      await visitor.click("button", "Count");
      await shows(visitor, "#count", "1");
      await visitor.click("a", "Other page");
      await until(visitor, () => location.pathname === "/other" && document.readyState === "complete");
      await visitor.click("button", "Say");
      await until(visitor, () => document.querySelector("output")?.textContent !== "");
      await visitor.run(() => history.back());
      await until(visitor, () => location.pathname === "/input" && document.readyState === "complete");
      const before = await visitor.run(() => Number(document.querySelector("#count")?.textContent));
      await visitor.click("button", "Count");
      await shows(visitor, "#count", String(before + 1));
    },
  },
};
