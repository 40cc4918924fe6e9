/** "Lockfile audit", the demo app. It uses only public exports of svc; its pages are the files in pages/. */
import { randomBytes } from "node:crypto";
import { createFullStackApp } from "svckit/fullstack";
import { echo } from "./actions.ts";
import { audit, inspect, parse, report } from "./audit/graph.ts";

// Signs webhooks without configuration. The environment keeps the secret across edits, until the process ends.
process.env["SVC_WEBHOOK_SECRET"] ||= randomBytes(32).toString("hex");

export default createFullStackApp({
  actions: { echo },
  workers: [parse, inspect, report],
  graphs: [audit],
  stylesheets: ["/app.css"],
  icon: "/icon.svg",
  demo: true,
});
