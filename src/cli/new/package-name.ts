/**
 * Which names an app may have: those that npm lets a new package have. Owns the rules, not where a name comes from.
 * @see https://docs.npmjs.com/cli/configuring-npm/package-json#name
 */
import { builtinModules } from "node:module";
import { PACKAGE_NAME } from "../../platform/package/manifest.ts";

const MAX_LETTERS = 214;
/** Letters that are the same in an address; no dot and no underscore at the beginning. */
const PART = /^[a-z0-9~-][a-z0-9._~-]*$/;
/** The package that an app depends on can't be itself. */
const TAKEN = ["node_modules", "favicon.ico", PACKAGE_NAME];

/** What is wrong with it, as the rest of a sentence; undefined for a name that may be. */
export function packageNameProblem(name: string): string | undefined {
  if (name === "") return "is empty";
  if (name.length > MAX_LETTERS) return `has more than ${MAX_LETTERS} letters`;
  const parts = name.startsWith("@") ? name.slice(1).split("/") : [name];
  if (parts.length > 2 || (name.startsWith("@") && parts.length < 2) || !parts.every((part) => PART.test(part)))
    return "has something other than small letters, digits, -, ~, and . or _ not at its beginning";
  if (TAKEN.includes(name) || builtinModules.includes(name)) return "is taken";
  return undefined;
}

/** The nearest name that may be; undefined where nothing of it is left. */
export function suggestedName(name: string): string | undefined {
  const mended = name
    .normalize("NFKD")
    .toLowerCase()
    .replace(/\p{M}/gu, "")
    .replace(/[^a-z0-9._~-]+/g, "-")
    .replace(/^[-._]+|[-._]+$/g, "")
    .slice(0, MAX_LETTERS);
  const tried = [mended, `${mended}-app`];
  return mended === "" ? undefined : tried.find((each) => packageNameProblem(each) === undefined);
}
