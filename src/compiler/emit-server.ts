/**
 * Step 4, server half: rewrites the module in place so that JSX becomes string concatenation (resume-protocol
 * section 4). Only the gaps between kept expressions are written anew, so the source map stays exact.
 */
import MagicString from "magic-string";
import type { ESTree } from "vite";
import { DOM } from "../shared/wire.ts";
import type { Module } from "./2-analyze.ts";
import { attributeExpression, extractElement, extractItems, isStructured, mappedRows, onlyChild } from "./3-extract.ts";
import {
  childrenOf,
  holdsJsx,
  isComponentTag,
  isFunction,
  isJsx,
  returnsOf,
  tagName,
  unwrap,
  type FunctionNode,
  type JsxRoot,
  type Node,
} from "./ast.ts";
import type { ClientModule } from "./client-module.ts";
import type { BrowserEmitter } from "./emit-browser.ts";
import { fail, type Extraction, type Position } from "./extraction.ts";
import { hooksOf, type Hooks } from "./handlers.ts";
import { VOID_TAGS } from "./html-facts.ts";
import { decodeEntities } from "./jsx-text.ts";
import { svcName } from "./kinds.ts";
import type { Attribute, Branch, Code, Element, Item, List, Run, Scope } from "./model.ts";

/** Part of a concatenation: fixed HTML, or code in which some nodes keep their (rewritten) source. */
type Segment = string | { code: Code };

const HELPERS: Record<string, string> = {
  $each: 'const $each = (list, row) => { let html = ""; for (let i = 0; i < list.length; i++) html += row(list[i], i); return html; };\n',
};

export class ServerEmitter {
  readonly #module: Module;
  readonly #extraction: Extraction;
  readonly #client: ClientModule;
  readonly #browser: BrowserEmitter;
  readonly #out: MagicString;
  readonly #runtime = new Set<string>();
  readonly #helpers = new Set<string>();
  readonly #blocks: string[] = [];
  #scopes = 0;
  /** Hooks of the component whose returned JSX is being written. */
  #hooks: Hooks | undefined;

  constructor(extraction: Extraction, client: ClientModule, browser: BrowserEmitter) {
    this.#module = extraction.module;
    this.#extraction = extraction;
    this.#client = client;
    this.#browser = browser;
    this.#out = new MagicString(extraction.module.file.text);
  }

