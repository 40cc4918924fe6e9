/** svc's side of the three-page site: both ways to follow a link. */
import { createFullStackApp } from "svckit/fullstack";

export default createFullStackApp({
  navigation: process.env["BENCH_NAVIGATION"] === "enhanced" ? "enhanced" : "links",
});
