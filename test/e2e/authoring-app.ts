/** The cases of test/fixtures/authoring, built as one app with a page for each case that the compiler accepts. */
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { SvcError } from "svckit";
import { buildApp, compile } from "svckit/compiler";
import { root } from "./demo-server.ts";
import { selectedNames } from "./selected-names.ts";

const fixtures = join(root, "test/fixtures/authoring");

/** Names of cases, which are the paths of their pages. `AUTHORING=row,tree` keeps those whose names contain "row" or "tree". */
export const caseNames: string[] = selectedNames(
  readdirSync(fixtures, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name),
  "AUTHORING",
);

/** Reasons by name: cases that should pass and don't yet. */
export const pending = JSON.parse(readFileSync(join(fixtures, "pending.json"), "utf8")) as Readonly<
  Record<string, string>
>;

export interface AuthoringApp {
  /** The folder of the app, with its `dist`. */
  readonly folder: string;
  /** Errors of the compiler, by case. These cases have no page. */
  readonly refusals: ReadonlyMap<string, SvcError>;
  remove(): void;
}

/**
 * Builds all cases together. Doubtful cases are built on their own before, because a build stops at its first error.
 * @throws the error of a build that names no case
 */
export async function buildCases(
  names: readonly string[],
  isDoubtful: (name: string) => boolean,
): Promise<AuthoringApp> {
  const folder = join(root, "out", `authoring-${process.pid}`);
  stage(folder, names);
  const refusals = new Map<string, SvcError>();
  for (const name of names) {
    const error = refusalOf(join(folder, name), name);
    if (error) refusals.set(name, error);
  }
  for (const part of [names.filter(isDoubtful), names]) {
    const accepted = () => part.filter((name) => !refusals.has(name));
    for (let error; (error = await buildOnce(folder, accepted()));) refusals.set(...error);
  }
  return { folder, refusals, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** @returns the case that the build refuses, and its error */
async function buildOnce(folder: string, names: readonly string[]): Promise<[string, SvcError] | undefined> {
  writeFileSync(join(folder, "app.tsx"), sourceOf(names));
  try {
    await buildApp({ root: folder });
    return undefined;
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    const name = names.find((candidate) => error.message.includes(`${candidate}/`));
    if (name === undefined) throw error;
    return [name, error];
  }
}

/** Copies the cases. A case's `packages` become its `node_modules`, which repositories don't contain. */
function stage(folder: string, names: readonly string[]): void {
  mkdirSync(join(folder, "node_modules"), { recursive: true });
  symlinkSync(root, join(folder, "node_modules/svckit"));
  writeFileSync(join(folder, "package.json"), `{ "type": "module" }`);
  for (const name of names) {
    cpSync(join(fixtures, name), join(folder, name), { recursive: true });
    rmSync(join(folder, name, "story.ts"));
    const packages = join(folder, name, "packages");
    if (existsSync(packages)) renameSync(packages, join(folder, name, "node_modules"));
  }
}

function sourceOf(names: readonly string[]): string {
  const imports = names.map((name, at) => `import { View as View${at} } from "./${name}/view.tsx";`);
  const pages = names.map((name, at) => `page("/${name}", { title: "Case", view: () => <View${at} /> }),`);
  return [
    `import { createApp, page } from "svckit";`,
    ...imports,
    `export default createApp({ pages: [\n${pages.join("\n")}\n] });\n`,
  ].join("\n");
}

/** The compiler's error for the first file of a case that it refuses on its own. */
function refusalOf(folder: string, name: string): SvcError | undefined {
  for (const file of readdirSync(folder).filter((candidate) => candidate.endsWith(".tsx"))) {
    try {
      compile(readFileSync(join(folder, file), "utf8"), `${name}/${file}`);
    } catch (error) {
      if (error instanceof SvcError) return error;
      throw error;
    }
  }
  return undefined;
}
