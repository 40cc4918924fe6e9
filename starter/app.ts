/** The app module. Pages are the files in pages/; list graphs here. */
import { asset } from "svckit/assets";
import { createFullStackApp } from "svckit/fullstack";
import { tea } from "./tea.ts";

export default createFullStackApp({
  graphs: [tea],
  stylesheets: [asset("/app.css"), "/_svc/forms.css"],
  icon: asset("/icon.svg"),
  prefetch: "idle",
});
