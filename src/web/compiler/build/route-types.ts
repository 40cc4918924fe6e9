/**
 * Writes down which routes the files in `pages/` make, for the types of `href` and `load` ("svc/fullstack": `Routes`):
 * `svc-routes.d.ts` beside the app module, where every tsconfig finds it. Written by build and development host alike, and
 * only when it changes, so that editors and watchers rest.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { listFiles } from "../../../platform/security/list-files.ts";

const NAME = "svc-routes.d.ts";

/** What is no page, as the patterns of pages-modules.ts leave it out. */
const OTHERS = /(?:^|\/)_|\.(?:test|spec|d)\.[jt]sx?$/;

/** @param entry absolute path of the app module. @returns the file that was written; undefined where nothing has changed. */
export function writeRouteTypes(entry: string): string | undefined {
  const folder = path.join(path.dirname(entry), "pages");
  if (!existsSync(folder) || !readFileSync(entry, "utf8").includes("svc/fullstack")) return undefined;
  const text = routeTypes([...listFiles(folder)].map(({ name }) => name));
  const target = path.join(path.dirname(entry), NAME);
  if (existsSync(target) && readFileSync(target, "utf8") === text) return undefined;
  writeFileSync(target, text);
  return target;
}

/** @param files below `pages/`. */
export function routeTypes(files: readonly string[]): string {
  const names = new Set(files.filter((file) => /\.tsx?$/.test(file) && !OTHERS.test(file)).map(routeName));
  const lines = [...names].sort().map((name) => `    ${JSON.stringify(name)}: true;\n`);
  return `// Written by svc from the files in pages/: the routes of this app. Fit for .gitignore, and for a commit.
export {};
declare module "svc/fullstack" {
  interface Routes {
${lines.join("")}  }
}
`;
}

/** `users/[id]/index.tsx` → `/users/[id]`; groups are in no address. */
function routeName(file: string): string {
  const segments = file
    .replace(/\.tsx?$/, "")
    .split("/")
    .filter((segment) => !/^\(.*\)$/.test(segment));
  if (segments.at(-1) === "index") segments.pop();
  return `/${segments.join("/")}`;
}
