/**
 * Exports pages as files for static hosts, rendered without a visitor. A page that reads the request can't be exported, and is reported.
 * Decides which pages are exported and what the files contain; the command writes them (src/cli/build/build-static.ts).
 */
import { readTarget } from "../../platform/http/request/target.ts";
import { escapeAttribute } from "../../platform/shared/html/escape.ts";
import { SvcError } from "../../platform/shared/errors.ts";
import type { Placed } from "./group.ts";
import type { Config } from "../lifecycle/config.ts";
import type { BootOptions } from "../options.ts";
import type { PageDefinition } from "./page.ts";

export interface ExportedFile {
  readonly kind: "file";
  /** URL path on the site, percent-encoded: `/books/emma`. */
  readonly path: string;
  /** File path below the export folder, with slashes: `books/emma/index.html`. */
  readonly name: string;
  readonly body: string;
  /** Whether browser code of the page may call actions, which requires the app on the same origin. */
  readonly callsActions: boolean;
  /** Whether `start` also serves the file: pages with `static: true`. */
  readonly isServed: boolean;
  /** Hashes of its inline scripts. */
  readonly hashes: readonly string[];
}

export interface LeftOut {
  readonly kind: "left-out";
  readonly path: string;
  readonly why: string;
  /** Whether the page has `static: true`. */
  readonly isRequired: boolean;
}

export type ExportStep = ExportedFile | LeftOut;

/** The part of the app that the export uses. */
export interface ExportedApp {
  readonly config: Config;
  boot(where: BootOptions): Promise<void>;
  fetch(request: Request): Promise<Response>;
}

/** Directives that a policy in a document can't contain (HTML standard, section 4.2.5.3 "Content security policy state"). */
const NOT_IN_DOCUMENTS = /^(?:frame-ancestors|report-uri|report-to|sandbox)\b/;
const CHARSET = '<meta charset="utf-8">';
const META = '<meta http-equiv="content-security-policy" content="';
const WRITTEN_META = new RegExp(`(${CHARSET})${META}[^"]*">`);

/**
 * An exported page without its policy, for `svc start`, which sends the policy as a header. A policy in the document would persist when
 * enhanced navigation changes the page into another.
 */
export function withoutMetaPolicy(html: string): string {
  return html.replace(WRITTEN_META, "$1");
}

/** Files for search engines, if the app has them. */
const WELL_KNOWN = ["/robots.txt", "/sitemap.xml", "/llms.txt"];

/**
 * If two paths have the same file name, the second is skipped, because it would overwrite the first.
 * @param dist output folder of `svc build`. @throws SvcError as `boot`, and `SVC_DEFINITION` for `entries` that match no path
 */
export async function* exportPages(
  app: ExportedApp,
  placed: readonly Placed[],
  dist: string,
): AsyncGenerator<ExportStep> {
  const paths = new Map<string, string>();
  for await (const step of stepsOf(app, placed, dist)) {
    const first = step.kind === "file" ? paths.get(step.name) : undefined;
    if (step.kind === "file" && first === undefined) paths.set(step.name, step.path);
    yield step.kind === "file" && first !== undefined && first !== step.path ? sameFile(step, first) : step;
  }
}

function sameFile({ path, name, isServed }: ExportedFile, first: string): LeftOut {
  return { kind: "left-out", path, why: `would have the same file name as ${first}: ${name}`, isRequired: isServed };
}

async function* stepsOf(app: ExportedApp, placed: readonly Placed[], dist: string): AsyncGenerator<ExportStep> {
  const readings = new Map<string, readonly string[]>();
  await app.boot({ dist, exporting: (routed, found) => void readings.set(routed, found) });
  const exporter = new Exporter(app, readings);
  for (const { definition, path } of placed) {
    if (definition.kind === "page") yield* exporter.page(definition, path);
    else if (WELL_KNOWN.includes(path)) yield await exporter.text(path);
  }
}

class Exporter {
  readonly #app: ExportedApp;
  /** By routed path. */
  readonly #readings: ReadonlyMap<string, readonly string[]>;

  constructor(app: ExportedApp, readings: ReadonlyMap<string, readonly string[]>) {
    this.#app = app;
    this.#readings = readings;
  }

  async *page(definition: PageDefinition, pattern: string): AsyncGenerator<ExportStep> {
    const isRequired = definition.isStatic === true;
    const leftOut = (path: string, why: string): LeftOut => ({ kind: "left-out", path, why, isRequired });
    if (definition.isStatic === false) return yield leftOut(pattern, "says static: false");
    const paths = await pathsOf(definition, pattern);
    if (!paths) return yield leftOut(pattern, "has parameters, but no entries with their values");
    for (const path of paths) {
      const answer = await this.#ask(path);
      const why = this.#whyNot(path, answer);
      if (why !== undefined) yield leftOut(path, why);
      else {
        yield pageFile(path, answer, isRequired);
        const twin = /<([^>]+)>; rel="alternate"; type="text\/markdown"/.exec(answer.headers.get("link") ?? "")?.[1];
        if (twin !== undefined) yield await this.text(twin);
      }
    }
  }

