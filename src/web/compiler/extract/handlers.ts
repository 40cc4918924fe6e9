/** Validates the functions of event attributes, and finds the flags that are known at compile time. */
import type { Module } from "../analyze/analyze.ts";
import { isFunction, memberName, unwrap, walk, type FunctionNode, type Node } from "../parse/ast.ts";
import { diagnostic } from "../diagnostics.ts";
import { functionOf } from "../analyze/declaration-kinds.ts";
import type { Frame } from "../model.ts";

/**
 * Checks a handler expression.
 * @param frames functions whose parameters the browser provides, such as `reset` of a fallback.
 * @throws SvcError SVC103 if it is neither a function nor a reference to one, SVC107 for a function prop.
 */
export function checkHandler(module: Module, attribute: string, expression: Node, frames: readonly Frame[]): void {
  const handler = unwrap(expression);
  if (isFunction(handler)) return;
  if (handler.type === "Identifier") {
    const binding = referenceOf(module, handler)?.binding;
    if (!binding || ["function", "import", "let"].includes(module.kind(binding))) return;
    if (module.kind(binding) === "value" && binding.owner === null) return;
    if (frames.some(({ fn, isFallback }) => isFallback && fn === binding.owner)) return;
    if (binding.declared === "param" && isFunctionProp(binding.name)) return;
    if (binding.declared === "param") throw functionProp(module, handler, handler.name);
  }
  if (handler.type === "MemberExpression" && handler.object.type === "Identifier") {
    const binding = referenceOf(module, handler.object)?.binding;
    if (binding && module.kind(binding) === "import") return;
    if (binding && module.kind(binding) === "props") {
      if (isFunctionProp(memberName(handler) ?? "")) return;
      throw functionProp(module, handler, `${binding.name}.${memberName(handler) ?? "…"}`);
    }
  }
  throw diagnostic(
    module.file,
    "SVC103",
    expression,
    `${attribute} needs a function or the name of one, so that the compiler can send it to the browser. Write ${attribute}={(event, element) => …} or name a function declared in this component or imported.`,
  );
}

/** Names of props whose functions may be sent to the browser. */
export function isFunctionProp(name: string): boolean {
  return /^on[A-Z]/.test(name);
}

function functionProp(module: Module, node: Node, name: string): Error {
  return diagnostic(
    module.file,
    "SVC107",
    node,
    `"${name}" is a function given as a prop, but only props named on… may be functions in the browser; all others stay on the server. Rename it to onSelect, for example, or import the function.`,
  );
}

function referenceOf(module: Module, node: Node) {
  return module.scopes.within(node).find((item) => item.node === node);
}

/** `!` if the handler always prevents the default, `.` if it always stops propagation. */
export function handlerFlags(module: Module, expression: Node): string {
  const handler = unwrap(expression);
  const fn = isFunction(handler) ? handler : declaredFunction(module, handler);
  if (!fn) return "";
  return (alwaysCalls(fn, "preventDefault") ? "!" : "") + (alwaysCalls(fn, "stopPropagation") ? "." : "");
}

function declaredFunction(module: Module, node: Node): FunctionNode | undefined {
  const binding = node.type === "Identifier" ? referenceOf(module, node)?.binding : undefined;
  return binding && functionOf(binding);
}

/** Whether the call is at the top of the body, before any statement that could return or wait. */
function alwaysCalls(fn: FunctionNode, method: string): boolean {
  const event = fn.params[0];
  if (event?.type !== "Identifier" || fn.body === null) return false;
  const steps = fn.body.type === "BlockStatement" ? fn.body.body.flatMap(stepsOf) : stepsOf(fn.body);
  for (const step of steps) {
    if (isCallOf(step, event.name, method)) return true;
    if (mayLeave(step)) return false;
  }
  return false;
}

/** The expressions of a statement or arrow body: `(event.preventDefault(), save())` contains two. */
function stepsOf(node: Node): Node[] {
  const inner = node.type === "ExpressionStatement" ? unwrap(node.expression) : unwrap(node);
  if (inner.type === "SequenceExpression") return inner.expressions.flatMap(stepsOf);
  return inner.type === "UnaryExpression" && inner.operator === "void" ? stepsOf(inner.argument) : [inner];
}

function isCallOf(node: Node, object: string, method: string): boolean {
  const call = unwrap(node);
  if (call.type !== "CallExpression" || call.callee.type !== "MemberExpression") return false;
  const { callee } = call;
  return callee.object.type === "Identifier" && callee.object.name === object && memberName(callee) === method;
}

function mayLeave(statement: Node): boolean {
  let leaves = false;
  walk(statement, (node) => {
    if (isFunction(node)) return false;
    leaves ||= ["ReturnStatement", "ThrowStatement", "AwaitExpression", "YieldExpression"].includes(node.type);
    return !leaves;
  });
  return leaves;
}
