/**
 * Maps the files below `pages/` to routes: pages, endpoints, and the files that apply to both. Pure: takes names, returns routes.
 *
 * | file                 | is                                                                          |
 * |----------------------|-----------------------------------------------------------------------------|
 * | `users/index.tsx`    | the page `/users`, as `users.tsx`                                           |
 * | `users/[id].tsx`     | the page `/users/:id`                                                       |
 * | `[[lang]]/about.tsx` | the page `/about` and `/:lang/about`                                        |
 * | `docs/[...rest].tsx` | the page `/docs/**:rest`, one segment or more; `[[...rest]]` `/docs` too    |
 * | `(shop)/cart.tsx`    | the page `/cart`: a folder in parentheses only groups                       |
 * | `api/users.ts`       | the endpoint `/api/users`: exports `GET`, `POST`, …                         |
 * | `_layout.tsx`        | the layout of pages in its folder and below                                 |
 * | `_error.tsx`         | replaces a page there that failed                                           |
 * | `_404.tsx`           | answers paths there without a page or endpoint                              |
 * | `_middleware.ts`     | middleware of pages and endpoints there                                     |
 * | `_submits.ts`        | submits for forms anywhere in the app                                       |
 * | `_parts/card.tsx`    | no route: folders that begin with `_` and tests (`.test.ts`) are ignored    |
 *
 * JavaScript files have the same roles: `.jsx` as `.tsx`, and `.js` as `.ts`.
 */
import { SvcError } from "../../index.ts";

export interface RouteFile {
  /** As given: `users/[id].tsx`. */
  readonly file: string;
  readonly kind: "page" | "endpoint";
  /** Paths that it answers, shortest first: several if a segment is optional. */
  readonly paths: readonly string[];
  readonly around: Surrounding;
}

/** Files around a route, outermost first. */
export type Surrounding = Readonly<Record<Role, readonly string[]>>;

/** Role of a file whose name begins with `_`, for its folder and those below. */
export type Role = "layout" | "error" | "notFound" | "middleware" | "submits";

export interface RouteFiles {
  /** Sorted by path, so that the order of the file system does not matter. */
  readonly routes: readonly RouteFile[];
  /** Each `_404.tsx` with the path below which it answers. */
  readonly notFound: readonly RouteFile[];
}

const ROLES: Readonly<Record<string, Role>> = {
  "_layout.tsx": "layout",
  "_error.tsx": "error",
  "_404.tsx": "notFound",
  "_middleware.ts": "middleware",
  "_submits.ts": "submits",
};

/** The name of a JavaScript file with the extension of TypeScript: `_layout.jsx` → `_layout.tsx`. */
const asTypeScript = (name: string): string => name.replace(/\.js(x?)$/, ".ts$1");

