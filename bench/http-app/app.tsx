/** svc's app for bench:http: a handwritten page, a stream, an action, a page that resumes, and public/asset.js. */
import { createApp, html, page, route, type Context, type Result } from "svckit";
import { addUp } from "./actions.ts";
import { AFTER_NONCE, BEFORE_NONCE, END, streamedParts } from "./large-page.ts";
import { Shop } from "./pages/shop.tsx";

/** 10 KB with the nonce twice: measures the transfer and not the rendering. */
function largePage(ctx: Context): Result {
  const { nonce } = ctx;
  return html(BEFORE_NONCE + nonce + AFTER_NONCE + nonce + END);
}

/** The same in three parts. */
function streamed(): Result {
  return { ...html(""), body: streamedParts() };
}

const items = Array.from({ length: 20 }, (_, at) => ({ id: at + 1, label: `Item number ${at + 1}` }));

export default createApp({
  pages: [
    page("/counter", {
      title: "Counter",
      load: ({ query }) => query.get("name") ?? "nobody",
      view: (name) => <Shop name={name} items={items} />,
    }),
  ],
  routes: [route("GET", "/page", largePage), route("GET", "/stream", streamed)],
  actions: { addUp },
});
