/** "Lockfile audit": the demo app. Its pages are the files in pages/; all of it goes through svc's public exports. */
import { randomBytes } from "node:crypto";
import { createFullStackApp } from "svckit/fullstack";
import { echo } from "./actions.ts";
import { audit, inspect, parse, report } from "./audit/graph.ts";

// So that its webhooks are signed as it is typed, with nothing set; for as long as the process lives, edits included.
process.env["SVC_WEBHOOK_SECRET"] ||= randomBytes(32).toString("hex");

export default createFullStackApp({
  actions: { echo },
  workers: [parse, inspect, report],
  graphs: [audit],
  stylesheets: ["/app.css"],
  icon: "/icon.svg",
  demo: true,
});
