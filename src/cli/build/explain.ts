/**
 * `svc explain <file>`: shows which code of a TSX file runs on the server and in the browser, the data that a page sends, and bundle
 * sizes.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  explainFile,
  type ComponentReport,
  type Explanation,
  type TemplateReport,
} from "../../web/compiler/build/explain.ts";
import { ASSETS_DIR } from "../../platform/package/package-root.ts";
import { SvcError } from "../../platform/shared/errors.ts";
import type { Output } from "../output.ts";

export interface ExplainTask {
  /** Absolute path. */
  root: string;
  /** Absolute path. */
  file: string;
  json: boolean;
}

export async function explain({ root, file, json }: ExplainTask, output: Output): Promise<void> {
  if (!/\.[jt]sx$/.test(file))
    throw new SvcError(
      "SVC_CONFIG",
      `${file} is not a TSX file. Give the path of a TSX file: svc explain pages/home.tsx`,
    );
  if (!existsSync(file)) throw new SvcError("SVC_CONFIG", `${file} does not exist. Give the path of a TSX file`);
  const explanation = await explainFile(root, file);
  if (json) output.line(JSON.stringify(explanation, null, 2));
  else for (const line of linesOf(explanation, partSizes())) output.line(line);
}

/** Gzipped bytes by name of the runtime part. */
function partSizes(): ReadonlyMap<string, number> {
  const sizes = JSON.parse(readFileSync(join(ASSETS_DIR, "benchmark.json"), "utf8")) as Record<
    string,
    { gzip: number }
  >;
  return new Map(Object.entries(sizes).map(([name, { gzip }]) => [name.replace(/\.js$/, ""), gzip]));
}

/** The explanation as text. */
export function linesOf(
  { file, components, chunk, imports, copied }: Explanation,
  sizes: ReadonlyMap<string, number>,
): string[] {
  const cost = chunk ? `chunk of ${chunk.bytes} B, ${chunk.gzipBytes} B gzip` : "nothing for the browser";
  const taken = [
    ...imports.map(({ name, from }) => `${name} from ${from}`),
    ...copied.map((name) => `${name} of this file`),
  ];
  return [
    `${file}: ${cost}`,
    ...(taken.length === 0 ? [] : [`  includes     ${taken.join(", ")}`]),
    ...components.flatMap((component) => ["", ...componentLines(component, sizes)]),
  ];
}

function componentLines({ name, line, templates }: ComponentReport, sizes: ReadonlyMap<string, number>): string[] {
  if (templates.length === 0) return [`${name}, line ${line}: runs on the server only`];
  const head = `${name}, line ${line}: runs once on the server; in the browser only the parts below`;
  return [head, ...templates.flatMap((template) => templateLines(template, sizes))];
}

function templateLines(template: TemplateReport, sizes: ReadonlyMap<string, number>): string[] {
  const { element, line, handlers, bindings, captures, remade, parts } = template;
  const rows: [string, string[]][] = [
    ["handlers", handlers.map(({ event, line: at }) => `${event} (line ${at})`)],
    ["updates", bindings.map(({ what, line: at }) => `${what} (line ${at})`)],
    ["computes again", remade],
    ["parts", parts.map((part) => (sizes.has(part) ? `${part} (${sizes.get(part)} B gzip)` : part))],
  ];
  const width = Math.max(...captures.map(({ source }) => source.length));
  return [
    `  ${element}, line ${line}`,
    ...rows.flatMap(([label, items]) => (items.length === 0 ? [] : [`    ${label}: ${items.join(", ")}`])),
    ...(captures.length === 0 ? [] : ["    captures:"]),
    ...captures.map(
      ({ source, as, isBound }) => `      ${source.padEnd(width)}  ${as}${isBound ? "" : "; for handlers only"}`,
    ),
  ];
}
