/** Stylesheets of the tools that apps use with Vite, built and under svc dev. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdir, symlink } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { describe, it } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { PATHS } from "../../../platform/shared/wire.ts";
import { buildApp } from "../build/build.ts";
import { createDevHost, type DevHost } from "../dev/dev-host.ts";
import { withTempApp, type TempApp } from "../temp-app.testkit.ts";

const INSTALLED = fileURLToPath(new URL("../../../../node_modules", import.meta.url));

const PAGE = `import { signal } from "svckit";
  export const Page = () => { const n = signal(""); return <p class="mt-[7px]" onClick={() => (n.value = "pt-[5px]")}>{n.value}</p>; };`;

const TOOLS = {
  "vite.config.js": 'import tailwind from "@tailwindcss/vite"; export default { plugins: [tailwind()] };',
  "postcss.config.js": `export default { plugins: [{ postcssPlugin: "names", Declaration(item) { if (item.value === "NAMED") item.value = "rgb(1 2 3)"; } }] };`,
  "app.tsx": `import "./tail.css"; import "./brand.scss"; import names from "./box.module.scss"; import "./post.css"; import "a-package/theme.css";
    import { Page } from "./page.tsx"; export default { names, Page };`,
  "page.tsx": PAGE,
  "tail.css": '@import "tailwindcss";',
  "brand.scss": '@use "parts"; .brand { &:hover { color: parts.$brand; } }',
  "_parts.scss": "$brand: rgb(9, 8, 7);",
  "box.module.scss": ".box { .inner & { color: rgb(4, 5, 6); } }",
  "post.css": ".post { color: NAMED; }",
  "node_modules/a-package/package.json":
    '{"name":"a-package","version":"1.0.0","exports":{"./theme.css":"./theme.css"}}',
  "node_modules/a-package/theme.css": ".of-package { color: rgb(7, 8, 9); }",
};

const LIGHTNING = {
  "vite.config.js":
    'export default { css: { transformer: "lightningcss", lightningcss: { targets: { chrome: 90 << 16 } } } };',
  "app.tsx":
    'import { signal } from "svckit"; import "./nested.css"; import names from "./box.module.css"; export default { names, signal, Page: () => <p class={names.box} /> };',
  "nested.css": ".outer { & .inner { color: rgb(1, 1, 1); } }",
  "box.module.css": ".box { color: rgb(2, 2, 2); }",
};

interface Loaded {
  names: Record<string, string>;
}

/** Links installed packages into an app, as npm would put them there. */
async function install({ root }: TempApp, packages: readonly string[]): Promise<void> {
  for (const name of packages) {
    await mkdir(path.dirname(path.join(root, "node_modules", name)), { recursive: true });
    await symlink(path.join(INSTALLED, name), path.join(root, "node_modules", name), "dir");
  }
}

/** The class names of the app, and the text of all stylesheets that its pages link, from a build. */
async function built(app: TempApp): Promise<Loaded & { css: string }> {
  const { manifest } = await buildApp({ root: app.root });
  const entry = pathToFileURL(path.join(app.root, "dist/server/app.js")).href;
  const { default: loaded } = (await import(entry)) as { default: Loaded };
  const files = (manifest.styles?.files ?? []).map((url) => app.read(`dist/client${url.slice("/_svc".length)}`));
  return { names: loaded.names, css: (await Promise.all(files)).join("\n") };
}

/** The same under svc dev. @param use gets a function that fetches all stylesheets */
async function developed(
  app: TempApp,
  use: (host: DevHost, names: Loaded["names"], css: () => Promise<string>) => Promise<void>,
): Promise<void> {
  const host = await createDevHost({ root: app.root });
  const server = createServer((message, reply) =>
    host.serveFile((message.url ?? "").slice(PATHS.devFiles.length), message, reply),
  );
  try {
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { default: loaded } = (await host.loadApp()) as unknown as { default: Loaded };
    const files = host.manifest().styles?.files ?? [];
    await use(host, loaded.names, async () =>
      (await Promise.all(files.map(async (url) => (await fetch(origin + url)).text()))).join("\n"),
    );
  } finally {
    server.close();
    server.closeAllConnections();
    await host.close();
  }
}

/** @param names the class names that the server has */
function requireAll(css: string, names: Loaded["names"]): void {
  const plain = css.replaceAll(/\s+/g, "");
  const color = (hex: string, ...numbers: number[]): RegExp => new RegExp(`#${hex}|rgb\\(${numbers.join("[, ]?")}\\)`);
  for (const [selector, expected] of [
    [".mt-\\[7px\\]", /margin-top:7px/],
    [".pt-\\[5px\\]", /padding-top:5px/],
    [".brand:hover", color("090807", 9, 8, 7)],
    [`.${names["inner"]}.${names["box"]}`, color("040506", 4, 5, 6)],
    [".post", color("010203", 1, 2, 3)],
    [".of-package", color("070809", 7, 8, 9)],
  ] as const) {
    const [, rule = ""] = plain.split(`${selector}{`);
    assert.match(rule.split("}")[0] ?? "", expected, selector);
  }
}

describe("Tailwind, Sass, PostCSS and stylesheets of packages", () => {
  it("are built, minified and under the same class names as on the server", async () => {
    await withTempApp(TOOLS, async (app) => {
      await install(app, ["tailwindcss", "@tailwindcss/vite", "sass"]);
      const { names, css } = await built(app);
      requireAll(css, names);
      assert.doesNotMatch(css, /\n\s+color/, "minified");
    });
  });

  it("are served under svc dev, where a class that a page begins to use gets its rule", async () => {
    await withTempApp(TOOLS, async (app) => {
      await install(app, ["tailwindcss", "@tailwindcss/vite", "sass"]);
      await developed(app, async (host, names, css) => {
        requireAll(await css(), names);
        const noticed = new Promise<readonly string[]>((resolve) =>
          host.onChange(({ file, styles }) => (file.endsWith("page.tsx") ? resolve(styles) : undefined)),
        );
        await app.write("page.tsx", PAGE.replace("mt-[7px]", "mt-[9px]"));
        assert.deepEqual(await noticed, [`${PATHS.devFiles}/tail.css`]);
        assert.match(await css(), /margin-top: 9px/);
        const part = new Promise<readonly string[]>((resolve) =>
          host.onChange(({ file, styles }) => (file.endsWith("_parts.scss") ? resolve(styles) : undefined)),
        );
        await app.write("_parts.scss", "$brand: rgb(10, 11, 12);");
        assert.deepEqual(await part, [`${PATHS.devFiles}/brand.scss`]);
        assert.match(await css(), /rgb\(10, 11, 12\)/);
      });
    });
  });
});

describe("Lightning CSS", () => {
  const requireLowered = (css: string, names: Loaded["names"]): void => {
    assert.match(css, /\.outer \.inner\s*\{/);
    assert.ok(css.includes(`.${names["box"]}`), `${names["box"]} in ${css}`);
  };

  it("builds nested rules and CSS modules for older browsers", async () => {
    await withTempApp(LIGHTNING, async (app) => {
      await install(app, ["lightningcss"]);
      const { names, css } = await built(app);
      requireLowered(css, names);
    });
  });

  it("does so under svc dev", async () => {
    await withTempApp(LIGHTNING, async (app) => {
      await install(app, ["lightningcss"]);
      await developed(app, async (_host, names, css) => requireLowered(await css(), names));
    });
  });
});
