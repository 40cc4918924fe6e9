/**
 * Hooks that a component calls in what it returns: `return <p>{useContext(Theme).name.value}</p>`. The result gets a name, which the browser can
 * follow: `const context = useContext(Theme); return <p>{context.name.value}</p>`.
 */
import type { ESTree } from "vite";
import { parentsOf } from "../analyze/analyze.ts";
import { findComponents } from "../analyze/components.ts";
import { isHookName, svcName } from "../analyze/declaration-kinds.ts";
import type { Edit } from "../edits.ts";
import { isComponentTag, isFunction, isJsx, tagName, walk, type FunctionNode, type Node } from "../parse/ast.ts";
import type { Scopes } from "../parse/scopes.ts";
import type { SourceFile } from "../diagnostics.ts";
import { unusedName } from "./unused-names.ts";

/** Whether a module may have such calls. */
export const MAY_CALL_HOOK = /\buse[A-Z]\w*\s*(?:<[^()]*>)?\(/;

/** @returns the change that names the results in the first such component; undefined if there is none */
export function inlineHookEdits({ text }: SourceFile, program: ESTree.Program, scopes: Scopes): Edit[] | undefined {
  const parents = parentsOf(program);
  for (const component of findComponents(program, scopes)) {
    for (const result of resultsOf(component)) {
      const calls = hookCalls(result, component, parents, scopes);
      if (calls.length === 0) continue;
      const names = namesFor(calls, text);
      const constants = calls.map(({ start, end }, at) => [`const ${names[at]} = `, { start, end }, "; "] as const);
      const statement = parents.get(result);
      const isBody = component.body === result;
      const at = isBody ? result.start : (statement ?? result).start;
      return [
        { start: at, end: at, insert: isBody ? "{ " : "" },
        ...constants.flatMap(([open, call, close]) => [
          { start: at, end: at, insert: open },
          { start: at, end: at, insert: text.slice(call.start, call.end), from: call.start },
          { start: at, end: at, insert: close },
        ]),
        { start: at, end: at, insert: isBody ? "return (" : "" },
        ...calls.map(({ start, end }, index) => ({ start, end, insert: names[index] ?? "" })),
        { start: result.end, end: result.end, insert: isBody ? "); }" : "" },
      ];
    }
  }
  return undefined;
}

/** What the statements of a component's body return. Returns in conditions are left: the names would be in their blocks. */
function resultsOf({ body }: FunctionNode): Node[] {
  if (body === null) return [];
  if (body.type !== "BlockStatement") return [body];
  return body.body.flatMap((statement) =>
    statement.type === "ReturnStatement" && statement.argument ? [statement.argument] : [],
  );
}

/** The calls in a result that run with the component itself: not in functions of it, and in no content that another component renders. */
function hookCalls(
  result: Node,
  component: FunctionNode,
  parents: ReadonlyMap<Node, Node>,
  scopes: Scopes,
): ESTree.CallExpression[] {
  const found: ESTree.CallExpression[] = [];
  walk(result, (node) => {
    if (isFunction(node)) return false;
    if (node.type !== "CallExpression" || node.callee.type !== "Identifier") return undefined;
    const own = svcName(node.callee, scopes);
    if (!isHookName(own ?? node.callee.name) || (own !== undefined && own !== "useContext")) return undefined;
    const mayNotRun = own === undefined && isConditional(node, result, parents);
    if (!mayNotRun && !isGiven(node, component, parents, scopes)) found.push(node);
    return false;
  });
  return found;
}

/** Whether a condition decides if a node runs. The hook may throw where it doesn't. */
function isConditional(node: Node, result: Node, parents: ReadonlyMap<Node, Node>): boolean {
  for (let at = node; at !== result;) {
    const parent = parents.get(at);
    if (!parent) return false;
    if (parent.type === "ConditionalExpression" && parent.test !== at) return true;
    if (parent.type === "LogicalExpression" && parent.left !== at) return true;
    at = parent;
  }
  return false;
}

/** Whether a node is in the content of a component, which may provide a context there. */
function isGiven(node: Node, component: FunctionNode, parents: ReadonlyMap<Node, Node>, scopes: Scopes): boolean {
  let isInJsx = false;
  for (let at = parents.get(node); at && at !== component; at = parents.get(at)) {
    const attribute = parents.get(at);
    if (at.type === "JSXAttribute" && !isInJsx && attribute?.type === "JSXOpeningElement") {
      // The component that writes an attribute evaluates it.
      at = parents.get(attribute) ?? attribute;
      continue;
    }
    isInJsx ||= isJsx(at);
    if (at.type !== "JSXElement") continue;
    const { name } = at.openingElement;
    if (isComponentTag(tagName(name)) && svcName(name, scopes) === undefined) return true;
  }
  return false;
}

/** Names that the text of the module does not contain. */
function namesFor(calls: readonly ESTree.CallExpression[], text: string): string[] {
  return calls.map(({ callee }, at) => {
    const stem = callee.type === "Identifier" ? callee.name.replace(/^use/, "used") : "used";
    return unusedName(`${stem}${at}`, text);
  });
}
