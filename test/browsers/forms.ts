/** Stories of forms that the server validates. */
import assert from "node:assert/strict";
import { startBuilt } from "../e2e/built-app.ts";
import type { Act } from "./stage.ts";
import { open, shows, until } from "./visitor.ts";

export const forms: Act = {
  name: "forms",
  // Firefox checks the text of scripts that hold data, too: it reports the state of a page that is swapped in, and blocks nothing.
  known: /^CSP: require-trusted-types-for \S+ HTMLScriptElement text\|\{"csrf_token"/,
  start: async () => {
    const app = await startBuilt("forms");
    return { url: app.url, stop: () => app.close() };
  },
  stories: {
    "a rejected form shows its errors, and keeps its values and the page's state": async ({ visitor, url }) => {
      await open(visitor, `${url}/`);
      await visitor.click("#count");
      await shows(visitor, "#count", "1");
      await visitor.click("#save-profile-bio");
      await visitor.type("short");
      await visitor.click("#save");
      await until(visitor, () => document.body.textContent?.includes("Tell us your name"));
      await shows(visitor, "#count", "1");
      assert.equal(
        await visitor.run(() => document.querySelector<HTMLTextAreaElement>("#save-profile-bio")?.value),
        "short",
      );
    },
    "an accepted form shows the message of the server": async ({ visitor, url }) => {
      await open(visitor, `${url}/`);
      await visitor.click("#save-profile-name");
      await visitor.type("Ada");
      await visitor.click("#save");
      await until(visitor, () => document.querySelector(".svc-flash-success")?.textContent?.includes("Saved Ada"));
    },
    "Enter in a field sends the form": async ({ visitor, url }) => {
      await open(visitor, `${url}/`);
      await visitor.click("#save-profile-name");
      await visitor.type("Eve");
      await visitor.press("Enter");
      await until(visitor, () => document.querySelector(".svc-flash-success")?.textContent?.includes("Saved Eve"));
    },
    "a form may lead to another page": async ({ visitor, url }) => {
      await open(visitor, `${url}/`);
      await visitor.click("#save-profile-name");
      await visitor.type("away");
      await visitor.click("#save");
      await until(visitor, () => location.pathname === "/done");
    },
    "a form sent before any script has loaded is accepted once": async ({ visitor, relay, url }) => {
      const release = relay.hold("/_svc/forms.js");
      await visitor.go(`${url}/`);
      await until(visitor, () => document.querySelector("#save") !== null);
      await visitor.click("#save-profile-name");
      await visitor.type("Early");
      await visitor.click("#save");
      release();
      await until(visitor, () => document.querySelector(".svc-flash-success")?.textContent?.includes("Saved Early"));
    },
    "two forms on a page are independent": async ({ visitor, url }) => {
      await open(visitor, `${url}/two`);
      await visitor.click("#left-note");
      await visitor.type("first");
      await visitor.click("#left button");
      await until(visitor, () => document.body.textContent?.includes("Noted first"));
      await visitor.click("#right-note");
      await visitor.type("second");
      await visitor.click("#right button");
      await until(visitor, () => document.body.textContent?.includes("Noted second"));
    },
  },
};
