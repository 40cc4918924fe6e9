/** Validates `bind:value={…}` and similar bindings: which fields can be bound to which targets. */
import type { ESTree } from "vite";
import { memberName, unwrap, type Expression, type FunctionNode, type Node } from "../parse/ast.ts";
import { fail, type Extraction, type Position } from "./extraction.ts";
import { decodeEntities } from "../parse/jsx-text.ts";
import type { FieldAttribute, FieldProperty } from "../model.ts";
import { isResultOfHook, type Module } from "../analyze/analyze.ts";
import { isRestOfProps } from "../analyze/prop-reads.ts";
import { listOfRow, mayListStores } from "../analyze/store-items.ts";
import type { Binding } from "../parse/scopes.ts";

const PREFIX = "bind:";

/** Elements that each property can be bound on. */
const TAGS: Readonly<Record<FieldProperty, readonly string[]>> = {
  value: ["input", "textarea", "select"],
  checked: ["input"],
  group: ["input"],
  files: ["input"],
};

/** `value` for `bind:value`; undefined for other attributes. */
export function boundProperty(jsxName: string): string | undefined {
  return jsxName.startsWith(PREFIX) ? jsxName.slice(PREFIX.length) : undefined;
}

/** Attributes that a bound property replaces. */
export function namesBehind(property: string): string[] {
  return property === "group" ? ["checked"] : [property];
}

/** Whether an element has a bound field, so that its `input` handler reads the field first. */
export function bindsField(node: ESTree.JSXElement): boolean {
  return node.openingElement.attributes.some(
    (item) =>
      item.type === "JSXAttribute" &&
      item.name.type === "JSXNamespacedName" &&
      `${item.name.namespace.name}:` === PREFIX,
  );
}

/** @throws SvcError SVC110 for an invalid binding. */
export function fieldAttribute(
  extraction: Extraction,
  node: ESTree.JSXElement,
  tag: string,
  { attribute, property, expression }: { attribute: Node; property: string; expression: Expression | undefined },
  position: Position,
): FieldAttribute {
  if (!isProperty(property) || !TAGS[property].includes(tag)) {
    const known = Object.entries(TAGS).map(([name, tags]) => `${PREFIX}${name} (${tags.join(", ")})`);
    throw fail(extraction, "SVC110", attribute, `<${tag}> has no ${PREFIX}${property}. There are ${known.join(", ")}.`);
  }
  const access = expression && accessOf(extraction, expression, position);
  if (!expression || access === undefined) {
    throw fail(
      extraction,
      "SVC110",
      expression ?? attribute,
      `${PREFIX}${property} needs an assignable target: a signal by its name (name, props.name), its value (form.name.value), or a field of a store (todo.text, props.todo.text).`,
    );
  }
  const own = ownValue(extraction, node);
  return { kind: "field", property, target: expression, access, own };
}

function isProperty(name: string): name is FieldProperty {
  return Object.hasOwn(TAGS, name);
}

function accessOf(
  extraction: Extraction,
  expression: Expression,
  position: Position,
): FieldAttribute["access"] | undefined {
  const target = unwrap(expression);
  const binding = rootOf(extraction.module, target);
  if (!binding) return undefined;
  const { module } = extraction;
  const kind = module.kind(binding);
  if (target.type === "Identifier") return kind === "signal" || kind === "value" ? ".value" : undefined;
  if (target.type !== "MemberExpression") return undefined;
  const isRowItem = position.scope?.frames.some((frame) => frame.fn === binding.owner) ?? false;
  if (isRowItem || kind === "store" || kind === "signal") return "";
  if (kind !== "props" && kind !== "value") return undefined;
  // `props.name` and `rest.name` are props, which are signals. Their members may be fields of stores.
  const isProp = unwrap(target.object).type === "Identifier" && (kind === "props" || isRestOfProps(module, binding));
  if (isProp) return ".value";
  if (memberName(target) === "value") return "";
  return mayContainState(module, binding) ? "" : undefined;
}

/** Whether a value may contain stores or signals: a prop, the result of a hook, the value of a context, or a part or item of these. */
function mayContainState(module: Module, binding: Binding): boolean {
  const { declared, owner, source } = binding;
  if (declared === "param") return owner !== null && (module.components.has(owner) || isItemOfState(module, owner));
  if (declared !== "const" || source.type !== "VariableDeclarator" || !source.init) return false;
  if (isResultOfHook(binding)) return true;
  const origin = rootOf(module, unwrap(source.init));
  return origin !== undefined && mayContainState(module, origin);
}

/** Whether a function is a row of a list that may contain stores or signals. */
function isItemOfState(module: Module, row: FunctionNode): boolean {
  const list = listOfRow(module, row);
  return list !== undefined && mayListStores(module, list);
}

/** The declaration of `a` in `a.b.c` and `a[0].b`. */
function rootOf(module: Module, target: Node): Binding | undefined {
  let root = target;
  while (root.type === "MemberExpression" && !root.optional) root = unwrap(root.object);
  return root.type === "Identifier" ? module.scopes.within(root)[0]?.binding : undefined;
}

/** Source of `value={…}` of the same element, else HTML's default. */
function ownValue({ module }: Extraction, { openingElement }: ESTree.JSXElement): string {
  for (const item of openingElement.attributes) {
    if (item.type !== "JSXAttribute" || item.name.name !== "value") continue;
    if (item.value?.type === "Literal") return JSON.stringify(decodeEntities(String(item.value.value)));
    if (item.value?.type !== "JSXExpressionContainer") continue;
    return module.file.text.slice(item.value.expression.start, item.value.expression.end);
  }
  return '"on"';
}
