/**
 * Counts habits of language that make a reader stop, in comments, strings and documents. Part of `npm run lint`, which fails above LIMIT
 * places per 1,000 lines.
 *
 *   node out/scripts/language.js [--show habit] [path…]     lists the places of a habit, or those in some paths
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

/** Allowed places per 1,000 lines. Comparable projects have 0 to 1.5. */
export const LIMIT = 1;

/** What to write instead is in CONTRIBUTING.md, "Language". */
const HABITS: Readonly<Record<string, RegExp>> = {
  "tell or told, where code returns, reports or logs": /\b(?:tells?|told|telling)\b/i,
  "a clause with what, who or whoever as its subject":
    /(?:^|[.:;,(]\s+|^\s*(?:\/\*\*?|\*|\/\/|-|#+)\s*)(?:what|who|whoever|whichever)\s+(?:is|was|are|were|has|had|have|does|did|can|may|it|they|he|this|that|a|an|the|[a-z]+s)\b/i,
  "a comment that begins with Of, That or So": /^\s*(?:\/\*\*?|\*|\/\/)\s+(?:Of|That|So that|So)\s/,
  "mend, where somebody fixes": /\bmend(?:s|ed|ing)?\b/i,
  "go on, where something continues or resumes": /\bgo(?:es|ing)? on\b|\bwent on\b/i,
  "under way, where something runs": /\bunder way\b|under-way|underWay|UnderWay/,
  whoever: /\bwhoever\b/i,
  "come to, where something becomes or results": /\b(?:comes|came) to\b/i,
  "stand, where something is": /\bstands? (?:in|at|above|below|here|there|beside|where|for)\b/i,
};

export interface TextFile {
  /** From the root of the repository. */
  path: string;
  text: string;
}

export interface Place {
  habit: string;
  /** `src/app/app.ts:12` */
  at: string;
  line: string;
}

/** Lines that hold prose: all of a document; of code, comments and strings. */
function isProse(path: string, line: string): boolean {
  return path.endsWith(".md") || /^\s*(?:\/\*\*?|\*|\/\/)/.test(line) || /["'`]/.test(line);
}

/** @returns every place of every habit; a line counts once for each habit */
export function placesIn(files: readonly TextFile[]): Place[] {
  return files.flatMap(({ path, text }) =>
    text.split("\n").flatMap((line, index) =>
      isProse(path, line)
        ? Object.entries(HABITS)
            .filter(([, pattern]) => pattern.test(line))
            .map(([habit]) => ({ habit, at: `${path}:${index + 1}`, line: line.trim() }))
        : [],
    ),
  );
}

/** Places per 1,000 lines. */
export function rateOf(files: readonly TextFile[]): number {
  const lines = files.reduce((sum, { text }) => sum + text.split("\n").length, 0);
  return (1000 * placesIn(files).length) / Math.max(1, lines);
}

/** Generated files, records of what was, and this file, which has to name the habits. */
const LEFT_OUT = /fixtures\/compiler|CHANGELOG|package-lock|bench\/peers|scripts\/language\.ts|test\/guards\/language/;

function trackedFiles(root: string): TextFile[] {
  const list = execFileSync("git", ["ls-files"], { cwd: root, encoding: "utf8", maxBuffer: 2 ** 26 });
  return list
    .split("\n")
    .filter((path) => /\.(?:ts|tsx|md)$/.test(path) && !LEFT_OUT.test(path))
    .map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }));
}

function main(): void {
  const root = resolve(fileURLToPath(import.meta.url), "../../..");
  const { values, positionals } = parseArgs({ options: { show: { type: "string" } }, allowPositionals: true });
  const files = trackedFiles(root).filter(
    ({ path }) => positionals.length === 0 || positionals.some((given) => path.startsWith(given)),
  );
  const places = placesIn(files);
  const { show } = values;
  if (show !== undefined || positionals.length > 0)
    for (const { at, line, habit } of places.filter((place) => place.habit.includes(show ?? "")))
      console.log(`${at}  ${line.slice(0, 140)}  (${habit})`);
  else
    for (const habit of Object.keys(HABITS))
      console.log(`${String(places.filter((place) => place.habit === habit).length).padStart(6)}  ${habit}`);
  const rate = rateOf(files);
  console.log(`${places.length} places, ${rate.toFixed(1)} per 1,000 lines; at most ${LIMIT} are allowed`);
  if (positionals.length === 0 && rate > LIMIT) process.exitCode = 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main();
