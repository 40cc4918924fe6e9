/**
 * The recorded output of a fixture (`expected.md` beside its `input.tsx`): both modules, the page, its sizes, and the document changes
 * of each step. Hashes, tokens and nonces are omitted, so that unrelated changes do not affect a record.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { compile } from "svckit/compiler";
import { transformWithOxc } from "vite";
import { fixtureApp, type Played } from "./fixture-story.ts";

export const recordFile = (name: string): string => join(fixtureApp, name, "expected.md");

export async function snapshot(name: string, page: string, played: Played[]): Promise<string> {
  const source = readFileSync(join(fixtureApp, name, "input.tsx"), "utf8");
  const { server, client, live } = compile(source, `${name}/input.tsx`);
  const html = bodyOf(page);
  const state = /<script type="application\/json"[^>]*>(.*?)<\/script>/.exec(page)?.[1];
  return [
    `# ${name.replaceAll("-", " ")}`,
    sizesLine(html, state, chunkOf(page)),
    block("Server", "js", await plain(server.code)),
    client ? block("Browser", "js", await plain(client.code)) : "## Browser\n\nNothing.",
    // Most components could have live props. The code for them is on record where a fixture passes some.
    ...(live?.passed.some(({ from }) => from === "") ? [block("Live props", "js", await plain(live.output.code))] : []),
    block("Page", "html", html + (state === undefined ? "" : `\n\n${stateLines(state)}`)),
    played.length === 0 ? "" : block("Changes", "text", played.map(storyOf).join("\n")),
  ]
    .filter((part) => part !== "")
    .join("\n\n")
    .concat("\n");
}

const block = (title: string, language: string, text: string): string =>
  `## ${title}\n\n\`\`\`${language}\n${text.trim()}\n\`\`\``;

/** JavaScript without types. States and steps belong to the test, not to the fixture. */
async function plain(code: string): Promise<string> {
  const options = { lang: "ts", target: "es2022", tsconfig: false } as const;
  const { code: text } = await transformWithOxc(code, "input.ts", options);
  return (text.split(/^export const (?:start|steps)\b/m)[0] ?? "").replace(/^\/\/#.*$/gm, "");
}

function bodyOf(page: string): string {
  const body = /<body[^>]*>(.*)<\/body>/s.exec(page)?.[1] ?? "";
  return withoutHashes(body.replace(/<script type="application\/json".*$/s, "")).replaceAll(/ nonce="[^"]*"/g, "");
}

const withoutHashes = (text: string): string => text.replaceAll(/\b(input|shared)-[0-9a-f]{8}\b/g, "$1");

interface State {
  s: Record<string, unknown>;
  v: unknown[];
  n: Record<string, unknown>;
}

/** Scopes, values and needs, one per line. */
function stateLines(text: string): string {
  const { s, v, n } = JSON.parse(withoutHashes(text)) as State;
  const lines = [
    ...Object.entries(s).map(([id, scope]) => `s ${id} ${JSON.stringify(scope)}`),
    ...v.map((value, index) => `v ${index} ${JSON.stringify(value)}`),
    ...Object.entries(n).map(([id, names]) => `n ${id} ${JSON.stringify(names)}`),
  ];
  return `<!-- state\n${lines.join("\n")}\n-->`;
}

/** The text of the chunk that the first scope of the page names, as it is served. */
function chunkOf(page: string): string | undefined {
  const name = / s="\d+ (input-[0-9a-f]{8})\b/.exec(page)?.[1];
  const folder = join(fixtureApp, "dist/client/handler");
  const file = readdirSync(folder).find((candidate) => candidate === `${name}.js`);
  return file && withoutHashes(readFileSync(join(folder, file), "utf8"));
}

function sizesLine(html: string, state: string | undefined, chunk: string | undefined): string {
  const size = (label: string, text: string): string =>
    `${label} ${Buffer.byteLength(text)} B (${gzipSync(text, { level: 9 }).length} B gzip)`;
  const parts = [size("HTML", html)];
  if (state !== undefined) parts.push(`state ${Buffer.byteLength(stateLines(state))} B`);
  parts.push(chunk === undefined ? "no script" : size("chunk", chunk));
  return `${parts.join(", ")}.`;
}

function storyOf({ title, changes }: Played): string {
  return [
    title,
    ...changes.map((line) => `  ${withoutHashes(line)}`),
    ...(changes.length === 0 ? ["  nothing"] : []),
  ].join("\n");
}
