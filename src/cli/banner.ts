/** The lines that `svc dev` and `svc start` print: addresses, pages and commands to try. */
import type { App } from "../app/app-types.ts";
import { PATHS, VARIABLES } from "../platform/shared/wire.ts";
import { facts, type Output } from "./output.ts";

/** Number of pages to list. A longer list hides the other lines. */
const MAX_PAGES = 6;

/** Extensions with screens for people. */
const SCREENS = /\/ops$/;

/** @param readyMs milliseconds since the command started. */
export function banner(app: App, url: string, readyMs: number, output: Output): void {
  output.line(`${output.style("green", "Ready")} in ${readyMs} ms  ${output.style("cyan", url)}`);
  // A path with a parameter cannot be opened as it is.
  const pages = app.pagePaths.filter((path) => !/[:*]/.test(path));
  const { socket } = app.config;
  const screens = app.extensionPaths.filter((path) => SCREENS.test(path));
  facts(output, [
    ...pages.slice(0, MAX_PAGES).map((path, at) => [at === 0 ? "Pages" : "", `${url}${path}`] as const),
    ...(app.hasDemo ? [["Webhook demo", `${url}${PATHS.demo}`] as const] : []),
    ...screens.map((path) => ["Screens", `${url}${path}`] as const),
    ...roleOf(app).map((text) => ["Role", text] as const),
    ["Operator", operatorHint(app, url)],
    ["Try", `curl ${socket === undefined ? "" : `--unix-socket ${socket} `}${url}${PATHS.health}`],
  ]);
}

/** Describes the part of the work that this process does; empty if it does all of it. */
function roleOf({ config: { role, workers } }: App): string[] {
  if (role === "web") return ["web: serves requests, runs no nodes"];
  if (workers !== undefined) return [`${role}: runs only nodes of ${workers.join(", ")}`];
  return role === "all" ? [] : [role];
}

function operatorHint(app: App, url: string): string {
  return app.config.execApiKey === undefined
    ? `set ${VARIABLES.execApiKey} to open ${PATHS.status}, ${PATHS.graphs} and ${PATHS.webhooks}`
    : `curl -H "Authorization: Bearer $${VARIABLES.execApiKey}" ${url}${PATHS.status}`;
}