  emit(): { code: string; map: string } {
    this.#rewrite(this.#module.program);
    const names = [...this.#runtime].sort().map((name) => `${name} as $${name}`);
    const imports = names.length === 0 ? "" : `import { ${names.join(", ")} } from "svc/jsx-runtime";\n`;
    const helpers = [...this.#helpers].map((name) => HELPERS[name] ?? "").join("");
    this.#out.prepend(imports + helpers + this.#blocks.join(""));
    const map = this.#out.generateMap({ source: this.#module.file.path, hires: "boundary", includeContent: true });
    return { code: this.#out.toString(), map: map.toString() };
  }

  #use(name: string): string {
    this.#runtime.add(name);
    return `$${name}`;
  }

  /** Rewrites all JSX at or below `node`; JSX met here is a value. */
  #rewrite(node: Node): void {
    if (isJsx(node)) {
      this.#jsx(node);
      this.#wrap(node, `${this.#use("html")}(() => `, ")");
    } else if (isFunction(node) && this.#module.components.has(node)) this.#component(node);
    else for (const child of childrenOf(node)) this.#rewrite(child);
  }

  #wrap(node: Node, open: string, close: string): void {
    this.#out.prependRight(node.start, open);
    this.#out.appendLeft(node.end, close);
  }

  /** A component returns HTML: its JSX as it is, anything else through `t`. */
  #component(fn: FunctionNode): void {
    const hooks = hooksOf(this.#module, fn, (node) => svcName(node, this.#module.scopes));
    for (const statement of hooks.browserOnly) this.#out.update(statement.start, statement.end, ";");
    const outer = this.#hooks;
    const results = new Set(returnsOf(fn));
    const visit = (node: Node): void => {
      if (hooks.browserOnly.includes(node)) return;
      if (results.has(node)) {
        this.#hooks = hooks;
        this.#piece(node);
        this.#hooks = undefined;
      } else if (isJsx(node) || (isFunction(node) && node !== fn)) this.#rewrite(node);
      else for (const child of childrenOf(node)) visit(child);
    };
    this.#hooks = undefined;
    for (const child of childrenOf(fn)) visit(child);
    this.#hooks = outer;
    if (hooks.isPlaced || hooks.load.length + hooks.visible.length + hooks.effects.length === 0) return;
    const first = hooks.load[0] ?? hooks.visible[0] ?? hooks.effects[0] ?? fn;
    throw fail(this.#extraction, "SVC109", first, "This component calls onLoad, onVisible or effect but returns no host element to hold it. Return an element such as <div>, not only other components.");
  }

  /** Makes an expression yield HTML. */
  #piece(node: Node): void {
    if (node.type === "ParenthesizedExpression") return this.#piece(node.expression);
    const inner = unwrap(node);
    if (isJsx(inner)) {
      this.#jsx(inner);
      if (inner !== node) this.#wrap(node, "(", ")");
      return;
    }
    if (inner.type === "Literal" && (inner.value === null || typeof inner.value === "boolean")) {
      return void this.#out.update(node.start, node.end, '""');
    }
    if (inner.type === "Identifier" && inner.name === "undefined") return void this.#out.update(node.start, node.end, '""');
    if (inner === node && isStructured(inner)) return this.#structured(inner);
    this.#rewrite(node);
    this.#wrap(node, `${this.#use("t")}(`, ")");
  }

  #structured(node: Node): void {
    if (node.type === "ConditionalExpression") {
      const hooks = this.#hooks;
      this.#rewrite(node.test);
      this.#piece(node.consequent);
      this.#hooks = hooks;
      return this.#piece(node.alternate);
    }
    if (node.type === "LogicalExpression") {
      this.#rewrite(node.left);
      this.#piece(node.right);
      this.#out.update(node.left.end, node.right.start, " ? ");
      return this.#wrap(node, "(", ' : "")');
    }
    const rows = mappedRows(node);
    if (rows) this.#each(node, rows.list, rows.row);
  }

