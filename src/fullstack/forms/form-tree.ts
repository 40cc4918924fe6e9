/**
 * Converts the flat fields of a form into the object that a schema validates: `address.city`, `items[0].name`, `tags` or `tags[]` several
 * times. HTML can't express the type of a field (number, boolean, list), so the submit declares it. Pure.
 */
import { SvcError, type Json } from "../../index.ts";

/** Type that the text of a field is converted to. */
export type FieldKind = "number" | "boolean" | "strings" | "numbers";

/** Deepest nesting, the same as for JSON from clients. */
const MAX_DEPTH = 32;
/** Longest list. More items are a mistake or an attack on memory. */
const MAX_ITEMS = 1000;

/** Names that reach prototypes. */
const FORBIDDEN = new Set(["__proto__", "constructor", "prototype"]);

type Step = string | number;
type Tree = { [name: string]: Tree | Json } | (Tree | Json)[];

/** `items[0].name` -> `["items", 0, "name"]`; `tags[]` -> `["tags"]`. @throws SvcError `SVC_INVALID` for an invalid name */
export function stepsOf(name: string): { steps: Step[]; isList: boolean } {
  const isList = name.endsWith("[]");
  const path = isList ? name.slice(0, -2) : name;
  const steps: Step[] = [];
  const pattern = /(?:^|\.)([^.[\]]+)|\[(\d{1,4})\]/y;
  while (pattern.lastIndex < path.length) {
    const match = pattern.exec(path);
    if (!match) throw refused(name, "is not the name of a field; write a, a.b, a[0].b or a[]");
    const [, member, item] = match;
    if (member !== undefined && FORBIDDEN.has(member)) throw refused(name, "is not allowed as the name of a field");
    steps.push(member ?? Number(item));
  }
  if (steps.length === 0 || typeof steps[0] === "number") throw refused(name, "is not the name of a field");
  if (steps.length > MAX_DEPTH) throw refused(name, `is nested over ${MAX_DEPTH} levels deep`);
  return { steps, isList };
}

/**
 * @param fields in the order of the request
 * @param kinds by name, with `[]` for each item of a list: `items[].count`
 * @throws SvcError `SVC_INVALID` that names a field with no valid place
 */
export function treeOf(
  fields: readonly (readonly [name: string, value: string])[],
  kinds: Readonly<Record<string, FieldKind>> = {},
): { [name: string]: Json } {
  const root = emptyObject();
  const lists = new Map<string, string[]>();
  for (const [name, value] of fields) {
    const { steps, isList } = stepsOf(name);
    const kind = kinds[kindName(steps)];
    const isMany = isList || kind === "strings" || kind === "numbers";
    const key = JSON.stringify(steps);
    if (isMany) lists.set(key, [...(lists.get(key) ?? []), value]);
    const made = isMany ? listOf(lists.get(key) ?? [], kind, name) : valueOf(value, kind);
    if (made !== undefined) place(root, steps, made, name);
  }
  requireWhole(root, "");
  addAbsent(root, kinds);
  return root as { [name: string]: Json };
}

/** Key of a field in `kinds`: `["items", 0, "count"]` -> `items[].count`. */
function kindName(steps: readonly Step[]): string {
  return steps.map((step, at) => (typeof step === "number" ? "[]" : `${at > 0 ? "." : ""}${step}`)).join("");
}

function listOf(texts: readonly string[], kind: FieldKind | undefined, name: string): Json {
  if (texts.length > MAX_ITEMS) throw refused(name, `occurs more than ${MAX_ITEMS} times`);
  return kind === "numbers" ? texts.map(numberOf) : [...texts];
}

/** Converts a text to its kind. A text that can't be converted stays text, so that the schema reports the error in its own words. */
function valueOf(text: string, kind: FieldKind | undefined): Json | undefined {
  if (kind === "boolean") return !/^(?:|false|0|off|no)$/i.test(text);
  if (kind !== "number") return text;
  // An empty field counts as not filled in.
  return text.trim() === "" ? undefined : numberOf(text);
}

/** HTML standard, "valid floating-point number". */
function numberOf(text: string): Json {
  const trimmed = text.trim();
  return /^-?(?:\d+(?:\.\d+)?|\.\d+)(?:e[+-]?\d+)?$/i.test(trimmed) ? Number(trimmed) : text;
}

function place(root: Tree, steps: readonly Step[], value: Json, name: string): void {
  let at = root;
  steps.forEach((step, depth) => {
    if (Array.isArray(at) !== (typeof step === "number"))
      throw refused(name, "is a list in one place and not in another");
    if (typeof step === "number" && step >= MAX_ITEMS)
      throw refused(name, `is beyond the ${MAX_ITEMS} items of a list`);
    const holder = at as Record<Step, Tree | Json>;
    const known = Object.hasOwn(holder, step) ? holder[step] : undefined;
    if (depth === steps.length - 1) {
      const isInner = typeof known === "object" && known !== null && !Array.isArray(value);
      if (isInner) throw refused(name, "is a value in one place and holds fields in another");
      holder[step] = value;
      return;
    }
    if (known === undefined) at = holder[step] = typeof steps[depth + 1] === "number" ? [] : emptyObject();
    else if (typeof known === "object" && known !== null) at = known;
    else throw refused(name, "is a value in one place and holds fields in another");
  });
}

/** Rejects a list with holes: an error could not name the item it is about. */
function requireWhole(tree: Tree, path: string): void {
  for (const [key, value] of Object.entries(tree)) {
    const name = Array.isArray(tree) ? `${path}[${key}]` : `${path === "" ? "" : `${path}.`}${key}`;
    if (typeof value === "object" && value !== null) requireWhole(value as Tree, name);
  }
  if (!Array.isArray(tree)) return;
  const missing = Array.from(tree, (_, at) => at).find((at) => !(at in tree));
  if (missing !== undefined) throw refused(`${path}[${missing}]`, "is missing, but later items exist");
}

/** Adds the values that browsers do not send: unchecked boxes and empty lists. */
function addAbsent(root: Tree, kinds: Readonly<Record<string, FieldKind>>): void {
  for (const [name, kind] of Object.entries(kinds)) {
    if (kind === "number") continue;
    addTo(root, name.split(/\.|(?=\[\])/), kind === "boolean" ? false : []);
  }
}

function addTo(tree: Tree, [step = "", ...rest]: readonly string[], absent: Json): void {
  if (step === "[]") {
    if (Array.isArray(tree))
      for (const item of tree) if (typeof item === "object" && item !== null) addTo(item as Tree, rest, absent);
    return;
  }
  if (Array.isArray(tree)) return;
  const known = Object.hasOwn(tree, step) ? tree[step] : undefined;
  if (rest.length === 0) {
    if (known === undefined) tree[step] = Array.isArray(absent) ? [...absent] : absent;
  } else if (typeof known === "object" && known !== null) addTo(known as Tree, rest, absent);
  // A group of boxes, none of them checked.
  else if (known === undefined && rest[0] !== "[]") addTo((tree[step] = emptyObject()), rest, absent);
}

function emptyObject(): { [name: string]: Tree | Json } {
  return {};
}

function refused(name: string, problem: string): SvcError {
  return new SvcError("SVC_INVALID", `The field "${name.slice(0, 100)}" ${problem}`);
}
