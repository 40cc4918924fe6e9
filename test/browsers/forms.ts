/** Stories of forms that the server validates. */
import assert from "node:assert/strict";
import { startBuilt } from "../e2e/built-app.ts";
import type { Act } from "./stage.ts";
import { look, open, shows, until, type Visitor } from "./visitor.ts";

/** Writes into a field of a form of the page with two forms, and sends the form. */
async function note(visitor: Visitor, form: "left" | "right", text: string): Promise<void> {
  await visitor.click(`#${form}-note`);
  await visitor.type(text);
  await visitor.click(`#${form} button`);
}

export const forms: Act = {
  name: "forms",
  // Firefox checks the text of scripts that hold data, too: it reports the state of a page that is swapped in, and blocks nothing.
  // The last story's own text is refused on purpose.
  known:
    /^CSP: require-trusted-types-for \S+ (?:HTMLScriptElement text\|\{"csrf_token"|Element innerHTML\|<b>stranger)/,
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
      await note(visitor, "left", "first");
      await until(visitor, () => document.body.textContent?.includes("Noted first"));
      await note(visitor, "right", "second");
      await until(visitor, () => document.body.textContent?.includes("Noted second"));
    },
    "a form can be sent again after a server error": async ({ visitor, url }) => {
      // The app fails for the first submission since this request.
      await fetch(`${url}/ran`);
      await open(visitor, `${url}/`);
      await visitor.click("#save-profile-name");
      await visitor.type("unlucky");
      await visitor.click("#save");
      await shows(visitor, "[data-svc-news]", "Internal error");
      await visitor.click("#save");
      await until(visitor, () => document.querySelector(".svc-flash-success") !== null);
    },
    "a form is locked until its response arrives, and another form is not": async ({ visitor, relay, url }) => {
      await open(visitor, `${url}/two`);
      const before = await visitor.run(() => Number(document.querySelector("#taken")?.textContent));
      const release = relay.hold("/_svc/submit/", 1);
      await note(visitor, "right", "second");
      await until(visitor, () => document.querySelector("#right")?.getAttribute("aria-busy") === "true");
      await visitor.click("#right button");
      await note(visitor, "left", "first");
      await shows(visitor, "#taken", String(before + 1));
      release();
      await shows(visitor, "#taken", String(before + 2));
      await until(visitor, () => document.querySelector<HTMLInputElement>("#right-note")?.value === "");
    },
    "the form that succeeds last determines the page, when two are pending": async ({ visitor, relay, url }) => {
      await open(visitor, `${url}/two`);
      const before = await visitor.run(() => Number(document.querySelector("#taken")?.textContent));
      const release = relay.hold("/two", 1);
      await note(visitor, "left", "first");
      await look(async () => relay.isHolding(), "the page after the first form is under way");
      await note(visitor, "right", "second");
      await shows(visitor, "#taken", String(before + 2));
      release();
      await until(visitor, () => !document.querySelector("#left")?.hasAttribute("aria-busy"));
      await shows(visitor, "#taken", String(before + 2));
      assert.equal(await visitor.run(() => document.querySelector<HTMLInputElement>("#left-note")?.value), "");
    },
    "the browser sends a form with the pressed button, if its script can't load": async ({ visitor, relay, url }) => {
      await fetch(`${url}/ran`);
      await open(visitor, `${url}/two`);
      relay.refuse("/_svc/forms.js");
      await visitor.click("#left-note");
      await visitor.type("kept");
      await visitor.click("#left button", "Keep");
      await until(visitor, () => document.querySelector(".svc-flash-success")?.textContent?.includes("Noted kept"));
      assert.deepEqual(await (await fetch(`${url}/ran`)).json(), ["draft kept"]);
    },
    "a text that no policy has made is refused as markup": async ({ visitor, url }) => {
      await open(visitor, `${url}/`);
      const outcome = await visitor.run(() => {
        const place = document.createElement("p");
        try {
          place.innerHTML = "<b>stranger</b>";
          return "taken";
        } catch (error) {
          return (error as Error).name;
        }
      });
      assert.equal(outcome, "TypeError");
    },
    "an upload reports its progress": async ({ visitor, url }) => {
      await open(visitor, `${url}/upload`);
      await visitor.run(() => {
        const loaded: number[] = [];
        document.addEventListener("form-progress", (event) =>
          loaded.push((event as CustomEvent<{ loaded: number }>).detail.loaded),
        );
        // The target of the redirect is another document.
        document.addEventListener("form-done", () => sessionStorage.setItem("progress", JSON.stringify(loaded)));
        const files = new DataTransfer();
        const png = new Uint8Array([
          0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0x0d, 0x49, 0x48, 0x44, 0x52,
        ]);
        files.items.add(new File([png], "a.png", { type: "image/png" }));
        const field = document.querySelector<HTMLInputElement>("#upload-picture");
        if (field) field.files = files.files;
      });
      await visitor.click("#send");
      await until(visitor, () => location.pathname === "/done");
      const loaded = await visitor.run(() => sessionStorage.getItem("progress"));
      assert.match(loaded ?? "", /^\[[1-9]/);
    },
  },
};
