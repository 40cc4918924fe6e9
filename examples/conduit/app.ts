/** Conduit: the RealWorld app (https://realworld-docs.netlify.app), a small Medium, from files in pages/. */
import { createFullStackApp } from "svckit/fullstack";

export default createFullStackApp({
  stylesheets: ["/conduit.css"],
  icon: "/icon.svg",
  navigation: "enhanced",
  demo: false,
  seo: { llms: { title: "Conduit", summary: "A place to share what you know." } },
});
