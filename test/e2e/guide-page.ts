/** A page of docs/guide for tests: files of an app, code that the compiler refuses, and claims about both. */
import { readFileSync } from "node:fs";
import { basename } from "node:path";

export interface GuidePage {
  name: string;
  /** Content by file name: blocks such as ```tsx app.tsx. */
  files: Map<string, string>;
  /** Blocks such as ```tsx refused SVC101, which the compiler must refuse with that code. */
  refused: { code: string; text: string }[];
  /** Blocks of plain text: the output of a command. */
  printed: string[];
  /** The first lines of all other blocks. No test checks their content. */
  unchecked: string[];
  /** The claims in comments below the code (guide-claims.ts). */
  claims: string[];
}

const BLOCK = /^```([jt]sx?|css|svg|html|txt|text)(?!\w)([^\n]*)\n([^]*?)^```$/gm;
const COMMENT = /^<!--([^]*?)-->$/gm;

export function readGuidePage(path: string): GuidePage {
  const text = readFileSync(path, "utf8");
  const name = basename(path, ".md");
  const page: GuidePage = { name, files: new Map(), refused: [], printed: [], unchecked: [], claims: [] };
  for (const [, language, info = "", code = ""] of text.matchAll(BLOCK)) {
    const [first = "", second, ...more] = info.trim().split(/\s+/);
    if (language === "text") page.printed.push(code);
    else if (first === "refused" && second && more.length === 0) page.refused.push({ code: second, text: code });
    else if (first.endsWith(`.${language}`) && second === undefined) page.files.set(first, code);
    else page.unchecked.push(`${language}${info}`);
  }
  const lines = [...text.matchAll(COMMENT)].flatMap(([, comment = ""]) => comment.split("\n"));
  page.claims = lines.map((line) => line.trim()).filter((line) => line !== "");
  return page;
}
