/**
 * docs/bytes.md is correct: its pages match the pages that the app serves, and its tables list every byte that the author did not write.
 * UPDATE_BYTES=1 rewrites pages and figures. People name the pieces.
 */
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import type { App } from "svckit";
import { buildApp } from "svckit/compiler";
import { createTestClient } from "svckit/testing";
import { root } from "./demo-server.ts";
import { readGuidePage } from "./guide-page.ts";

const paper = join(root, "docs/bytes.md");
/** Inside the repository, so that "svckit" resolves to this package. */
const folder = join(root, "out", `bytes-${process.pid}`);
const isUpdate = process.env["UPDATE_BYTES"] === "1";

/** A section of the document: the page as served, the meaning of each piece, and the rest of the page without the pieces. */
const SECTION = /^## [^\n]*: (\/\S*)\n([^]*?)(?=^## )/gm;
const HTML = /(?<=^```html\n)[^]*?(?=^```$)/gm;
const ROW = /^\| `([^`]+)` \| ([\d,]+) \| .* \|$/gm;

const served = new Map<string, string>();
let app: App;

before(async () => {
  Object.assign(process.env, {
    NODE_ENV: "production",
    SVC_DATABASE_URL: "memory:",
    SVC_DATA_DIR: join(folder, "data"),
    SVC_SECRET: "s".repeat(32),
  });
  mkdirSync(folder, { recursive: true });
  for (const [file, text] of readGuidePage(paper).files) writeFileSync(join(folder, file), text);
  const { outDir } = await buildApp({ root: folder });
  ({ default: app } = (await import(pathToFileURL(join(outDir, "server/app.js")).href)) as { default: App });
  await app.boot({ dist: outDir });
  const client = createTestClient(app);
  for (const path of app.pagePaths) served.set(path, steady(await (await client.get(path)).text()));
  if (isUpdate) writeFileSync(paper, updated(readFileSync(paper, "utf8")));
});

after(async () => {
  await app?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The page with a letter in place of each character that differs between requests or builds. */
function steady(html: string): string {
  const letters = (letter: string) => (_all: string, before: string, value: string) =>
    before + letter.repeat(value.length);
  return html
    .replaceAll(/(nonce=")([^"]+)/g, letters("N"))
    .replaceAll(/("csrf_token":")([^"]+)/g, letters("T"))
    .replaceAll(/(data-build="|"build":")([0-9a-f]{8})/g, letters("B"))
    .replaceAll(/((?:guests|clock|late)-)([0-9a-f]{8})/g, letters("H"));
}

const spread = (html: string): string => `${html.replaceAll("><", ">\n<")}\n`;

/** Removes every occurrence of each piece from a page. @returns the bytes by piece, and the rest */
function takeOut(html: string, pieces: readonly string[]): { bytes: number[]; left: string } {
  let left = html;
  const bytes = pieces.map((piece) => {
    const pattern = piece.split("…").map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`));
    const before = Buffer.byteLength(left);
    left = left.replaceAll(new RegExp(pattern.join("[^]*?"), "g"), "");
    return before - Buffer.byteLength(left);
  });
  return { bytes, left };
}

const piecesOf = (section: string): string[] => [...section.matchAll(ROW)].map(([, piece = ""]) => piece);
const figure = (bytes: number): string => bytes.toLocaleString("en");

function updated(text: string): string {
  return text.replaceAll(SECTION, (section: string, path: string) => {
    const html = served.get(path) ?? "";
    const { bytes, left } = takeOut(html, piecesOf(section));
    const pages = [html, left];
    return section
      .replaceAll(ROW, (row: string, _piece: string, reported: string) =>
        row.replace(`| ${reported} |`, `| ${figure(bytes.shift() ?? 0)} |`),
      )
      .replaceAll(HTML, () => spread(pages.shift() ?? ""));
  });
}

/** The document's content for one path, after an update. */
function reported(path: string): {
  page: string;
  left: string;
  rows: { piece: string; bytes: string; line: string }[];
} {
  const sections = [...readFileSync(paper, "utf8").matchAll(SECTION)];
  const section = sections.find((match) => match[1] === path)?.[0] ?? "";
  const [page = "", left = ""] = section.match(HTML) ?? [];
  const rows = [...section.matchAll(ROW)].map(([line, piece = "", bytes = ""]) => ({ piece, bytes, line }));
  return { page, left, rows };
}

describe("every byte of a page", () => {
  for (const path of ["/", "/late"]) {
    it(`is in docs/bytes.md as served on ${path}`, () => {
      assert.equal(reported(path).page, spread(served.get(path) ?? ""));
    });

    it(`is counted on ${path}`, () => {
      const { rows } = reported(path);
      const { bytes } = takeOut(
        served.get(path) ?? "",
        rows.map(({ piece }) => piece),
      );
      assert.deepEqual(
        rows.map(({ piece, bytes: figures }) => `${piece} ${figures}`),
        rows.map(({ piece }, at) => `${piece} ${figure(bytes[at] ?? 0)}`),
      );
      assert.ok(!bytes.includes(0), "each piece is in the page");
    });

    it(`is the author's or explained, on ${path}`, () => {
      const { rows, left } = reported(path);
      const pieces = rows.map(({ piece }) => piece);
      assert.equal(left, spread(takeOut(served.get(path) ?? "", pieces).left));
      // The rest has no more marks, attributes or scripts than the author wrote.
      assert.doesNotMatch(left, /script|template|svc|nonce|<!--| on:| (?:s|b|m|pt|eb)=/);
      for (const { line } of rows) assert.match(line, /`src\/[^`]+\.ts`/, "a file writes it");
    });
  }
});
