/**
 * Finds the condition behind the returns of a component: `if (!props.user) return <Guest />; return <p>…</p>` shows one of two contents. The
 * server takes one of the returns. The browser may have to show another one when a prop changes.
 */
import { pickOf } from "../extract/regions.ts";
import { isFunction, walk, type FunctionNode, type Node } from "../parse/ast.ts";
import type { Pick } from "../model.ts";

/** What a component returns, as a condition. */
export interface Returns {
  pick: Pick;
  /** What the branches show. */
  contents: Node[];
  /** Expressions that decide. */
  tests: Node[];
  /** The first statement that may return. */
  first: Node;
}

/**
 * @param start position in the source: returns before it are left out.
 * @returns undefined for a component with one return, and for returns in loops, `try` and other statements
 */
export function returnsOfChoice(fn: FunctionNode, start = 0): Returns | undefined {
  if (fn.body?.type !== "BlockStatement") return undefined;
  const found: Omit<Returns, "pick"> = { contents: [], tests: [], first: fn.body };
  const statements = fn.body.body.filter((statement) => statement.start >= start);
  const pick = pickIn(statements, found);
  return pick === undefined || found.tests.length === 0 ? undefined : { ...found, pick };
}

/** @returns undefined if the statements may return in another way */
function pickIn(statements: readonly Node[], found: Omit<Returns, "pick">): Pick | undefined {
  for (const [at, statement] of statements.entries()) {
    if (statement.type === "ReturnStatement")
      return statement.argument === null ? -1 : pickOf(statement.argument, found.contents);
    if (!mayReturn(statement)) continue;
    if (found.tests.length === 0) found.first = statement;
    const rest = statements.slice(at + 1);
    if (statement.type === "BlockStatement") return pickIn([...statement.body, ...rest], found);
    if (statement.type === "SwitchStatement") return pickOfCases(statement.discriminant, statement.cases, rest, found);
    if (statement.type !== "IfStatement" || !alwaysReturns(statement.consequent)) return undefined;
    found.tests.push(statement.test);
    const whenTrue = pickIn([statement.consequent], found);
    const otherwise = pickIn(statement.alternate ? [statement.alternate, ...rest] : rest, found);
    return whenTrue === undefined || otherwise === undefined
      ? undefined
      : { test: statement.test, whenTrue, otherwise };
  }
  return -1;
}

/** A `switch` in which each case returns. Cases without statements share those of the next one. */
function pickOfCases(
  test: Node,
  cases: readonly { test: Node | null; consequent: Node[] }[],
  rest: readonly Node[],
  found: Omit<Returns, "pick">,
): Pick | undefined {
  found.tests.push(test);
  const [first, ...others] = cases;
  if (!first) return pickIn(rest, found);
  const body = cases.find(({ consequent }) => consequent.length > 0)?.consequent ?? [];
  if (!body.some(alwaysReturns) || (first.test === null && others.length > 0)) return undefined;
  const whenTrue = pickIn(body, found);
  if (first.test === null) return whenTrue;
  const otherwise = pickOfCases(test, others, rest, found);
  if (whenTrue === undefined || otherwise === undefined) return undefined;
  return { test, equals: first.test, whenTrue, otherwise };
}

export function alwaysReturns(statement: Node): boolean {
  if (statement.type === "ReturnStatement") return true;
  if (statement.type === "BlockStatement") return statement.body.some(alwaysReturns);
  return (
    statement.type === "IfStatement" &&
    statement.alternate !== null &&
    alwaysReturns(statement.consequent) &&
    alwaysReturns(statement.alternate)
  );
}

/** Whether a statement contains a return of the function around it. */
export function mayReturn(statement: Node): boolean {
  let returns = false;
  walk(statement, (node) => {
    if (isFunction(node)) return false;
    returns ||= node.type === "ReturnStatement";
    return !returns;
  });
  return returns;
}
