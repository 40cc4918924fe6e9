/**
 * Children in a spread: `<button {...rest} />` shows the children of its component, as in React and Solid. The compiler reads it as
 * `<button {...rest}>{rest.children}</button>`.
 */
import type { ESTree } from "vite";
import { VOID_TAGS } from "../../../platform/shared/html/html.ts";
import { changed, type SourceFile } from "../diagnostics.ts";
import type { Edit } from "../edits.ts";
import { isComponentTag, isFunction, tagName, walk, type FunctionNode, type Node } from "./ast.ts";
import { parse } from "./parse.ts";

/** Elements whose content is text or code, and no children. */
const WITHOUT_CHILDREN: ReadonlySet<string> = new Set([...VOID_TAGS, "textarea", "script", "style", "iframe"]);

export interface Parsed {
  file: SourceFile;
  program: ESTree.Program;
}

/** Parses a file, and writes the children of spreads into its elements. Lines stay the same. @throws SvcError SVC_INVALID for invalid TSX */
export function parseWithSpreadChildren(file: SourceFile): Parsed {
  const program = parse(file);
  const edits = file.text.includes("{...") ? childrenEdits(program) : [];
  if (edits.length === 0) return { file, program };
  const completed = changed(file, edits);
  return { file: completed, program: parse(completed) };
}

function childrenEdits(program: ESTree.Program): Edit[] {
  return componentsOf(program).flatMap((component) => {
    const names = propsNames(component);
    return names.size === 0 ? [] : elementsOf(component).flatMap((element) => editOf(element, names));
  });
}

/** Capitalised functions, also in the first call of `const Row = memo((props) => …)`, and the default export. */
function componentsOf(program: ESTree.Program): FunctionNode[] {
  const found: FunctionNode[] = [];
  const add = (name: string | undefined, node: Node | null | undefined): void => {
    if (name !== undefined && /^[A-Z]/.test(name) && node && isFunction(node)) found.push(node);
  };
  walk(program, (node) => {
    if (node.type === "FunctionDeclaration" || node.type === "FunctionExpression") add(node.id?.name, node);
    if (node.type === "VariableDeclarator" && node.id.type === "Identifier")
      add(node.id.name, node.init?.type === "CallExpression" ? node.init.arguments[0] : node.init);
    if (node.type === "ExportDefaultDeclaration" && isFunction(node.declaration) && !node.declaration.id)
      add("Default", node.declaration);
  });
  return found;
}

/** Names of the objects that contain a component's children: its props, and the rest of them if nothing takes the children before. */
function propsNames(component: FunctionNode): Set<string> {
  const [param] = component.params;
  const names = new Set<string>();
  if (param?.type === "Identifier") names.add(param.name);
  if (param?.type === "ObjectPattern") addRest(param, names);
  walk(component, (node) => {
    if (node.type !== "VariableDeclarator" || node.id.type !== "ObjectPattern") return;
    if (node.init?.type === "Identifier" && names.has(node.init.name)) addRest(node.id, names);
  });
  return names;
}

function addRest({ properties }: ESTree.ObjectPattern, names: Set<string>): void {
  const last = properties.at(-1);
  const hasChildren = properties.some(
    (property) =>
      property.type === "Property" && property.key.type === "Identifier" && property.key.name === "children",
  );
  if (last?.type === "RestElement" && last.argument.type === "Identifier" && !hasChildren)
    names.add(last.argument.name);
}

function elementsOf(component: FunctionNode): ESTree.JSXElement[] {
  const found: ESTree.JSXElement[] = [];
  walk(component, (node) => {
    if (node.type === "JSXElement") found.push(node);
  });
  return found;
}

/** How an element without content gets the children in its last spread of such an object. */
function editOf({ openingElement, closingElement, children }: ESTree.JSXElement, names: ReadonlySet<string>): Edit[] {
  const { name, attributes, end } = openingElement;
  const tag = tagName(name);
  if (children.length > 0 || isComponentTag(tag) || WITHOUT_CHILDREN.has(tag) || attributes.some(isContent)) return [];
  const spreads = attributes.flatMap((attribute) =>
    attribute.type === "JSXSpreadAttribute" && attribute.argument.type === "Identifier"
      ? [attribute.argument.name]
      : [],
  );
  const source = spreads.findLast((spread) => names.has(spread));
  if (source === undefined) return [];
  const content = `{${source}.children}`;
  return closingElement
    ? [{ start: end, end, insert: content }]
    : [{ start: end - "/>".length, end, insert: `>${content}</${tag}>` }];
}

/** Whether an attribute is what an element shows. */
function isContent(attribute: ESTree.JSXAttributeItem): boolean {
  return attribute.type === "JSXAttribute" && /^(?:children|dangerouslySetInnerHTML)$/.test(tagName(attribute.name));
}
