/** The app: its pages are the files in pages/, its graphs are named here. */
import { createFullStackApp } from "svckit/fullstack";
import { tea } from "./tea.ts";

export default createFullStackApp({
  graphs: [tea],
  stylesheets: ["/app.css", "/_svc/forms.css"],
  icon: "/icon.svg",
});
