/** The app module. Pages are the files in pages/; list graphs here. */
import { createFullStackApp } from "svckit/fullstack";
import { tea } from "./tea.ts";

export default createFullStackApp({
  graphs: [tea],
  stylesheets: ["/app.css", "/_svc/forms.css"],
  icon: "/icon.svg",
  prefetch: "idle",
});
