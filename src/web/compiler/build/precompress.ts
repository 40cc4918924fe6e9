/** Writes Brotli and gzip versions beside built files, so no request waits for compression. */
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { listFiles } from "../../../platform/security/list-files.ts";

const brotliAsync = promisify(brotliCompress);
const gzipAsync = promisify(gzip);

/** Types that are worth compressing. Images and fonts are compressed already. */
const COMPRESSIBLE = /\.(?:js|mjs|css|html|svg|json|txt|xml|map|webmanifest|ico|wasm)$/;

/** Below this size a compressed response saves no packet. */
const MIN_BYTES = 200;

/** Writes `x.br` and `x.gz` beside every compressible file below `folder`, if the folder exists. */
export async function precompress(folder: string): Promise<void> {
  if (!existsSync(folder)) return;
  for (const { path: file, isLink } of listFiles(folder)) {
    // A link may lead out of the build, so nothing is written beside its target.
    if (isLink || !COMPRESSIBLE.test(file)) continue;
    const bytes = await readFile(file);
    if (bytes.length < MIN_BYTES) continue;
    const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
    await writeFile(`${file}.br`, await brotliAsync(bytes, { params }));
    await writeFile(`${file}.gz`, await gzipAsync(bytes, { level: 9 }));
  }
}
