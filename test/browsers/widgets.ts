/** Stories of toasts, popups, menus and dialogs. */
import assert from "node:assert/strict";
import { startBuilt } from "../e2e/built-app.ts";
import type { Act } from "./stage.ts";
import { open, shows, until, type Visitor } from "./visitor.ts";

/** Waits until the time of the only toast is in this state. */
const toastIs = (visitor: Visitor, state: AnimationPlayState): Promise<void> =>
  until(visitor, (wanted) => document.querySelector(".svc-toast")?.getAnimations().at(-1)?.playState === wanted, state);

export const widgets: Act = {
  name: "widgets",
  start: async () => {
    const app = await startBuilt("ui");
    return { url: app.url, stop: () => app.close() };
  },
  stories: {
    "a toast pauses under the pointer and closes after its time": async ({ visitor, url }) => {
      await open(visitor, `${url}/toasts`);
      await visitor.click("button", "Delete");
      await toastIs(visitor, "running");
      await visitor.hover(".svc-toast p");
      await toastIs(visitor, "paused");
      await visitor.hover("h1");
      await toastIs(visitor, "running");
      await visitor.run(() => document.querySelector(".svc-toast")?.getAnimations().at(-1)?.finish());
      await until(visitor, () => document.querySelector(".svc-toast") === null);
    },
    "a toast's button runs its action": async ({ visitor, url }) => {
      await open(visitor, `${url}/toasts`);
      await visitor.click("button", "Delete");
      await visitor.click(".svc-toast button", "Undo");
      await shows(visitor, "output", "1");
      assert.equal(await visitor.run(() => document.querySelectorAll(".svc-toast").length), 0);
    },
    "an urgent toast is an alert, and its button closes it": async ({ visitor, url }) => {
      await open(visitor, `${url}/toasts`);
      await visitor.click("button", "Fail");
      await until(visitor, () => document.querySelector("[role=alert] .svc-toast") !== null);
      await visitor.click(".svc-toast .svc-close");
      await until(visitor, () => document.querySelector(".svc-toast") === null);
    },
    "a popup opens beside its button and within the window": async ({ visitor, url }) => {
      await open(visitor, `${url}/overlays`);
      await visitor.click("[popovertarget=note]");
      await until(visitor, () => {
        const popup = document.querySelector("#note")?.getBoundingClientRect();
        const anchor = document.querySelector("[popovertarget=note]")?.getBoundingClientRect();
        if (!popup || !anchor || popup.height === 0) return false;
        const distance = Math.min(Math.abs(popup.bottom - anchor.top), Math.abs(popup.top - anchor.bottom));
        return distance < 12 && popup.top >= 0 && popup.bottom <= innerHeight;
      });
      await visitor.press("Escape");
      await until(visitor, () => !document.querySelector("#note")?.matches(":popover-open"));
    },
    "a popup of a scrolled page opens within the window": async ({ visitor, url }) => {
      await open(visitor, `${url}/overlays`);
      await visitor.run(() => {
        document.body.style.padding = "1500px 0";
        const top = document.querySelector("[popovertarget=note]")?.getBoundingClientRect().top ?? 0;
        scrollBy(0, top - 40);
      });
      await visitor.click("[popovertarget=note]");
      await until(visitor, () => {
        const popup = document.querySelector("#note")?.getBoundingClientRect();
        const anchor = document.querySelector("[popovertarget=note]")?.getBoundingClientRect();
        return popup && anchor && popup.height > 0 && Math.abs(popup.top - anchor.bottom) < 12;
      });
    },
    "a menu moves with the arrow keys and reports its choice": async ({ visitor, url }) => {
      await open(visitor, `${url}/overlays`);
      await visitor.click("[popovertarget=file]");
      await until(visitor, () => !!document.querySelector("#file")?.matches(":popover-open"));
      await until(visitor, () => document.activeElement?.textContent === "Copy");
      await visitor.press("ArrowDown");
      await until(visitor, () => document.activeElement?.textContent === "Cut");
      await visitor.press("Enter");
      await shows(visitor, "output", "Cut");
    },
    "a dialog reports the button that closed it": async ({ visitor, url }) => {
      await open(visitor, `${url}/overlays`);
      await visitor.click("button", "Delete…");
      await visitor.click("#project button", "Delete it");
      await shows(visitor, "#answer", "[delete]");
    },
    "a dialog opens above another, and Escape closes only the upper one": async ({ visitor, url }) => {
      await open(visitor, `${url}/overlays`);
      await visitor.click("button", "Delete…");
      await visitor.click("button", "What goes exactly?");
      await until(visitor, () => !!document.querySelector<HTMLDialogElement>("#more")?.open);
      await visitor.press("Escape");
      await until(visitor, () => !document.querySelector<HTMLDialogElement>("#more")?.open);
      assert.equal(await visitor.run(() => document.querySelector<HTMLDialogElement>("#project")?.open), true);
    },
  },
};
