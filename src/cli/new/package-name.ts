/**
 * Package names that an app may have: the rules of npm for new packages.
 * @see https://docs.npmjs.com/cli/configuring-npm/package-json#name
 */
import { builtinModules } from "node:module";
import { PACKAGE_NAME } from "../../platform/package/manifest.ts";

const MAX_LETTERS = 214;
/** Characters that are safe in a URL, with no dot or underscore first. */
const PART = /^[a-z0-9~-][a-z0-9._~-]*$/;
/** An app can't have the name of a package that it depends on. */
const TAKEN = ["node_modules", "favicon.ico", PACKAGE_NAME];

/** @returns the problem as the end of a sentence; undefined for a valid name. */
export function packageNameProblem(name: string): string | undefined {
  if (name === "") return "is empty";
  if (name.length > MAX_LETTERS) return `has more than ${MAX_LETTERS} letters`;
  const parts = name.startsWith("@") ? name.slice(1).split("/") : [name];
  if (parts.length > 2 || (name.startsWith("@") && parts.length < 2) || !parts.every((part) => PART.test(part)))
    return "may only have lowercase letters, digits, -, ~, . and _, and must not begin with . or _";
  if (TAKEN.includes(name) || builtinModules.includes(name)) return "is taken";
  return undefined;
}

/** @returns the closest valid name; undefined if no character of the name is usable. */
export function suggestedName(name: string): string | undefined {
  const cleaned = name
    .normalize("NFKD")
    .toLowerCase()
    .replace(/\p{M}/gu, "")
    .replace(/[^a-z0-9._~-]+/g, "-")
    .replace(/^[-._]+|[-._]+$/g, "")
    .slice(0, MAX_LETTERS);
  const tried = [cleaned, `${cleaned}-app`];
  return cleaned === "" ? undefined : tried.find((each) => packageNameProblem(each) === undefined);
}