  /** Exports a file that is not a page. */
  async text(path: string): Promise<ExportStep> {
    const { status, body, headers } = await this.#ask(path);
    const why = status === 200 ? undefined : `has status ${status}`;
    const isIndex = headers.get("content-type")?.includes("xml") && body.includes("<sitemapindex");
    if (why !== undefined || isIndex)
      return {
        kind: "left-out",
        path,
        why: why ?? "consists of several files that differ only in the query",
        isRequired: false,
      };
    return { kind: "file", path, name: nameOf(path), body, callsActions: false, isServed: false, hashes: [] };
  }

  #whyNot(path: string, { status, headers }: Answered): string | undefined {
    if (status >= 400) return `has status ${status}`;
    const found = this.#readings.get(routedOf(path));
    if (found) return `reads ${found.join(", ")} of the request`;
    if (status >= 300 && status < 400) return `redirects to ${headers.get("location") ?? "another address"}`;
    if (status !== 200) return `has status ${status}`;
    return headers.get("content-type")?.startsWith("text/html") ? undefined : "is not HTML";
  }

  async #ask(path: string): Promise<Answered> {
    const url = (this.#app.config.siteOrigin ?? "http://localhost") + path;
    const request = new Request(url, { headers: { accept: "text/html" }, redirect: "manual" });
    const response = await this.#app.fetch(request);
    return { status: response.status, headers: response.headers, body: await response.text() };
  }
}

/** Routed path of a requested address, in the spelling of `Request`. */
function routedOf(address: string): string {
  return readTarget(new URL(address, "http://localhost").pathname).routed;
}

interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

function pageFile(path: string, { headers, body }: Answered, isServed: boolean): ExportedFile {
  const policy = (headers.get("content-security-policy") ?? "").split("; ");
  const text = policy.filter((directive) => !NOT_IN_DOCUMENTS.test(directive)).join("; ");
  const meta = `${META}${escapeAttribute(text)}">`;
  return {
    kind: "file",
    path,
    name: nameOf(path),
    body: text === "" ? body : body.replace(CHARSET, () => CHARSET + meta),
    callsActions: /<[^>]* s="\d+ [^"]* token[ "]/.test(body),
    isServed,
    hashes: [...text.matchAll(/'(sha256-[^']+)'/g)].map(([, hash]) => hash ?? ""),
  };
}

/** @returns undefined if the page has parameters but no entries. */
async function pathsOf({ entries }: PageDefinition, pattern: string): Promise<string[] | undefined> {
  if (!/[:*]/.test(pattern)) return [pattern];
  if (!entries) return undefined;
  const paths = [];
  for (const params of await entries()) {
    const path = filled(pattern, params);
    if (path !== undefined) paths.push(path);
  }
  return paths;
}

/** @returns undefined if the parameters don't fit this pattern, as for pages that exist with and without `lang`. */
function filled(pattern: string, params: Readonly<Record<string, string | undefined>>): string | undefined {
  const left = new Set(Object.keys(params).filter((name) => params[name] !== undefined));
  let isWhole = true;
  const path = pattern.replace(/(\*\*)?:(\w+)/g, (_, rest: string | undefined, name: string) => {
    const value = params[name];
    left.delete(name);
    if (value === undefined || value === "") isWhole = false;
    return rest === undefined
      ? encodeURIComponent(value ?? "")
      : (value ?? "").split("/").map(encodeURIComponent).join("/");
  });
  return isWhole && left.size === 0 ? path : undefined;
}

/** `/books/emma` → `books/emma/index.html`; well-known files and `.md` keep their names. @throws SvcError `SVC_DEFINITION` */
function nameOf(path: string): string {
  const isText = WELL_KNOWN.includes(path) || path.endsWith(".md");
  const segments = path.slice(1).split("/").map(segmentOf);
  const wrong = segments.find((segment) => segment === ".." || segment === "." || /[\\\p{Cc}]/u.test(segment));
  if (wrong !== undefined)
    throw new SvcError(
      "SVC_DEFINITION",
      `${path} can't be exported: ${JSON.stringify(wrong)} is not a valid file name`,
    );
  return [...segments.filter((segment) => segment !== ""), ...(isText ? [] : ["index.html"])].join("/");
}

/** Hosts look up the decoded name. An encoded slash is part of a name. */
function segmentOf(segment: string): string {
  return decodeURIComponent(segment).replaceAll("/", "%2F");
}
