/** What a build or `svc dev` knows about the modules of an app, across its files. The plugin collects it. */
import { SvcError } from "../../../platform/shared/errors.ts";
import { contextIn } from "../analyze/context-names.ts";
import { isHeld } from "../analyze/held-state.ts";
import { originIn, propOfItem, type OriginLink } from "../analyze/origins.ts";
import { SVC } from "../analyze/declaration-kinds.ts";
import { ImageFiles } from "../assets/images.ts";
import { PublicFiles } from "../assets/public-files.ts";
import { functionNames, isAnyOf, liveNames, type CalledNames, type PassedProp } from "../emit/passed-props.ts";
import { StyleImports } from "../styles/style-imports.ts";
import type { ActionUse } from "./manifest.ts";

/** Facts about an app that the plugin collects while Vite walks through its modules. */
export interface AppModules {
  /** Absolute path of each TSX file that has browser code -> its path relative to the root. */
  browser: Map<string, string>;
  /** Server actions that browser code calls, by chunk. */
  actions: Map<string, ActionUse[]>;
  /** As `browser`, for the browser modules of live props, which an app needs only if it passes any. */
  live: Map<string, string>;
  /** Names as in `live` of the files that need their module although no other file passes live props: for handlers in spreads, and for stores. */
  always: Set<string>;
  /** Names as in `live` of the files that show values of contexts -> the names of these contexts. */
  contexts: Map<string, ReadonlySet<string>>;
  /** Absolute path of each TSX file -> the props that it passes as derived values, and the contexts to which it may give state. */
  passed: Map<string, readonly PassedProp[]>;
  /** Names as in `live` of the files that pass functions as props -> the names of these props. */
  functions: Map<string, ReadonlySet<string>>;
  /** Absolute path of each module with browser code -> names of the props that this code captures. */
  captured: Map<string, ReadonlySet<string>>;
  /** As `captured`, for code that runs only if these props are live. */
  shown: Map<string, ReadonlySet<string>>;
  /** As `captured`, for what one piece of code reads, which runs if one of these props is live: their names, separated by spaces. */
  readTogether: Map<string, readonly string[]>;
  /** Absolute path of each module -> what its hooks and components pass on. */
  links: Map<string, readonly OriginLink[]>;
  /** Absolute path of each TSX file -> names of its components that can't follow props. */
  frozen: Map<string, readonly string[]>;
  /** Absolute path of each TSX file with components that show a prop only once. */
  kept: Set<string>;
  /** As `browser`, for the browser modules of components that are values, which an app needs only if a file is in `takers`. */
  values: Map<string, string>;
  /** Absolute paths of the files with rows or branches that show such components. */
  takers: Set<string>;
  /** As `browser`, for the browser modules of children, which an app needs only if a file is in `creators`. */
  views: Map<string, string>;
  /** Absolute paths of the files with components that may create their children in the browser. */
  creators: Set<string>;
  /** Absolute path of each module with JSX -> its path relative to the root. */
  jsx: Map<string, string>;
  /** Absolute path of each module that imports the framework. */
  framework: Set<string>;
  /** Imports of the modules, for their stylesheets. */
  styles: StyleImports;
  /** Absolute path of each TSX file -> the modules that were searched for the actions of its handlers. */
  searched: Map<string, ReadonlySet<string>>;
  /** Files of `public/` that modules refer to. */
  publicFiles: PublicFiles;
  /** Images that modules import with their versions. */
  images: ImageFiles;
}

/** @param isBuild whether public files get names with a hash, and images get versions */
export function newAppModules(isBuild = false): AppModules {
  return {
    browser: new Map(),
    actions: new Map(),
    live: new Map(),
    passed: new Map(),
    functions: new Map(),
    captured: new Map(),
    shown: new Map(),
    readTogether: new Map(),
    links: new Map(),
    frozen: new Map(),
    kept: new Set(),
    values: new Map(),
    takers: new Set(),
    views: new Map(),
    creators: new Set(),
    always: new Set(),
    contexts: new Map(),
    jsx: new Map(),
    framework: new Set(),
    styles: new StyleImports(),
    searched: new Map(),
    publicFiles: new PublicFiles(isBuild),
    images: new ImageFiles(isBuild),
  };
}

/** The entries of a browser build. */
export function browserEntries(modules: AppModules): Map<string, string> {
  const { browser, live, always, contexts, functions, passed, values, takers, views, creators } = modules;
  const names = liveNames(passed.values());
  const isAny = [...names].some((name) => contextIn(name) === undefined);
  const isProvided = (id: string): boolean => [...(contexts.get(id) ?? [])].some((name) => names.has(name));
  const { anywhere, shown } = calledNames(modules);
  const called = new Set([...anywhere, ...shown].map((name) => propOfItem(originIn(name))));
  const isCalled = (id: string): boolean => isAnyOf([...(functions.get(id) ?? [])].join(" "), called);
  const needed = [...live].filter(([id]) => isAny || always.has(id) || isProvided(id) || isCalled(id));
  return new Map([...browser, ...needed, ...(takers.size > 0 ? values : []), ...(creators.size > 0 ? views : [])]);
}

/** Names of the props whose functions browser code may call. */
export function calledNames({
  captured,
  shown,
  readTogether,
  passed,
  links,
}: Pick<AppModules, "captured" | "shown" | "readTogether" | "passed" | "links">): CalledNames {
  const live = liveNames(passed.values());
  const passes = [...passed.values(), ...links.values()];
  const shownLive = [...shown.values()].map((names) =>
    [...functionNames([names], links.values())].filter((name) => live.has(originIn(name))),
  );
  const isProp = (name: string): boolean => !isHeld(name);
  const beside = [...readTogether.values()].flat().filter((names) => isAnyOf(names, live));
  return {
    anywhere: functionNames([...captured.values(), ...shownLive.map((names) => names.filter(isProp))], passes),
    shown: functionNames(shownLive, passes),
    besideLive: functionNames([beside.flatMap((names) => names.split(" "))], passed.values()),
  };
}

/** @throws SvcError SVC122 if the app contains JSX and no module imports the framework. */
export function requireFramework({ jsx, framework }: AppModules): void {
  const [first, ...others] = jsx.values();
  if (first === undefined || framework.size > 0) return;
  const files = others.length === 0 ? first : `${first} and ${others.length} more`;
  throw new SvcError(
    "SVC122",
    `SVC122 ${first}\nThe app contains JSX (${files}), but no module imports "${SVC}", so no page can become interactive. Import from "${SVC}", or from the name under which package.json installs it.`,
  );
}
