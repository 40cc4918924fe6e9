/**
 * Writes `svc-routes.d.ts` beside the app module: the routes of the files in `pages/`, for the types of `href` and `load`
 * ("svckit/fullstack": `Routes`). Build and development host write it only when it changes, so editors and watchers are not triggered.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { listFiles } from "../../../platform/security/list-files.ts";

const NAME = "svc-routes.d.ts";

/** The import of the full-stack entry point, under whatever name the app gives the package. */
const FULLSTACK = /import\s*\{[^}]*\bcreateFullStackApp\b[^}]*\}\s*from\s*["']([^"']+)["']/;

/** Files that are not pages, as in the patterns of app-calls.ts. */
const OTHERS = /(?:^|\/)_|\.(?:test|spec|d)\.[jt]sx?$/;

/** @param entry absolute path of the app module. @returns the path of the written file; undefined if nothing has changed. */
export function writeRouteTypes(entry: string): string | undefined {
  const folder = path.join(path.dirname(entry), "pages");
  const specifier = existsSync(folder) ? FULLSTACK.exec(readFileSync(entry, "utf8"))?.[1] : undefined;
  if (specifier === undefined) return undefined;
  const text = routeTypes(
    [...listFiles(folder)].map(({ name }) => name),
    specifier,
  );
  const target = path.join(path.dirname(entry), NAME);
  if (existsSync(target) && readFileSync(target, "utf8") === text) return undefined;
  writeFileSync(target, text);
  return target;
}

/** @param files below `pages/`. @param specifier with which the app imports svckit/fullstack. */
export function routeTypes(files: readonly string[], specifier: string): string {
  const names = new Set(files.filter((file) => /\.[jt]sx?$/.test(file) && !OTHERS.test(file)).map(routeName));
  const lines = [...names].sort().map((name) => `    ${JSON.stringify(name)}: true;\n`);
  return `// Written by svc from the files in pages/: the routes of this app. Fit for .gitignore, and for a commit.
export {};
declare module ${JSON.stringify(specifier)} {
  interface Routes {
${lines.join("")}  }
}
`;
}

/** `users/[id]/index.tsx` → `/users/[id]`. Groups are not part of a URL. */
function routeName(file: string): string {
  const segments = file
    .replace(/\.[jt]sx?$/, "")
    .split("/")
    .filter((segment) => !/^\(.*\)$/.test(segment));
  if (segments.at(-1) === "index") segments.pop();
  return `/${segments.join("/")}`;
}
