/** The contenders of bench:pages, each built for production: the same counter and todo, as text and as scripts. */
import { readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { App } from "svckit";
import type * as Vite from "vite";
import type { Answer, Site } from "./front.ts";
import { buildPeer, inFolder, install, load, plugins, versionOf } from "./peers.ts";
import { buildDir, peersDir } from "./places.ts";
import { buildBenchApp } from "./svc-app.ts";

export const CONTENDERS = ["svc", "svc-idle", "marko", "solid", "svelte", "qwik"] as const;
export type Contender = (typeof CONTENDERS)[number];
export type PageName = "counter" | "todo" | "todo-1000" | "table-1000";
export const PAGES: readonly PageName[] = ["counter", "todo", "todo-1000", "table-1000"];
const SOURCES = ["counter", "todo", "table"] as const;
type Source = (typeof SOURCES)[number];

/** Source and number of rows of each page: the long todo is the same page with more rows. */
const PAGE_SOURCES: Record<PageName, { source: Source; rows: number; title: string }> = {
  counter: { source: "counter", rows: 0, title: "Counter" },
  todo: { source: "todo", rows: 20, title: "To-do" },
  "todo-1000": { source: "todo", rows: 1000, title: "To-do" },
  "table-1000": { source: "table", rows: 1000, title: "Table" },
};

const qwikDir = join(peersDir, "qwik");

export const TITLES: Record<Contender, () => string> = {
  svc: () => "**svc**",
  "svc-idle": () => '**svc**, `prefetch: "idle"`',
  marko: () => `Marko ${versionOf("marko")}`,
  solid: () => `Solid ${versionOf("solid-js")}, hydrated`,
  svelte: () => `Svelte ${versionOf("svelte")}, hydrated`,
  qwik: () => `Qwik ${versionOf("@builder.io/qwik", qwikDir)}`,
};

const TYPES: Record<string, string> = { ".js": "text/javascript", ".json": "application/json", ".css": "text/css" };

async function file(folder: string, path: string): Promise<Answer | undefined> {
  if (path.includes("..")) return undefined;
  const body = await readFile(join(folder, path)).catch(() => undefined);
  return body && { body, type: TYPES[extname(path)] ?? "application/octet-stream" };
}

/** As svc's pages have them: only cross-origin isolated pages get a timer of 5 µs instead of 100. */
const ISOLATED = { "cross-origin-opener-policy": "same-origin", "cross-origin-embedder-policy": "require-corp" };

const html = (body: string): Answer => ({ body, type: "text/html; charset=utf-8", headers: ISOLATED });

function pageOf(path: string): PageName | undefined {
  return PAGES.find((name) => path === `/${name}`);
}

async function svcSite(): Promise<{ site: Site; dist: string; close(): Promise<void> }> {
  process.env["NODE_ENV"] = "production";
  process.env["SVC_STORE"] ??= "memory";
  const dist = await buildBenchApp();
  const { default: app } = (await import(pathToFileURL(join(dist, "server/app.js")).href)) as { default: App };
  await app.boot({ dist });
  const site: Site = async (path, origin) => {
    const response = await app.fetch(new Request(origin + path));
    if (response.status !== 200) return undefined;
    const headers = Object.fromEntries([...response.headers].filter(([name]) => !/^content-|^set-cookie/.test(name)));
    const csp = response.headers.get("content-security-policy");
    return {
      body: new Uint8Array(await response.arrayBuffer()),
      type: response.headers.get("content-type") ?? "",
      headers: csp === null ? headers : { ...headers, "content-security-policy": csp },
    };
  };
  return { site, dist, close: () => app.close() };
}

/** Result of a peer's server build: a part of a document, or a whole one. */
type Rendered = { html: string } | { head: string; body: string; data?: unknown };
type Server = Record<Source, (rows: number, manifest?: unknown) => Rendered | Promise<Rendered>>;

const serverConfig = (pluginList: Vite.PluginOption[]): Vite.InlineConfig => ({
  plugins: pluginList,
  ssr: { noExternal: true },
  build: { ssr: true },
});

async function importServer(path: string): Promise<Server> {
  return (await import(pathToFileURL(path).href)) as Server;
}

function render(server: Server, page: PageName, manifest?: unknown): Rendered | Promise<Rendered> {
  const { source, rows } = PAGE_SOURCES[page];
  return server[source](rows, manifest);
}

/** Solid and Svelte: a document around what they render, its data as JSON, a module script that hydrates. */
async function hydratedSite(name: "solid" | "svelte"): Promise<Site> {
  const ending = name === "solid" ? ".solid.jsx" : ".js";
  const folder = join(buildDir, "pages", name);
  const server = await importServer(
    await buildPeer(
      `pages/${name}/server${ending}`,
      join(folder, "server"),
      serverConfig(await plugins(true, { hydratable: true })),
    ),
  );
  const input = Object.fromEntries(
    SOURCES.map((page) => [page, join(peersDir, `pages/${name}/${page}-client${ending}`)]),
  );
  const output = { entryFileNames: "[name].js", chunkFileNames: "[name]-[hash].js" };
  const client = join(folder, "client");
  await buildPeer("", client, {
    plugins: await plugins(false, { hydratable: true }),
    build: { rolldownOptions: { input, output } },
  });
  const preloads = new Map(
    await Promise.all(SOURCES.map(async (page) => [page, await importsOf(join(client, `${page}.js`))] as const)),
  );
  return async (path) => {
    const page = pageOf(path);
    if (!page) return file(client, path);
    const { source } = PAGE_SOURCES[page];
    const rendered = await render(server, page);
    return html("html" in rendered ? rendered.html : shell(page, rendered, preloads.get(source) ?? []));
  };
}

/** Chunks that an entry imports, which Vite's pages preload. */
async function importsOf(entry: string): Promise<string[]> {
  const code = await readFile(entry, "utf8");
  return [...code.matchAll(/(?:from|import)\s*["']\.\/([^"']+)["']/g)].map(([, name]) => name ?? "");
}

function shell(
  page: PageName,
  { head, body, data }: { head: string; body: string; data?: unknown },
  chunks: string[],
): string {
  const preload = chunks.map((name) => `<link rel="modulepreload" href="/${name}">`).join("");
  const json =
    data === undefined
      ? ""
      : `<script type="application/json" id="data">${JSON.stringify(data).replaceAll("<", "\\u003c")}</script>`;
  const { source, title } = PAGE_SOURCES[page];
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${title}</title>${head}${preload}<script type="module" src="/${source}.js"></script></head><body><div id="root">${body}</div>${json}</body></html>`;
}

/** Marko's server build determines its browser build, and then gets the filenames of the latter. */
async function markoSite(): Promise<Site> {
  const folder = join(buildDir, "pages/marko");
  const marko = await load<{ default(options?: object): Vite.PluginOption[] }>("@marko/vite");
  const plugin = [marko.default()];
  const path = await buildPeer("pages/marko/server.js", join(folder, "server"), serverConfig(plugin));
  await buildPeer("", join(folder, "client"), { plugins: plugin, build: { rolldownOptions: { output: {} } } });
  const server = await importServer(path);
  return async (path) => {
    const page = pageOf(path);
    const rendered = page && (await render(server, page));
    return rendered && "html" in rendered ? html(rendered.html) : file(join(folder, "client"), path);
  };
}

/** Qwik, in a separate folder with its own Vite version. */
async function qwikSite(): Promise<Site> {
  await install(qwikDir);
  const folder = join(buildDir, "pages/qwik");
  const { build } = await load<typeof Vite>("vite", qwikDir);
  const { default: qwik } = await load<{ default: { qwikVite(options: object): Vite.PluginOption } }>(
    "@builder.io/qwik/optimizer",
    qwikDir,
  );
  const common = { root: qwikDir, configFile: false, mode: "production", logLevel: "error", publicDir: false } as const;
  const client = join(folder, "client");
  const input = join(qwikDir, "src/root.jsx");
  await build({
    ...common,
    plugins: [qwik.qwikVite({ client: { input, outDir: client }, devTools: { clickToSource: false } })],
    build: { outDir: client, emptyOutDir: true },
  });
  const manifest: unknown = JSON.parse(await readFile(join(client, "q-manifest.json"), "utf8"));
  const ssr = { input: join(qwikDir, "src/server.jsx"), outDir: join(folder, "server"), manifestInput: manifest };
  await build({
    ...common,
    plugins: [qwik.qwikVite({ ssr })],
    ssr: { noExternal: true },
    build: { ssr: true, outDir: ssr.outDir, emptyOutDir: true },
  });
  const server = await importServer(join(ssr.outDir, "server.js"));
  return async (path) => {
    const page = pageOf(path);
    const rendered = page && (await render(server, page, manifest));
    return rendered && "html" in rendered ? html(rendered.html) : file(client, path);
  };
}

export interface Sites {
  sites: Map<Contender, Site>;
  /** Folder of svc's build. */
  dist: string;
  close: () => Promise<void>;
}

export async function buildSites(names: readonly Contender[]): Promise<Sites> {
  const svc = await svcSite();
  const sites = new Map<Contender, Site>();
  for (const name of names) {
    if (name === "svc") sites.set(name, svc.site);
    else if (name === "svc-idle")
      sites.set(name, (path, origin) => svc.site(pageOf(path) ? `/idle${path}` : path, origin));
    else {
      await install();
      sites.set(
        name,
        await inFolder(peersDir, () =>
          name === "marko" ? markoSite() : name === "qwik" ? qwikSite() : hydratedSite(name),
        ),
      );
    }
  }
  return { sites, dist: svc.dist, close: () => svc.close() };
}
