/**
 * Views in variables: `let view = <p/>; if (isBig.value) view = <b/>;` becomes `const view = (isBig.value) ? (<b/>) : (<p/>);`, and the next form
 * shows it where it is used (named-views.ts).
 */
import type { ESTree } from "vite";
import { parentsOf } from "../analyze/analyze.ts";
import type { SourceFile } from "../diagnostics.ts";
import type { Edit } from "../edits.ts";
import { holdsJsx, isFunction, returnsOf, unwrap, walk, type FunctionNode, type Node } from "../parse/ast.ts";
import type { Binding, Reference, Scopes } from "../parse/scopes.ts";
import { isUnique, latenessOf, lateEdits } from "./late-names.ts";
import { replaceWith, type Piece } from "./moved-code.ts";

/** @returns the change that makes a constant of the first such variable; undefined if there is none. */
export function assignedViewEdits({ text }: SourceFile, program: ESTree.Program, scopes: Scopes): Edit[] | undefined {
  const parents = parentsOf(program);
  for (const binding of scopes.bindings) {
    const { owner, declared } = binding;
    if (declared !== "let" || !owner || !returnsOf(owner).some((value) => isView(value, binding, scopes))) continue;
    const declaration = parents.get(binding.source);
    if (declaration?.type !== "VariableDeclaration" || declaration.declarations.length > 1) continue;
    if (!owner.body || parents.get(declaration) !== owner.body) continue;
    const edits = new AssignedView(binding, declaration, owner, scopes).edits(text);
    if (edits) return edits;
  }
  return undefined;
}

/** Whether a function returns JSX or the variable. */
function isView(returned: Node, binding: Binding, scopes: Scopes): boolean {
  const value = unwrap(returned);
  return holdsJsx(value) || (value.type === "Identifier" && scopes.within(value)[0]?.binding === binding);
}

/** Whether a module may have such variables. */
export function mayAssignView(program: ESTree.Program): boolean {
  let isFound = false;
  walk(program, (node) => {
    isFound ||= node.type === "AssignmentExpression" && node.left.type === "Identifier" && holdsJsx(node.right);
    return !isFound;
  });
  return isFound;
}

class AssignedView {
  readonly #binding: Binding;
  readonly #declaration: ESTree.VariableDeclaration;
  readonly #fn: FunctionNode;
  readonly #scopes: Scopes;
  readonly #uses: readonly Reference[];
  /** Values that the variable gets, and what decides about them. */
  readonly #reads: Node[] = [];
  /** Assignments that the condition replaces. */
  readonly #assignments = new Set<Node>();
  readonly #kept: Piece[] = [];
  readonly #late: ESTree.VariableDeclarator[] = [];
  #isPossible = true;
  /** Whether the statements do something else as well, so that they stay. */
  #isShared = false;

  constructor(binding: Binding, declaration: ESTree.VariableDeclaration, fn: FunctionNode, scopes: Scopes) {
    this.#binding = binding;
    this.#declaration = declaration;
    this.#fn = fn;
    this.#scopes = scopes;
    this.#uses = scopes.references.filter((use) => use.binding === binding && use.node !== binding.node);
  }

