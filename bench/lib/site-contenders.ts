/** The contenders of bench:site: how each builds and serves the three pages. */
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { extname, join, normalize } from "node:path";
import { promisify } from "node:util";
import { buildApp } from "svckit/compiler";
import { Server, type Command } from "./http-servers.ts";
import { install, versionOf } from "./peers.ts";
import { buildDir, peersDir, root, siteAppDir } from "./places.ts";
import { progress } from "./report.ts";
import type { Served } from "./svc-app.ts";

export const SITE_NAMES = ["svc", "svc-enhanced", "sveltekit", "qwik-city", "astro", "next"] as const;
export type SiteName = (typeof SITE_NAMES)[number];

const folderOf = (name: SiteName): string => join(peersDir, name);

export const TITLES: Record<SiteName, () => string> = {
  svc: () => "**svc**",
  "svc-enhanced": () => '**svc**, `navigation: "enhanced"`',
  sveltekit: () => `SvelteKit ${versionOf("@sveltejs/kit", folderOf("sveltekit"))}`,
  "qwik-city": () => `Qwik City ${versionOf("@builder.io/qwik-city", folderOf("qwik-city"))}`,
  astro: () => `Astro ${versionOf("astro", folderOf("astro"))}, \`<ClientRouter>\``,
  next: () => `Next ${versionOf("next", folderOf("next"))}`,
};

/** Paths of the pages: some apps have more pages than these. */
export const BASES: Record<SiteName, string> = {
  svc: "/",
  "svc-enhanced": "/",
  sveltekit: "/site",
  "qwik-city": "/",
  astro: "/",
  next: "/site",
};

const svcRoot = join(buildDir, `site-svc-${process.pid}`);

/** Build commands of the other frameworks, in order. */
const BUILDS: Partial<Record<SiteName, readonly (readonly string[])[]>> = {
  sveltekit: [["vite", "build"]],
  next: [["next", "build"]],
  astro: [["astro", "build"]],
  "qwik-city": [
    ["vite", "build"],
    ["vite", "build", "-c", "adapters/static/vite.config.mjs"],
  ],
};

async function build(name: SiteName): Promise<void> {
  const cwd = folderOf(name);
  await install(cwd);
  progress(`building ${name}`);
  const env = { ...process.env, NODE_ENV: "production", NEXT_TELEMETRY_DISABLED: "1", ASTRO_TELEMETRY_DISABLED: "1" };
  for (const [command = "", ...args] of BUILDS[name] ?? []) {
    await promisify(execFile)(join(cwd, "node_modules/.bin", command), args, { cwd, env });
  }
}

const TYPES: Record<string, string> = {
  ".js": "text/javascript",
  ".json": "application/json",
  ".css": "text/css",
  ".html": "text/html; charset=utf-8",
};

/** Serves built files: files with a hash in their name are immutable, pages are revalidated. */
async function serveFolder(folder: string): Promise<Served> {
  const server = createServer((request, reply) => {
    const path = normalize(new URL(request.url ?? "/", "http://x").pathname);
    const file = extname(path) === "" ? join(path, "index.html") : path;
    readFile(join(folder, file)).then(
      (body) => {
        const isHashed = /^\/(?:build|assets|_astro)\//.test(path);
        const keep = isHashed ? "public, max-age=31536000, immutable" : "no-cache";
        reply.writeHead(200, { "content-type": TYPES[extname(file)] ?? "text/plain", "cache-control": keep }).end(body);
      },
      () => reply.writeHead(404).end(),
    );
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

async function serveBy(command: Command): Promise<Served> {
  const server = await Server.start(command);
  return { url: `http://127.0.0.1:${server.port}`, close: async () => server.stop() };
}

/** Builds a contender for production and serves it. */
export async function serveSiteOf(name: SiteName): Promise<Served> {
  if (name === "svc" || name === "svc-enhanced") return serveSvc(name);
  await build(name);
  const cwd = folderOf(name);
  if (name === "sveltekit") return serveBy({ args: [join(cwd, "build/index.js")] });
  if (name === "next")
    return serveBy({ args: [join(cwd, "node_modules/next/dist/bin/next"), "start"], cwd, env: NO_TELEMETRY });
  return serveFolder(join(cwd, "dist"));
}

const NO_TELEMETRY = { NEXT_TELEMETRY_DISABLED: "1" };

async function serveSvc(name: "svc" | "svc-enhanced"): Promise<Served> {
  const folder = `${svcRoot}-${name}`;
  await buildApp({ root: siteAppDir, outDir: join(folder, "dist") });
  const data = mkdtempSync(join(tmpdir(), "svc-bench-"));
  const served = await serveBy({
    args: [join(root, "bin/svc.js"), "start", "--root", folder],
    env: {
      SVC_SECRET: "s".repeat(64),
      SVC_DATA_DIR: data,
      SVC_SITE_URL: "https://example.com",
      BENCH_NAVIGATION: name === "svc" ? "links" : "enhanced",
    },
  });
  const close = async (): Promise<void> => {
    await served.close();
    for (const each of [folder, data]) rmSync(each, { recursive: true, force: true });
  };
  return { url: served.url, close };
}
