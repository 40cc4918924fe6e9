/**
 * The text of the server module during emission: the source, edited in place, and the generated declarations before it. Only the gaps
 * between kept expressions are replaced, so the source map stays exact.
 */
import MagicString from "magic-string";
import type { SourceFile } from "../diagnostics.ts";
import type { FunctionNode, Node } from "../parse/ast.ts";
import type { Code } from "../model.ts";
import type { Names } from "../names.ts";

/**
 * Part of a concatenation: fixed HTML, or code in which some nodes keep their (rewritten) source. `around`: a call that also writes the
 * fixed HTML before and after it, which is faster than concatenating it.
 */
export type Segment = string | { code: Code } | { around: (before: string, behind: string) => Code };

/** Writes the rows of a list. Each list has its own function, so V8 can inline the row function into the loop. */
const EACH =
  '(list, row) => { let html = ""; for (let i = 0; i < list.length; i++) html += row(list[i], i); return html; };\n';

export interface ServerOutputOptions {
  /** Specifier of the JSX runtime. */
  readonly runtime: string;
  /** Whether a rendered component of the module adds the module's stylesheets to the page. */
  readonly hasStyles: boolean;
}

export class ServerOutput {
  readonly #file: SourceFile;
  readonly #names: Names;
  readonly #text: MagicString;
  readonly #options: ServerOutputOptions;
  readonly #runtime = new Set<string>();
  readonly #blocks: string[] = [];
  readonly #withProps = new Set<FunctionNode>();
  #hasGiven = false;
  #lists = 0;

  constructor(file: SourceFile, names: Names, options: ServerOutputOptions) {
    this.#file = file;
    this.#options = options;
    this.#names = names;
    this.#text = new MagicString(file.text);
  }

  /** Whether the module uses the JSX runtime. */
  get usesRuntime(): boolean {
    return this.#runtime.size > 0;
  }

  /** Local name of an export of the JSX runtime. */
  use(name: string): string {
    this.#runtime.add(name);
    return this.#names.prefix + name;
  }

  /** Name of a parameter of generated code. */
  local(name: string): string {
    return this.#names.prefix + name;
  }

  /** Local name of a function that writes the rows of one list. */
  useEach(): string {
    return `${this.#names.prefix}each${this.#lists++}`;
  }

  /** Declares the constant of a scope template; `args` are those of `block(…)`. */
  addBlock(args: readonly string[]): string {
    const name = `${this.#names.prefix}b${this.#blocks.length}`;
    this.#blocks.push(`const ${name} = ${this.use("block")}(${args.join(", ")});\n`);
    return name;
  }

  /** Local name of a component's props object, even if its parameter is destructured: `component` passes the props a second time. */
  useProps(fn: FunctionNode): string {
    const name = `${this.#names.prefix}props`;
    if (this.#withProps.has(fn)) return name;
    this.#withProps.add(fn);
    const [param] = fn.params;
    const from = fn.type === "ArrowFunctionExpression" ? fn.start : (fn.id?.end ?? fn.start);
    const open = this.#file.text.indexOf("(", fn.typeParameters?.end ?? from);
    if (!param) this.#text.appendLeft(open + 1, `${this.#names.prefix}0, ${name}`);
    else if (open < 0 || open > param.start)
      this.#text.appendLeft(param.start, "(").appendLeft(param.end, `, ${name})`);
    else this.#text.appendLeft(param.end, `, ${name}`);
    return name;
  }

  /** Local name of a variable for the props of a direct call, which the component receives twice. */
  useGiven(): string {
    this.#hasGiven = true;
    return `${this.#names.prefix}given`;
  }

  wrap(node: Node, open: string, close: string): void {
    this.#text.prependRight(node.start, open);
    this.#text.appendLeft(node.end, close);
  }

  /** Inserts `code` behind `node`. */
  after(node: Node, code: string): void {
    this.#text.appendLeft(node.end, code);
  }

  /** Inserts a statement behind another one, and behind all code that `after` and `wrap` add to it. */
  behind(statement: Node, code: string): void {
    const end = this.#file.text[statement.end - 1] === ";" ? " " : "; ";
    this.#text.prependRight(statement.end, end + code);
  }

  /** Replaces the text from `start` to `end` by `code`. */
  replace(start: number, end: number, code: string): void {
    this.#text.update(start, end, code);
  }

  /** Inserts `code` at a position of the source. */
  insert(at: number, code: string): void {
    this.#text.appendLeft(at, code);
  }

  /** Adds `code` at the end of the module. */
  append(code: string): void {
    this.#text.append(code);
  }

  /** Replaces `node` by a concatenation. The nodes kept in it stay where they are. */
  write(node: Node, segments: Segment[]): void {
    let at = node.start;
    let pending = "";
    const flush = (end: number): void => {
      if (end > at) this.#text.update(at, end, pending);
      else if (pending !== "") this.#text.appendLeft(at, pending);
      pending = "";
    };
    for (const item of concatenation(segments)) {
      if (typeof item === "string") pending += item;
      else {
        flush(item.start);
        at = item.end;
      }
    }
    flush(node.end);
  }

  /** The module, which still contains TypeScript, and its source map. */
  render(): { code: string; map: string } {
    const { prefix } = this.#names;
    const { runtime, hasStyles } = this.#options;
    const isStyled = hasStyles && this.#runtime.delete("made");
    if (isStyled) this.#runtime.add("madeIn");
    const names = [...this.#runtime].sort().map((name) => `${name} as ${prefix}${name}`);
    const imports = names.length === 0 ? "" : `import { ${names.join(", ")} } from ${JSON.stringify(runtime)};\n`;
    const made = isStyled ? `const ${prefix}made = ${prefix}madeIn(${JSON.stringify(this.#file.path)});\n` : "";
    const each = Array.from({ length: this.#lists }, (_, at) => `const ${prefix}each${at} = ${EACH}`).join("");
    const given = this.#hasGiven ? `let ${prefix}given;\n` : "";
    this.#text.prepend(imports + made + given + each + this.#blocks.join(""));
    const map = this.#text.generateMap({ source: this.#file.path, hires: "boundary", includeContent: true });
    return { code: this.#text.toString(), map: map.toString() };
  }
}

/** Joins segments by `+`. Adjacent HTML becomes one literal, or an argument of the call beside it. */
export function concatenation(segments: Segment[]): Code {
  const out: Code = [];
  const add = (code: Code): void => void out.push(...(out.length > 0 ? [" + "] : []), ...code);
  let html = "";
  /** Whether the previous call also writes the next HTML. */
  let taker: ((behind: string) => Code) | undefined;
  const flush = (): void => {
    if (taker) add(taker(html));
    else if (html !== "") add([JSON.stringify(html)]);
    html = "";
    taker = undefined;
  };
  for (const segment of segments) {
    if (typeof segment === "string") html += segment;
    else if ("code" in segment) {
      flush();
      add(segment.code);
    } else {
      // The first of two calls writes the HTML between them.
      if (taker) flush();
      const before = html;
      html = "";
      taker = (behind) => segment.around(before, behind);
    }
  }
  flush();
  return out.length === 0 ? ['""'] : out;
}