/** Text that a path may contain, without the brackets that have a meaning in file names. */
const TEXT = /^[^:*?+(){}[\]\\#%\s]+$/;
const PARAMETER = /^\[(\.\.\.)?([A-Za-z_]\w*)\]$/;
const OPTIONAL = /^\[(\[.+\])\]$/;
const GROUP = /^\([^()]+\)$/;

/**
 * @param files paths below `pages/`, with slashes: `users/[id].tsx`.
 * @throws SvcError `SVC_DEFINITION` that names the file: for an invalid name, and for two files with the same path.
 */
export function readRouteFiles(files: readonly string[]): RouteFiles {
  const own = files.filter((file) => !isAppsOwn(file)).sort();
  const named = new Set(own);
  const read = (file: string): RouteFile => readRouteFile(file, named);
  const routes = own.filter((file) => roleOf(file) === undefined).map(read);
  refuseDoubles(routes);
  return {
    routes: routes.sort(
      (left, right) => compareText(left.paths[0], right.paths[0]) || compareText(left.file, right.file),
    ),
    notFound: own.filter((file) => roleOf(file) === "notFound").map(read),
  };
}

/** Whether a file is no route: a test, a type declaration, or in a folder that begins with `_`. */
function isAppsOwn(file: string): boolean {
  return foldersOf(file).some((folder) => folder.startsWith("_")) || /\.(?:test|spec|d)\.[jt]sx?$/.test(file);
}

function readRouteFile(file: string, named: ReadonlySet<string>): RouteFile {
  const extension = /\.[jt]sx?$/.exec(file)?.[0];
  if (extension === undefined) throw refused(file, "is neither a page (.tsx, .jsx) nor an endpoint (.ts, .js)");
  const role = roleOf(file);
  const name = nameOf(file).slice(0, -extension.length);
  const last = role === "notFound" ? "[[...path]]" : name;
  const segments = [...foldersOf(file), ...(last === "index" ? [] : [last])];
  return {
    file,
    kind: extension.endsWith("x") ? "page" : "endpoint",
    paths: pathsOf(file, segments),
    around: surroundingOf(file, named),
  };
}

/** Role of a file that begins with `_`; undefined for pages and endpoints. */
function roleOf(file: string): Role | undefined {
  const name = nameOf(file);
  if (!name.startsWith("_")) return undefined;
  const role = ROLES[asTypeScript(name)];
  if (!role) throw refused(file, `begins with "_"; only these names may: ${Object.keys(ROLES).join(", ")}`);
  return role;
}

/** All forms of the path, shortest first. */
function pathsOf(file: string, segments: readonly string[]): string[] {
  let paths = [""];
  for (const [at, segment] of segments.entries()) {
    const optional = OPTIONAL.exec(segment)?.[1];
    const pattern = patternOf(file, optional ?? segment);
    if (pattern === undefined) continue;
    if (pattern.startsWith("**") && at < segments.length - 1)
      throw refused(file, `has "${segment}" before its end; a rest parameter must be the last segment`);
    const longer = paths.map((path) => `${path}/${pattern}`);
    paths = optional === undefined ? longer : [...paths, ...longer];
  }
  return paths.map((path) => path || "/");
}

/** `[id]` → `:id`. @returns undefined for a group, which is not part of the path. */
function patternOf(file: string, segment: string): string | undefined {
  if (GROUP.test(segment)) return undefined;
  const [, rest, name] = PARAMETER.exec(segment) ?? [];
  if (name !== undefined) return `${rest === undefined ? "" : "**"}:${name}`;
  if (TEXT.test(segment) && segment !== "." && segment !== "..") return segment;
  throw refused(file, `has the segment "${segment}"; allowed: text, [id], [[id]], [...rest], [[...rest]], (group)`);
}

function surroundingOf(file: string, named: ReadonlySet<string>): Surrounding {
  const folders = foldersOf(file);
  const prefixes = Array.from({ length: folders.length + 1 }, (_, depth) =>
    folders
      .slice(0, depth)
      .map((folder) => `${folder}/`)
      .join(""),
  );
  const of = (name: string): string[] =>
    prefixes
      .flatMap((prefix) => [name, name.replace(".ts", ".js")].map((one) => prefix + one))
      .filter((path) => named.has(path));
  const entries = Object.entries(ROLES).map(([name, role]) => [role, of(name)] as const);
  return Object.fromEntries(entries) as Record<Role, string[]>;
}

/** A page and an endpoint may share a path if the endpoint has no GET. Its exports are checked later. */
function refuseDoubles(routes: readonly RouteFile[]): void {
  const seen = new Map<string, string>();
  for (const { file, kind, paths } of routes) {
    for (const path of paths) {
      const shape = `${kind} ${path.replace(/:\w+/g, ":")}`;
      const other = seen.get(shape);
      if (other !== undefined && other !== file)
        throw refused(other, `and pages/${file} are both the ${kind} ${path}; remove or rename one of the two`);
      seen.set(shape, file);
    }
  }
}

function foldersOf(file: string): string[] {
  return file.split("/").slice(0, -1);
}

function nameOf(file: string): string {
  return file.slice(file.lastIndexOf("/") + 1);
}

/** Compares by code units, because a locale's order differs between machines. */
function compareText(left = "", right = ""): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

function refused(file: string, problem: string): SvcError {
  return new SvcError("SVC_DEFINITION", `pages/${file} ${problem}`);
}
