/**
 * Early returns of components: `if (isDone.value) return <p/>; return <b/>` becomes `return (isDone.value) ? (<p/>) : (<b/>)`. A condition follows
 * what it reads, and keeps the branch that stays.
 */
import type { ESTree } from "vite";
import { findComponents } from "../analyze/components.ts";
import { decisionOf, type Decision } from "../analyze/current-reads.ts";
import { svcName } from "../analyze/declaration-kinds.ts";
import { alwaysReturns, mayReturn } from "../analyze/early-returns.ts";
import type { SourceFile } from "../diagnostics.ts";
import type { Edit } from "../edits.ts";
import { holdsJsx, isFunction, returnsOf, unwrap, walk, type FunctionNode, type Node } from "../parse/ast.ts";
import type { Scopes } from "../parse/scopes.ts";
import { createsFromTests, isOfComponent, isUnique, latenessOf, lateEdits } from "./late-names.ts";
import { replaceWith, type Piece } from "./moved-code.ts";

/** A statement because of which the returns of a component can't be one condition. */
export interface Obstacle {
  node: Node;
  /** Whether it returns in a way that is no condition. Others can't run before the condition. */
  isReturn: boolean;
}

/** @returns the change that rewrites the returns of the first such component; undefined if there is none. */
export function earlyReturnEdits({ text }: SourceFile, program: ESTree.Program, scopes: Scopes): Edit[] | undefined {
  for (const fn of findComponents(program, scopes)) {
    const edits = mayChoose(fn) ? new ChosenReturns(fn, scopes).edits(text) : undefined;
    if (edits) return edits;
  }
  return undefined;
}

/** Whether a module may have such components. */
export function mayReturnEarly(program: ESTree.Program): boolean {
  let isFound = false;
  walk(program, (node) => {
    isFound ||= isFunction(node) && mayChoose(node);
    return !isFound;
  });
  return isFound;
}

/** @returns why the returns of a component can't be one condition */
export function obstacleOf(fn: FunctionNode, scopes: Scopes): Obstacle | undefined {
  return mayChoose(fn) ? new ChosenReturns(fn, scopes).obstacle : undefined;
}

function mayChoose(fn: FunctionNode): boolean {
  const first = fn.body?.type === "BlockStatement" ? fn.body.body.find(mayReturn) : undefined;
  if (!first || first.type === "ReturnStatement") return false;
  const returned = returnsOf(fn);
  return returned.some(holdsJsx) && !returned.some((each) => isFunction(unwrap(each)));
}

/** Where statements are: `isTop` for those of the component's body; the conditions that are false there. */
interface Place {
  isTop: boolean;
  refused: readonly Piece[][];
}

class ChosenReturns {
  readonly #fn: FunctionNode;
  readonly #scopes: Scopes;
  readonly #statements: readonly Node[];
  readonly #kept: Piece[] = [];
  readonly #tests: Node[] = [];
  readonly #late = new Set<ESTree.VariableDeclarator>();
  readonly #condition: Piece[];
  readonly #decision: Decision;
  obstacle: Obstacle | undefined;