  edits(text: string): Edit[] | undefined {
    const body = this.#fn.body?.type === "BlockStatement" ? this.#fn.body.body : [];
    const statements = body.filter((each) => each.start > this.#declaration.start && this.#isAssignedIn(each));
    const last = statements.at(-1);
    const init = this.#declaration.declarations[0]?.init;
    if (init) this.#reads.push(init);
    const value = this.#after(statements, init ? ["(", init, ")"] : ["null"]);
    if (!last || !this.#isPossible || !this.#isView(last)) return undefined;
    if (this.#late.length > 0) return lateEdits(text, this.#late, this.#scopes);
    if (this.#isShared && this.#kept.length > 0) return undefined;
    const constant = [...this.#kept, `const ${this.#binding.name} = `, ...value, ";"];
    const end = { start: last.end, end: last.end };
    return [
      ...removal(text, this.#declaration),
      ...(this.#isShared
        ? [...this.#assignments].flatMap((assignment) => removal(text, assignment, ";"))
        : statements.slice(0, -1).flatMap((statement) => removal(text, statement))),
      ...replaceWith(text, this.#isShared ? end : last, constant),
    ];
  }

  /** Whether the variable contains JSX, is used only behind its last assignment, and depends on no other variable. */
  #isView(last: Node): boolean {
    const isOwnRead = ({ node }: Reference): boolean =>
      this.#reads.some(({ start, end }) => node.start >= start && node.end <= end);
    return (
      this.#reads.some(holdsJsx) &&
      this.#uses.every((use) => use.isWrite || use.node.start >= last.end || isOwnRead(use)) &&
      this.#uses.filter((use) => use.isWrite).length === this.#assignments.size &&
      !this.#reads
        .flatMap((read) => this.#scopes.within(read))
        .some(({ binding }) => binding && binding !== this.#binding && /^(?:let|var)$/.test(binding.declared))
    );
  }

  #isAssignedIn({ start, end }: Node): boolean {
    return this.#uses.some(({ node, isWrite }) => isWrite && node.start >= start && node.end <= end);
  }

  /** The value behind statements. @param value before them */
  #after(statements: readonly Node[], value: Piece[]): Piece[] {
    return statements.reduce((before, statement) => this.#afterOne(statement, before), value);
  }

  #afterOne(statement: Node, value: Piece[]): Piece[] {
    if (!this.#isAssignedIn(statement)) {
      this.#keep(statement);
      return value;
    }
    if (statement.type === "BlockStatement") return this.#after(statement.body, value);
    if (statement.type === "IfStatement") {
      const { test, consequent, alternate } = statement;
      this.#reads.push(test);
      const whenTrue = this.#afterOne(consequent, value);
      return ["((", test, ") ? ", ...whenTrue, " : ", ...(alternate ? this.#afterOne(alternate, value) : value), ")"];
    }
    if (statement.type === "SwitchStatement") return this.#afterCase(statement.discriminant, statement.cases, value);
    const expression = statement.type === "ExpressionStatement" ? statement.expression : undefined;
    if (expression?.type === "AssignmentExpression" && expression.operator === "=") {
      this.#assignments.add(statement);
      this.#reads.push(expression.right);
      if (expression.left.type === "Identifier") return ["(", ...this.#withValue(expression.right, value), ")"];
    }
    this.#isPossible = false;
    return value;
  }

  /** A `switch` whose cases end with `break`. Cases without statements share those of the next one. */
  #afterCase(discriminant: Node, cases: readonly ESTree.SwitchCase[], value: Piece[]): Piece[] {
    this.#reads.push(discriminant);
    const at = cases.findIndex(({ consequent }) => consequent.length > 0);
    if (at < 0) return value;
    const tests = cases.slice(0, at + 1).flatMap(({ test }) => (test ? [test] : []));
    const others = cases.slice(at + 1);
    const statements = flatten(cases[at]?.consequent ?? []);
    const isEnded = statements.at(-1)?.type === "BreakStatement";
    const isDefault = tests.length <= at;
    if (others.length > 0 && (!isEnded || isDefault)) this.#isPossible = false;
    this.#reads.push(...tests);
    const whenTrue = this.#after(isEnded ? statements.slice(0, -1) : statements, value);
    if (isDefault) return whenTrue;
    const test = tests.flatMap((one, index): Piece[] => [index > 0 ? " || (" : "(", discriminant, ") === (", one, ")"]);
    return ["(", ...test, " ? ", ...whenTrue, " : ", ...this.#afterCase(discriminant, others, value), ")"];
  }

  /** The code of a value that may contain the previous one: `view = <Box>{view}</Box>`. */
  #withValue({ start, end }: Node, value: Piece[]): Piece[] {
    const reads = this.#uses.filter(({ node, isWrite }) => !isWrite && node.start >= start && node.end <= end);
    const ends = reads.map(({ node }) => node.end);
    return [
      ...reads.flatMap(({ node }, at): Piece[] => [{ start: ends[at - 1] ?? start, end: node.start }, ...value]),
      { start: ends.at(-1) ?? start, end },
    ];
  }

  /** Another statement beside the assignments. Constants for the values move with them. */
  #keep(statement: Node): void {
    let isEnd = false;
    walk(statement, (node) => {
      isEnd ||= /^(?:Return|Break|Continue|Throw)Statement$/.test(node.type);
      return !isFunction(node);
    });
    if (isEnd) this.#isPossible = false;
    if (statement.type === "EmptyStatement") return;
    if (statement.type !== "VariableDeclaration") {
      this.#isShared = true;
      return;
    }
    for (const declarator of statement.declarations) {
      const lateness = latenessOf(declarator, this.#fn, this.#scopes);
      if (lateness === "late") this.#late.push(declarator);
      else if (lateness === "never") this.#isPossible = false;
    }
    if (isUnique(statement, this.#fn, this.#scopes)) this.#kept.push(statement, " ");
    else this.#isPossible = false;
  }
}

/** The statements of a case, whose block has no effect. */
function flatten(statements: readonly Node[]): readonly Node[] {
  const [only] = statements;
  return statements.length === 1 && only?.type === "BlockStatement" ? only.body : statements;
}

/** Removes a part of a source, without its lines. */
function removal(text: string, { start, end }: Node, instead = ""): Edit[] {
  return [{ start, end, insert: instead + text.slice(start, end).replaceAll(/[^\n]/g, "") }];
}
