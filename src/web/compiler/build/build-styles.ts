/**
 * Builds the stylesheets that the app imports, each as a file with a hash in its name. It is a build of its own, because the server and the
 * browser chunks contain different parts of the app and pages link the stylesheets themselves.
 */
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { build, type InlineConfig, type Rollup } from "vite";
import { invariant } from "../../../platform/shared/errors.ts";
import type { ImportedStyles } from "../../../platform/shared/manifest.ts";
import { ASSET_BUILD, ASSET_OUTPUT, ASSET_URLS, chunkNameOf, urlOf } from "../styles/asset-config.ts";
import { scopedNames } from "../styles/scoped-names.ts";
import type { StyleOrder } from "../styles/style-order.ts";
import { unwrapErrors } from "./build-errors.ts";

/** Prefix of the entries: one module for each stylesheet. */
const ENTRY = "\0svc-style-entry:";

/** @param target folder of the files that browsers load. @returns the same with URLs. */
export async function buildStyles(root: string, target: string, styles: StyleOrder): Promise<ImportedStyles> {
  const output = await unwrapErrors(() => build(styleConfig(root, styles.files)));
  const [result] = Array.isArray(output) ? output : "output" in output ? [output] : [];
  const written = result?.output ?? [];
  for (const file of written) if (file.type === "asset") await write(path.join(target, file.fileName), file.source);
  return { ...styles, files: styles.files.map((_file, at) => urlOf(cssOf(written, at))) };
}

function styleConfig(root: string, files: readonly string[]): InlineConfig {
  return {
    root,
    logLevel: "silent",
    publicDir: false,
    experimental: ASSET_URLS,
    plugins: [
      scopedNames(),
      {
        name: "svc-styles",
        resolveId: (id) => (id.startsWith(ENTRY) ? id : undefined),
        load(id) {
          if (!id.startsWith(ENTRY)) return undefined;
          // The export keeps the chunk, which knows its stylesheet, and class names that nothing uses here.
          return `import * as names from ${JSON.stringify(files[Number(id.slice(ENTRY.length))])}; export default names;`;
        },
      },
    ],
    build: {
      ...ASSET_BUILD,
      write: false,
      target: "es2022",
      modulePreload: false,
      reportCompressedSize: false,
      cssCodeSplit: true,
      rolldownOptions: {
        input: Object.fromEntries(files.map((file, at) => [chunkNameOf(file, at), ENTRY + at])),
        preserveEntrySignatures: "strict",
        output: { ...ASSET_OUTPUT, format: "es" },
      },
    },
  };
}

function cssOf(written: readonly (Rollup.OutputChunk | Rollup.OutputAsset)[], at: number): string {
  const chunk = written.find((file) => file.type === "chunk" && file.facadeModuleId === ENTRY + at);
  const [name] = chunk?.type === "chunk" ? (chunk.viteMetadata?.importedCss ?? []) : [];
  invariant(name !== undefined, "Vite writes a stylesheet for each module that imports only a stylesheet");
  return name;
}

async function write(file: string, content: string | Uint8Array): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, content);
}
