/** Apps in folders with unusual names: their modules, stylesheets and assets, in a build and under svc dev. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { PATHS } from "../../../platform/shared/wire.ts";
import { createDevHost, type DevHost } from "../dev/dev-host.ts";
import { withTempApp } from "../temp-app.testkit.ts";
import { buildApp } from "./build.ts";

const DOT = "dot ü.png";
const FILES: Readonly<Record<string, string>> = {
  "package.json": '{"type":"module"}',
  "app.tsx": `import dot from "./${DOT}"; import { Page } from "./page.tsx"; import "./page.css"; export default { dot, Page, word: "before" };`,
  "page.tsx": `import { signal } from "svckit"; import dot from "./${DOT}";
    export const Page = () => { const n = signal(""); return <p onClick={() => (n.value = dot)}>{n.value}</p>; };`,
  "page.css": `p { background: url("./${DOT}"); }`,
  [DOT]: "an image",
};

interface Loaded {
  dot: string;
  word: string;
}

async function writeApp(root: string): Promise<void> {
  for (const [file, text] of Object.entries(FILES)) {
    await mkdir(path.dirname(path.join(root, file)), { recursive: true });
    await writeFile(path.join(root, file), text);
  }
}

async function checkBuild(root: string, read: (file: string) => Promise<string>): Promise<void> {
  const { manifest } = await buildApp({ root });
  const { default: built } = (await import(pathToFileURL(path.join(root, "dist/server/app.js")).href)) as {
    default: Loaded;
  };
  assert.match(built.dot, /^\/_svc\/asset\/.*-[0-9a-f]{8}\.png$/);
  const inClient = (url: string): string => `dist/client${decodeURI(url.slice("/_svc".length))}`;
  assert.equal(await read(inClient(built.dot)), "an image");
  assert.ok((await read(`dist/client/handler/${manifest.chunks["page.tsx"]}.js`)).includes(built.dot));
  const [style = ""] = manifest.styles?.files ?? [];
  assert.ok((await read(inClient(style))).includes(path.posix.basename(built.dot)));
}

/** Fetches files as pages do. */
async function served(host: DevHost, urls: readonly string[]): Promise<string[]> {
  const server = createServer((message, reply) =>
    host.serveFile((message.url ?? "").slice(PATHS.devFiles.length), message, reply),
  );
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return await Promise.all(urls.map(async (url) => (await fetch(origin + url)).text()));
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

async function checkDevelopment(root: string, write: (file: string, text: string) => Promise<void>): Promise<void> {
  const host = await createDevHost({ root });
  try {
    const load = async (): Promise<Loaded> => (await host.loadApp()).default as Loaded;
    const { dot } = await load();
    assert.match((await host.chunk(host.manifest().chunks["page.tsx"] ?? "")) ?? "", /dot/);
    const [image, style = ""] = await served(host, [dot, host.manifest().styles?.files[0] ?? ""]);
    assert.equal(image, "an image");
    assert.match(style, /background: url\("\/_svc\/dev\/files\/dot/);
    const noticed = new Promise((resolve) => host.onChange(resolve));
    await write("app.tsx", (FILES["app.tsx"] ?? "").replace("before", "after"));
    await noticed;
    assert.equal((await load()).word, "after");
  } finally {
    await host.close();
  }
}

const LONG = Array.from({ length: 12 }, (_, at) => `a folder that makes the path of the app long ${at}`).join("/");
const NAMES: Readonly<Record<string, string>> = {
  "with spaces, quotes, percent signs, brackets and other letters than English ones":
    "it's 50% & 100%25 [a] (b) {c} $HOME ünï 日本 cafe\u0301",
  "with a very long path": LONG,
  "in folders named dist and .svc": "dist/.svc/app",
};

describe("an app in a folder", () => {
  for (const [title, name] of Object.entries(NAMES))
    it(`${title} is built, and follows edits under svc dev`, async () => {
      await withTempApp({}, async (app) => {
        const root = path.join(app.root, name);
        await writeApp(root);
        await checkBuild(root, (file) => app.read(path.join(name, file)));
        await checkDevelopment(root, (file, text) => app.write(path.join(name, file), text));
      });
    });

  it("that is a symbolic link is built, and follows edits under svc dev", async () => {
    await withTempApp({}, async (app) => {
      const root = path.join(app.root, "link");
      await writeApp(path.join(app.root, "real"));
      await symlink(path.join(app.root, "real"), root, "dir");
      await checkBuild(root, (file) => app.read(path.join("real", file)));
      await checkDevelopment(root, (file, text) => app.write(path.join("real", file), text));
    });
  });

  it("with a number sign gets an error that names it, if Vite looks for its files elsewhere", async () => {
    await withTempApp({}, async (app) => {
      const root = path.join(app.root, "a#b");
      await writeApp(root);
      await assert.rejects(buildApp({ root }), {
        code: "SVC_DEFINITION",
        message: /path of the app, .*a#b, contains "#", which Vite takes for a part of a URL\. Move the app/,
      });
    });
  });
});