  /** `list.map(row)` -> `$each(list, row)`. */
  #each(node: Node, list: Node, row: FunctionNode): void {
    this.#rewrite(list);
    this.#row(row);
    this.#out.update(list.end, row.start, ", ");
    if (node.end > row.end) this.#out.update(row.end, node.end, ")");
    this.#helpers.add("$each");
    this.#wrap(node, "$each(", "");
  }

  #row(row: FunctionNode): void {
    const hooks = this.#hooks;
    this.#hooks = undefined;
    const results = new Set(returnsOf(row));
    const visit = (node: Node): void => {
      if (results.has(node)) this.#piece(node);
      else if (isJsx(node) || isFunction(node)) this.#rewrite(node);
      else for (const child of childrenOf(node)) visit(child);
    };
    for (const child of childrenOf(row)) visit(child);
    this.#hooks = hooks;
  }

  /** Writes JSX as a concatenation, in the place where it stands. */
  #jsx(node: JsxRoot): void {
    this.#write(node, this.#segmentsOfRoot(node));
  }

  #segmentsOfRoot(node: Node): Segment[] {
    if (node.type === "JSXFragment") return this.#loose(node.children);
    if (node.type !== "JSXElement") return [];
    if (isComponentTag(tagName(node.openingElement.name))) return this.#componentCall(node);
    const scope = this.#newScope();
    const position: Position = { scope, template: { lastKey: 0 }, level: 0, isRegion: false, ancestors: [] };
    this.#attachHooks(scope);
    const element = extractElement(this.#extraction, node, position);
    this.#finishScope(scope, element);
    return this.#element(element, scope);
  }

  /** Children that stand in no element of this component: each host element is a root template of its own. */
  #loose(children: readonly Node[]): Segment[] {
    const position: Position = { scope: undefined, template: { lastKey: 0 }, level: 0, isRegion: false, ancestors: [] };
    return extractItems(this.#extraction, children, position).flatMap((item) => this.#item(item));
  }

  #newScope(): Scope {
    return {
      index: this.#scopes++,
      edits: this.#client.newEdits(),
      slots: [],
      boundCount: 0,
      events: new Set(),
      parts: new Set(),
      handlers: [],
      effects: [],
      frames: [],
      helpers: new Map(),
      rewritten: new Set(),
      hookAttributes: [],
      block: undefined,
      bind: undefined,
    };
  }

  /** `onLoad` and the like of the component belong to the first element it returns. */
  #attachHooks(scope: Scope): void {
    const hooks = this.#hooks;
    this.#hooks = undefined;
    if (!hooks) return;
    hooks.isPlaced = true;
    scope.effects.push(...hooks.effects);
    for (const [type, functions] of [["load", hooks.load], ["visible", hooks.visible]] as const) {
      if (functions.length === 0) continue;
      const symbol = this.#extraction.nextHandler();
      scope.handlers.push({ symbol, level: 0, functions, takesElement: true });
      scope.events.add(type);
      scope.hookAttributes.push(` ${DOM.on}${type}="${symbol}"`);
    }
  }

  #finishScope(scope: Scope, element: Element): void {
    this.#browser.emitScope(scope, element);
    if (scope.bind === undefined && scope.handlers.length === 0) return;
    scope.block = `$b${this.#blocks.length}`;
    const args = [
      JSON.stringify(this.#module.file.path),
      scope.bind === undefined ? "0" : JSON.stringify(scope.bind),
      JSON.stringify([...scope.events].sort()),
      JSON.stringify([...scope.parts].sort()),
    ];
    this.#blocks.push(`const ${scope.block} = ${this.#use("block")}(${args.join(", ")});\n`);
  }

  #element(element: Element, root?: Scope): Segment[] {
    const out: Segment[] = [`<${element.tag}`];
    if (root?.block !== undefined) {
      const slots = root.slots.map((slot) => slot.source).join(", ");
      out.push({ code: [`${this.#use("scope")}(${root.block}, ${root.boundCount}, [${slots}])`] });
    }
    if (root) out.push(...root.hookAttributes);
    if (element.key !== undefined) out.push(` ${DOM.key}="${element.key}"`);
    let inside: Segment[] = [];
    for (const attribute of element.attributes) {
      if (attribute.kind === "value" && attribute.name === "value" && element.tag === "textarea") {
        inside = [{ code: [`${this.#use("t")}(`, attribute.expression, ")"] }];
      } else out.push(...this.#attribute(attribute));
    }
    out.push(">");
    if (VOID_TAGS.has(element.tag)) return out;
    if (element.rawHtml) {
      this.#rewrite(element.rawHtml.expression);
      inside = [{ code: ["(", element.rawHtml.expression, ").__html"] }];
    }
    return [...out, ...inside, ...element.items.flatMap((item) => this.#item(item)), `</${element.tag}>`];
  }

  #attribute(attribute: Attribute): Segment[] {
    if (attribute.kind === "static") return [attribute.html];
    this.#rewrite(attribute.expression);
    if (attribute.kind === "spread") {
      return [{ code: [`${this.#use("spread")}(`, attribute.expression, `, ${JSON.stringify(attribute.skip)})`] }];
    }
    const { name, how } = attribute;
    const head = (fn: string): string => `${this.#use(fn)}(${JSON.stringify(` ${name}="`)}, `;
    if (how === "class" || how === "style") {
      const text = this.#use(how === "class" ? "cls" : "sty");
      return [{ code: [`${head("at")}${text}(`, attribute.expression, "))"] }];
    }
    if (name === "indeterminate") return [];
    return [{ code: [head(how === "url" ? "url" : "at"), attribute.expression, ")"] }];
  }

  #item(item: Item): Segment[] {
    switch (item.kind) {
      case "text":
        return [item.html];
      case "element":
        return this.#element(item);
      case "run":
        return this.#run(item);
      case "component":
        return this.#segmentsOfRoot(item.node);
      case "piece":
        return this.#pieceSegments(item.expression);
      case "list":
        return this.#list(item);
      default:
        return [...this.#branch(item), `<!--${item.key}-->`];
    }
  }

  #run(run: Run): Segment[] {
    const out: Segment[] = run.needsSeparator ? ["<!---->"] : [];
    for (const part of run.parts) {
      if (typeof part === "string") out.push(part.replaceAll("&", "&amp;").replaceAll("<", "&lt;"));
      else {
        this.#rewrite(part);
        out.push({ code: [`${this.#use("t")}(`, part, ")"] });
      }
    }
    if (run.key !== undefined) out.push(`<!--${run.key}-->`);
    return out;
  }

  #pieceSegments(node: Node): Segment[] {
    const inner = unwrap(node);
    if (inner.type === "JSXElement") {
      const builtin = svcName(inner.openingElement.name, this.#module.scopes);
      if (builtin === "For") return this.#forElement(inner);
      if (builtin === "Show") return this.#showElement(inner);
      return this.#segmentsOfRoot(inner);
    }
    this.#piece(node);
    return [{ code: ["(", node, ")"] }];
  }

  #list(list: List): Segment[] {
    this.#rewrite(list.each);
    const [root] = returnsOf(list.row);
    for (const child of childrenOf(list.row)) this.#rowBody(child, root, list.element);
    this.#helpers.add("$each");
    return [{ code: ["$each(", list.each, ", ", list.row, ")"] }, list.key === undefined ? "" : `<!--${list.key}-->`];
  }

  #rowBody(node: Node, root: Node | undefined, element: Element): void {
    if (node === root) this.#write(unwrap(node), this.#element(element));
    else if (isJsx(node) || isFunction(node)) this.#rewrite(node);
    else for (const child of childrenOf(node)) this.#rowBody(child, root, element);
  }

  #branch(branch: Branch): Segment[] {
    const left = [...branch.branches];
    const { node } = branch;
    if (node.type !== "JSXElement") {
      this.#branchPiece(node, left);
      return [{ code: ["(", node, ")"] }];
    }
    const when = attributeExpression(node, "when");
    const fallback = attributeExpression(node, "fallback");
    const child = onlyChild(node);
    if (!when || !child) return [];
    this.#rewrite(when);
    if (fallback) this.#branchPiece(fallback, left);
    this.#branchPiece(child, left);
    const otherwise: Code = fallback ? ["(", fallback, ")"] : ['""'];
    return [{ code: ["(!(", when, ") ? ", ...otherwise, " : ", child, ")"] }];
  }

  /** Writes the branches of a condition in the order in which extraction met them. */
  #branchPiece(node: Node, left: Element[]): void {
    if (node.type === "ParenthesizedExpression") return this.#branchPiece(node.expression, left);
    const inner = unwrap(node);
    if (inner.type === "ConditionalExpression") {
      this.#rewrite(inner.test);
      this.#branchPiece(inner.consequent, left);
      return this.#branchPiece(inner.alternate, left);
    }
    if (inner.type === "LogicalExpression") {
      this.#rewrite(inner.left);
      this.#branchPiece(inner.right, left);
      this.#out.update(inner.left.end, inner.right.start, " ? ");
      return this.#wrap(inner, "(", ' : "")');
    }
    if (!isJsx(inner)) return void this.#out.update(node.start, node.end, '""');
    const element = left.shift();
    if (element) this.#write(inner, this.#element(element));
  }

  /** `<For>` whose list doesn't change in the browser. */
  #forElement(node: ESTree.JSXElement): Segment[] {
    const each = attributeExpression(node, "each");
    const row = onlyChild(node);
    if (!each || !row || !isFunction(row)) return [];
    this.#rewrite(each);
    this.#row(row);
    this.#helpers.add("$each");
    return [{ code: ["$each(", each, ", ", row, ")"] }];
  }

  /** `<Show>` whose condition doesn't change in the browser. */
  #showElement(node: ESTree.JSXElement): Segment[] {
    const when = attributeExpression(node, "when");
    const fallback = attributeExpression(node, "fallback");
    if (!when) return [];
    this.#rewrite(when);
    if (fallback) this.#piece(fallback);
    const children = concatenation(this.#loose(node.children));
    return [{ code: ["(!(", when, ") ? ", ...(fallback ? ["(", fallback, ")"] : ['""']), " : ", ...children, ")"] }];
  }

  #componentCall(node: ESTree.JSXElement): Segment[] {
    const { name, attributes } = node.openingElement;
    const code: Code = [`${this.#use("component")}(${tagName(name)}, { `];
    for (const attribute of attributes) code.push(...this.#prop(attribute), ", ");
    const child = onlyChild(node);
    if (child && isFunction(child)) {
      this.#rewrite(child);
      code.push("children: ", child, " ");
    } else if (node.children.length > 0) {
      const segments = this.#loose(node.children);
      if (segments.length > 0) {
        code.push(`get children() { return ${this.#use("html")}(() => `, ...concatenation(segments), "); } ");
      }
    }
    code.push("})");
    return [{ code }];
  }

  #prop(attribute: ESTree.JSXAttributeItem): Code {
    if (attribute.type === "JSXSpreadAttribute") {
      this.#rewrite(attribute.argument);
      return ["...", attribute.argument];
    }
    const name = attribute.name.type === "JSXNamespacedName" ? "" : attribute.name.name;
    const key = `${/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name)}: `;
    const { value } = attribute;
    if (!value) return [`${key}true`];
    if (value.type === "Literal") return [key + JSON.stringify(decodeEntities(String(value.value)))];
    if (value.type !== "JSXExpressionContainer" || value.expression.type === "JSXEmptyExpression") return [`${key}undefined`];
    this.#refuseReactiveProp(value.expression, name);
    this.#rewrite(value.expression);
    return [key, value.expression];
  }

  /** SVC121: a component runs once, so it would see the first value only. */
  #refuseReactiveProp(expression: Node, name: string): void {
    const inner = unwrap(expression);
    if (inner.type === "Identifier" || isFunction(inner) || holdsJsx(inner)) return;
    if (this.#module.liveness(inner) !== "live") return;
    throw fail(this.#extraction, "SVC121", expression, `The prop "${name}" is given an expression that changes in the browser, but a component runs once and would keep the first value. Pass the signal or store itself and read it inside the component.`);
  }

  /** Puts a concatenation where `node` stands; the nodes kept in it stay where they are. */
  #write(node: Node, segments: Segment[]): void {
    let at = node.start;
    let pending = "";
    const flush = (end: number): void => {
      if (end > at) this.#out.update(at, end, pending);
      else if (pending !== "") this.#out.appendLeft(at, pending);
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
}

/** Joins segments by `+`; neighbouring HTML becomes one literal. */
function concatenation(segments: Segment[]): Code {
  const out: Code = [];
  let html = "";
  const flush = (): void => {
    if (html === "") return;
    if (out.length > 0) out.push(" + ");
    out.push(JSON.stringify(html));
    html = "";
  };
  for (const segment of segments) {
    if (typeof segment === "string") html += segment;
    else {
      flush();
      if (out.length > 0) out.push(" + ");
      out.push(...segment.code);
    }
  }
  flush();
  return out.length === 0 ? ['""'] : out;
}
