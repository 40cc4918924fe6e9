/** "Lockfile audit": the demo app. Its pages are the files in pages/; all of it goes through svc's public exports. */
import { createFullStackApp } from "svc/fullstack";
import { echo } from "./actions.ts";
import { audit, inspect, parse, report } from "./audit/graph.ts";

export default createFullStackApp({
  actions: { echo },
  workers: [parse, inspect, report],
  graphs: [audit],
  stylesheets: ["/app.css"],
  icon: "/icon.svg",
  demo: true,
});
