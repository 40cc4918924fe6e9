/** What an event attribute holds: a function the browser can have, and the flags that are decided at compile time. */
import type { Module } from "../analyze/analyze.ts";
import { isFunction, memberName, unwrap, walk, type FunctionNode, type Node } from "../parse/ast.ts";
import { diagnostic } from "../diagnostics.ts";
import { functionOf } from "../analyze/declaration-kinds.ts";
import type { Frame } from "../model.ts";

/**
 * Checks a handler expression.
 * @param frames functions whose parameters the browser makes: the `reset` of a fallback is one.
 * @throws SvcError SVC103 when it is no function or reference to one, SVC107 for a function prop.
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

/** Props that the browser may be given functions by. */
export function isFunctionProp(name: string): boolean {
  return /^on[A-Z]/.test(name);
}

function functionProp(module: Module, node: Node, name: string): Error {
  return diagnostic(
    module.file,
    "SVC107",
    node,
    `"${name}" is a function given as a prop, and only props named on… may be one in the browser, so that the functions of all others can stay on the server. Call it onSelect or the like, or import the function.`,
  );
}

function referenceOf(module: Module, node: Node) {
  return module.scopes.within(node).find((item) => item.node === node);
}

/** `!` where the handler always prevents the default, `.` where it always stops the event. */
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

/** The call stands at the top of the body, before anything that could leave it or wait. */
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

/** What a statement or an arrow's expression does, one after the other: `(event.preventDefault(), save())` are two. */
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
