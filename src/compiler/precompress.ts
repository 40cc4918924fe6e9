/** Brotli and gzip twins beside built files, so that no request waits for compression. */
import { readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

const brotliAsync = promisify(brotliCompress);
const gzipAsync = promisify(gzip);

/** Types that compress; images and fonts are compressed already. */
const COMPRESSIBLE = /\.(?:js|mjs|css|html|svg|json|txt|xml|map|webmanifest|ico|wasm)$/;

/** Below this a compressed answer saves no packet. */
const MIN_BYTES = 200;

/** All files below `folder`, relative to it; none when it doesn't exist. */
async function listFiles(folder: string): Promise<string[]> {
  try {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
      .sort();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

/** Writes `x.br` and `x.gz` beside every compressible file below `folder`. */
export async function precompress(folder: string): Promise<void> {
  for (const name of await listFiles(folder)) {
    if (!COMPRESSIBLE.test(name)) continue;
    const file = path.join(folder, name);
    const bytes = await readFile(file);
    if (bytes.length < MIN_BYTES) continue;
    const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
    await writeFile(`${file}.br`, await brotliAsync(bytes, { params }));
    await writeFile(`${file}.gz`, await gzipAsync(bytes, { level: 9 }));
  }
}
