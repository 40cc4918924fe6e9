/** The names of an app's routes at run time: logs an `href` of an unknown route, once each. */
import { didYouMean, type Log } from "../../internal.ts";

/** Most unknown names that are logged: a name may contain user input. */
const MOST_REPORTED = 100;

export class RouteNames {
  readonly #names: ReadonlySet<string>;
  readonly #log: () => Log;
  readonly #reported = new Set<string>();

  /** @param files below `pages/`. */
  constructor(files: readonly string[], log: () => Log) {
    this.#names = new Set(files.filter((file) => !/(?:^|\/)_/.test(file)).map(routeName));
    this.#log = log;
  }

  /** Logs a warning for the name of no route. */
  check(path: string): void {
    if (this.#names.has(path) || this.#reported.has(path) || this.#reported.size >= MOST_REPORTED) return;
    this.#reported.add(path);
    const meant = didYouMean(path, [...this.#names]);
    const hint = meant === undefined ? "Add the page below pages/, or fix the name" : `Did you mean href("${meant}")?`;
    this.#log().warn({ route: path }, `href("${path}") names no page or endpoint below pages/. ${hint}`);
  }
}

/** `users/[id]/index.tsx` → `/users/[id]`. Groups are not part of a URL. */
export function routeName(file: string): string {
  const segments = file
    .replace(/\.[jt]sx?$/, "")
    .split("/")
    .filter((segment) => !/^\(.*\)$/.test(segment));
  if (segments.at(-1) === "index") segments.pop();
  return `/${segments.join("/")}`;
}
