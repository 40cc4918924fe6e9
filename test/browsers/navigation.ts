/** Stories of enhanced navigation: links, history, scroll positions, state of layouts, view transitions. */
import assert from "node:assert/strict";
import { startBuilt } from "../e2e/built-app.ts";
import type { Act, Scene } from "./stage.ts";
import { open, shows, until, type Visitor } from "./visitor.ts";

/** Opens a page, and marks its document. */
async function begin({ visitor, url }: Scene, path: string): Promise<void> {
  await open(visitor, url + path);
  await visitor.run(() => {
    Object.assign(globalThis, { isSame: true });
  });
}

const isSame = (visitor: Visitor): Promise<boolean> => visitor.run(() => "isSame" in globalThis);

export const navigation: Act = {
  name: "navigation",
  start: async () => {
    const app = await startBuilt("navigation");
    return { url: app.url, stop: () => app.close() };
  },
  stories: {
    "a link replaces the content and keeps the document": async (scene) => {
      const { visitor } = scene;
      await begin(scene, "/");
      await visitor.click("a", "/about");
      await shows(visitor, "h1", "About");
      await until(visitor, () => document.title === "About · Site" && location.pathname === "/about");
      assert.equal(await isSame(visitor), true);
    },
    "history leads back and forward": async (scene) => {
      const { visitor } = scene;
      await begin(scene, "/about");
      await visitor.click("a", "/counter");
      await shows(visitor, "h1", "Counter");
      await visitor.run(() => history.back());
      await shows(visitor, "h1", "About");
      await visitor.run(() => history.forward());
      await shows(visitor, "h1", "Counter");
      assert.equal(await isSame(visitor), true);
    },
    "the scroll position returns with the page": async (scene) => {
      const { visitor } = scene;
      await begin(scene, "/long");
      await visitor.run(() => scrollTo(0, 1200));
      await until(visitor, () => scrollY === 1200);
      await visitor.click("a", "/about");
      await shows(visitor, "h1", "About");
      await until(visitor, () => scrollY === 0);
      await visitor.run(() => history.back());
      await shows(visitor, "h1", "Long");
      await until(visitor, () => Math.abs(scrollY - 1200) < 2);
    },
    "a layout keeps its state": async (scene) => {
      const { visitor } = scene;
      await begin(scene, "/about");
      await visitor.click("#menu");
      await shows(visitor, "#opened", "Open");
      await visitor.click("a", "/counter");
      await shows(visitor, "h1", "Counter");
      await shows(visitor, "#opened", "Open");
    },
    "a page that arrived by a link works": async (scene) => {
      const { visitor } = scene;
      await begin(scene, "/about");
      await visitor.click("a", "/counter");
      await shows(visitor, "#there", "there");
      await visitor.click("#count");
      await shows(visitor, "#count", "1");
    },
    "a click right after a navigation is not lost": async (scene) => {
      const { visitor } = scene;
      await begin(scene, "/about");
      await visitor.click("a", "/counter");
      await until(visitor, () => document.querySelector("#count") !== null);
      for (let clicks = 0; clicks < 5; clicks++) await visitor.click("#count");
      await shows(visitor, "#count", "5");
    },
    "navigate() leads to a page": async (scene) => {
      const { visitor } = scene;
      await begin(scene, "/counter");
      await visitor.click("#go");
      await shows(visitor, "h1", "About");
      assert.equal(await isSame(visitor), true);
    },
    "a handler may prevent a navigation": async (scene) => {
      const { visitor } = scene;
      await begin(scene, "/counter");
      await visitor.click("#own");
      await visitor.click("#count");
      await shows(visitor, "#count", "1");
      assert.equal(await visitor.run(() => location.pathname), "/counter");
    },
    "a link may opt out and load a document": async (scene) => {
      const { visitor } = scene;
      await begin(scene, "/counter");
      await visitor.click("a", "left");
      await until(visitor, () => location.search === "?left" && !("isSame" in globalThis));
      await shows(visitor, "h1", "About");
    },
    "a link within the page scrolls to its place": async (scene) => {
      const { visitor } = scene;
      await begin(scene, "/long");
      await visitor.click("#within");
      await until(visitor, () => location.hash === "#place" && scrollY > 2000);
      assert.equal(await isSame(visitor), true);
    },
  },
};
