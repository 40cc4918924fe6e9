/** Stories of `svc dev`: an open page follows the source. */
import assert from "node:assert/strict";
import { startDevApp, type DevApp } from "../e2e/dev-app.ts";
import type { Act } from "./stage.ts";
import { open, shows, until } from "./visitor.ts";

const DESK = "pages/desk.tsx";
let app: DevApp;

export const hmr: Act = {
  name: "edits under svc dev",
  start: async () => {
    app = await startDevApp(`browsers-${process.pid}`);
    return app;
  },
  stories: {
    "an edit of the page appears, and its signals keep their values": async ({ visitor, url }) => {
      await open(visitor, `${url}/desk`);
      await visitor.click("#one button");
      await shows(visitor, "#one .count", "Count: 2");
      await visitor.run(() => {
        Object.assign(globalThis, { isSame: true });
      });
      app.edit(DESK, "<h1>Desk</h1>", "<h1>Bench</h1>");
      await shows(visitor, "h1", "Bench");
      await shows(visitor, "#one .count", "Count: 2");
      assert.equal(await visitor.run(() => "isSame" in globalThis), true);
    },
    "an edit of a stylesheet needs no reload": async ({ visitor, url }) => {
      await open(visitor, `${url}/desk`);
      await visitor.run(() => {
        Object.assign(globalThis, { isSame: true });
      });
      app.write("public/desk.css", "h1 { color: rgb(1, 2, 3) }");
      await until(
        visitor,
        () =>
          "isSame" in globalThis && getComputedStyle(document.querySelector("h1") as Element).color === "rgb(1, 2, 3)",
      );
    },
  },
};
