/**
 * Defaults of props that are JSX: `({ icon = <Star /> }) => … {icon}`. The default moves to the uses of the prop, so that the browser creates it
 * like other JSX in a condition: `{icon === undefined ? <Star /> : icon}`.
 */
import type { ESTree } from "vite";
import { parentsOf } from "../analyze/analyze.ts";
import { findComponents } from "../analyze/components.ts";
import { diagnostic, type SourceFile } from "../diagnostics.ts";
import type { Edit } from "../edits.ts";
import { holdsJsx, isFunction, unwrap, walk, type FunctionNode, type Node } from "../parse/ast.ts";
import type { Scopes } from "../parse/scopes.ts";

/** Whether a module may have such defaults. */
export function mayHaveDefaultView(program: ESTree.Program): boolean {
  let isFound = false;
  walk(program, (node) => {
    isFound ||= node.type === "AssignmentPattern" && holdsJsx(node.right);
    return !isFound;
  });
  return isFound;
}

/**
 * @returns the change that moves the first such default to the uses of its prop; undefined if there is none
 * @throws SvcError SVC120 for a default that is a function with JSX
 */
export function defaultViewEdits(file: SourceFile, program: ESTree.Program, scopes: Scopes): Edit[] | undefined {
  const components = findComponents(program, scopes);
  const parents = parentsOf(program);
  for (const binding of scopes.bindings) {
    const pattern = parents.get(binding.node);
    if (pattern?.type !== "AssignmentPattern" || pattern.left !== binding.node || !holdsJsx(pattern.right)) continue;
    if (!isOfProps(pattern, parents, components)) continue;
    if (isFunction(unwrap(pattern.right))) throw refuseFunction(file, binding.name, pattern.right);
    const { text } = file;
    const removed = text.slice(pattern.left.end, pattern.end).replaceAll(/[^\n]/g, "");
    const code = `(${binding.name} === undefined ? ${text.slice(pattern.right.start, pattern.right.end)} : ${binding.name})`;
    const uses = scopes.references.filter((one) => one.binding === binding && one.node !== binding.node);
    return [
      { start: pattern.left.end, end: pattern.end, insert: removed },
      ...uses.map(({ node, parent }) => {
        const isShorthand = parent.type === "Property" && parent.shorthand;
        return { start: node.start, end: node.end, insert: isShorthand ? `${binding.name}: ${code}` : code };
      }),
    ];
  }
  return undefined;
}

/** Whether a pattern takes apart the props of a component: its parameter, or a constant of it. */
function isOfProps(pattern: Node, parents: ReadonlyMap<Node, Node>, components: ReadonlySet<FunctionNode>): boolean {
  const property = parents.get(pattern);
  const object = property && parents.get(property);
  const around = object && parents.get(object);
  if (object?.type !== "ObjectPattern" || !around) return false;
  if (isFunction(around)) return components.has(around) && around.params[0] === object;
  if (around.type !== "VariableDeclarator" || around.init?.type !== "Identifier") return false;
  for (let at = parents.get(around); at; at = parents.get(at))
    if (isFunction(at)) {
      const [param] = at.params;
      return components.has(at) && param?.type === "Identifier" && param.name === around.init.name;
    }
  return false;
}

function refuseFunction(file: SourceFile, name: string, place: Node): Error {
  return diagnostic(
    file,
    "SVC120",
    place,
    `The default of the prop "${name}" is a function with JSX, which the browser can't create. Write the JSX where it is shown: {props.${name} ? props.${name}(…) : <b>…</b>}.`,
  );
}