  constructor(fn: FunctionNode, scopes: Scopes) {
    this.#fn = fn;
    this.#scopes = scopes;
    const body = fn.body?.type === "BlockStatement" ? fn.body.body : [];
    const first = body.findIndex(mayReturn);
    this.#statements = first < 0 ? [] : body.slice(first);
    this.#condition = this.#pick(this.#statements, { isTop: true, refused: [] });
    this.#decision = decisionOf(this.#tests, fn, scopes);
    for (const { source } of this.#decision.constants) if (source.type === "VariableDeclarator") this.#declare(source);
  }

  edits(text: string): Edit[] | undefined {
    const [first] = this.#statements;
    const last = this.#statements.at(-1);
    const { byState, byProps } = this.#decision;
    if (!first || !last || this.obstacle || (!byState && !byProps)) return undefined;
    const late = [...this.#late];
    // Code of the server may give a constant its value. It follows props as it is.
    if (!byState && !late.every(({ init }) => init && isOfComponent(init, this.#fn, this.#scopes))) return undefined;
    if (late.length > 0) return lateEdits(text, late, this.#scopes);
    return replaceWith(text, { start: first.start, end: last.end }, [
      ...this.#kept,
      "return ",
      ...this.#condition,
      ";",
    ]);
  }

  #refuse(node: Node, isReturn = false): [] {
    this.obstacle ??= { node, isReturn };
    return [];
  }

  #pick(statements: readonly Node[], place: Place): Piece[] {
    for (const [at, statement] of statements.entries()) {
      const rest = statements.slice(at + 1);
      if (statement.type === "ReturnStatement") return statement.argument ? ["(", statement.argument, ")"] : ["null"];
      if (!mayReturn(statement)) this.#keep(statement, place);
      else if (statement.type === "BlockStatement")
        return this.#pick([...statement.body, ...rest], { ...place, isTop: false });
      else if (statement.type === "SwitchStatement") return this.#pickCase(statement, statement.cases, rest, place);
      else if (statement.type === "IfStatement" && alwaysReturns(statement.consequent))
        return this.#pickBranch(statement, rest, place);
      else return this.#refuse(statement, true);
    }
    return ["null"];
  }

  #pickBranch({ test, consequent, alternate }: ESTree.IfStatement, rest: readonly Node[], place: Place): Piece[] {
    this.#tests.push(test);
    const refused = [...place.refused, ["(", test, ")"]];
    const whenTrue = this.#pick([consequent], { isTop: false, refused: [] });
    const otherwise = this.#pick(alternate ? [alternate, ...rest] : rest, { ...place, refused });
    return ["(", test, ") ? ", ...whenTrue, " : ", ...otherwise];
  }

  /** A `switch` in which each case returns. Cases without statements share those of the next one. */
  #pickCase(
    statement: ESTree.SwitchStatement,
    cases: readonly ESTree.SwitchCase[],
    rest: readonly Node[],
    place: Place,
  ): Piece[] {
    const { discriminant } = statement;
    this.#tests.push(discriminant);
    const at = cases.findIndex(({ consequent }) => consequent.length > 0);
    const body = cases[at]?.consequent;
    if (!body) return this.#pick(rest, place);
    const tests = cases.slice(0, at + 1).flatMap(({ test }) => (test ? [test] : []));
    const others = cases.slice(at + 1);
    const isDefault = tests.length <= at;
    if (!body.some(alwaysReturns) || (isDefault && others.length > 0)) return this.#refuse(statement, true);
    if (isDefault) return this.#pick(body, { isTop: false, refused: [] });
    const test = tests.flatMap((value, index): Piece[] => [
      index > 0 ? " || (" : "(",
      discriminant,
      ") === (",
      value,
      ")",
    ]);
    const refused = [...place.refused, test];
    const whenTrue = this.#pick(body, { isTop: false, refused: [] });
    return [...test, " ? ", ...whenTrue, " : ", ...this.#pickCase(statement, others, rest, { ...place, refused })];
  }

  /** A statement that runs before the condition. */
  #keep(statement: Node, place: Place): void {
    if (statement.type === "EmptyStatement") return;
    if (statement.type === "ExpressionStatement") return this.#keepEffect(statement, place);
    if (statement.type === "VariableDeclaration") {
      statement.declarations.forEach((declarator) => this.#declare(declarator));
    } else if (!/^(?:FunctionDeclaration|TSTypeAliasDeclaration|TSInterfaceDeclaration)$/.test(statement.type)) {
      this.#refuse(statement);
    }
    if (!place.isTop && !isUnique(statement, this.#fn, this.#scopes)) this.#refuse(statement);
    this.#kept.push(statement, "; ");
  }

  #declare(declarator: ESTree.VariableDeclarator): void {
    const lateness = latenessOf(declarator, this.#fn, this.#scopes);
    if (lateness === "late") this.#late.add(declarator);
    else if (lateness === "never" || createsFromTests(declarator, this.#tests, this.#scopes)) this.#refuse(declarator);
  }

  /** An effect runs only while the content behind the returns is shown. */
  #keepEffect({ expression, start, end }: ESTree.ExpressionStatement, { isTop, refused }: Place): void {
    const isEffect = expression.type === "CallExpression" && svcName(expression.callee, this.#scopes) === "effect";
    const [run, ...others] = isEffect ? expression.arguments : [];
    if (!run || !isFunction(run) || !run.body || others.length > 0 || run.async || !isTop)
      return void this.#refuse(expression);
    const { body } = run;
    const isBlock = body.type === "BlockStatement";
    const guard = ["{ if (", ...refused.flatMap((test, at) => (at > 0 ? [" || ", ...test] : test)), ") return; "];
    const [before, inside, behind] = [
      { start, end: body.start },
      { start: body.start + 1, end: body.end },
      { start: body.end, end },
    ];
    if (isBlock) this.#kept.push(before, ...guard, inside, behind, "; ");
    else this.#kept.push(before, ...guard, "return ", body, "; }", behind, "; ");
  }
}
