/** Step 4, server code: emits elements, text runs, lists and conditions as segments of a string concatenation. */
import { capturedCode } from "./emit-captured.ts";
import type { ESTree } from "vite";
import { escapeText } from "../../../platform/shared/html/escape.ts";
import { DOM } from "../../../platform/shared/wire.ts";
import type { Module } from "../analyze/analyze.ts";
import { attributeExpression, casesOf, onlyChild } from "../extract/jsx-forms.ts";
import {
  childrenOf,
  isFunction,
  isJsx,
  returnsOf,
  unwrap,
  type Expression,
  type FunctionNode,
  type Node,
} from "../parse/ast.ts";
import { livenessOfContent } from "../extract/regions.ts";
import { placeIn } from "../diagnostics.ts";
import { losesLineEnd } from "../analyze/html-facts.ts";
import { attributePieces, textPieces, type PieceWriter } from "../extract/html-pieces.ts";
import { keyExpression } from "../extract/row-identity.ts";
import { selectedValue } from "../extract/template-html.ts";
import { membersBehind } from "../../../platform/shared/html/hidden-members.ts";
import { VOID_TAGS } from "../../../platform/shared/html/html.ts";
import { svcName } from "../analyze/declaration-kinds.ts";
import {
  spreadName,
  type Attribute,
  type Branch,
  type Code,
  type Element,
  type FieldAttribute,
  type Item,
  type List,
  type LiveScope,
  type Piece,
  type Run,
  type Scope,
  type SpreadAttribute,
} from "../model.ts";
import { concatenation, type Segment, type ServerOutput } from "./server-output.ts";

/** Comments around content that the browser may replace. */
export const RANGE_START = `<!--${DOM.rangeStart}-->`;
export const RANGE_END = `<!--${DOM.rangeEnd}-->`;

/** Operations of the module emitter on the nodes found here. */
export interface Walker {
  /** Rewrites all JSX at or below a node. */
  rewrite(node: Node): void;
  /** Makes an expression return HTML. */
  piece(node: Node): void;
  /** Records an expression that the browser never updates. @param isWritten whether the server's HTML has it. Default true */
  still(node: Node, isWritten?: boolean): void;
  /** The same for the object of a spread. */
  stillSpread(spread: SpreadAttribute): void;
  /** Code of a call whose object is spread, with a check in development. Undefined: its source. */
  called(spread: SpreadAttribute): string | undefined;
  /** Makes the results of a row function HTML. */
  row(row: FunctionNode, isRange?: true): void;
  /** Emits content that the browser replaces when what it was made from changes. */
  replaced(emit: () => Segment[]): Segment[];
  /** Whether such content is being emitted. */
  isReplaced(): boolean;
  /** Checks a value that decides only once what is shown. */
  keep(expression: Node): void;
  /** Makes a condition HTML that the browser replaces when it changes. */
  range(node: Node): void;
  /** Children that no element of the component contains. @param parts collects those that change */
  loose(children: readonly Node[], parts?: Expression[]): Segment[];
  /** Emits browser code for a boundary's fallback. @returns code of the boundary's end marker; undefined if the browser can't create the fallback. */
  fallback(fallback: Node): string | undefined;
  /**
   * Emits browser code for a function prop.
   * @param head keywords that a method lacks
   * @returns server code before the prop, which ends with ")"; undefined for other props
   */
  functionProp(value: Node, head?: string): string | undefined;
  /** A root template or a component call. */
  root(node: Node): Segment[];
}

/** Code of the slots that bindings read: their number if they are the first ones, else their indices. A prop that only a handler calls is not among them. */
function boundCode(bound: ReadonlySet<number>): string {
  const isLeading = [...bound].every((index) => index < bound.size);
  return isLeading ? String(bound.size) : JSON.stringify([...bound].sort((one, other) => one - other));
}

export class ItemEmitter {
  readonly #module: Module;
  readonly #out: ServerOutput;
  readonly #walker: Walker;
  readonly #pieces: PieceWriter;
  /** Code of the props object of the component whose template is being emitted, if it may show live props. */
  #props: string | undefined;
  /** Code of an object that has live props if that one has some. */
  #instance: string | undefined;

  constructor(module: Module, out: ServerOutput, walker: Walker) {
    this.#module = module;
    this.#out = out;
    this.#walker = walker;
    this.#pieces = { use: (name) => out.use(name), keep: (node) => walker.rewrite(node) };
  }

  /** Emits the call that creates a scope. @returns code of its attribute */
  scopeAttribute({ block, bound, slots, live }: Scope): string {
    const sources = slots.map((slot) => capturedCode(this.#out, slot)).join(", ");
    const plain =
      block === undefined ? '""' : `${this.#out.use("scope")}(${block}, ${Math.max(-1, ...bound) + 1}, [${sources}])`;
    if (!live) return plain;
    const mask = `(${this.#out.local("mask")}) => [${live.slots.join(", ")}]`;
    const args = [live.block, boundCode(live.bound), live.props, JSON.stringify(live.conditions), mask];
    const isLive = [`${live.given}?.[${this.#out.use("LIVE")}]`, ...live.also].join(" || ");
    const condition = live.also.length === 0 ? isLive : `(${isLive})`;
    return `((${condition} && ${this.#out.use("liveScope")}(${args.join(", ")})) || ${plain})`;
  }

  /** Emits a boundary's fallback as a scope of its own. */
  fallback(fn: FunctionNode, element: Element, scope: Scope): void {
    const [root] = returnsOf(fn);
    // A fallback without handlers that shows only the error needs no browser code.
    const isAlive = scope.handlers.length > 0 || scope.slots.length > 0;
    const html = concatenation(this.element(element, isAlive ? [{ code: [this.scopeAttribute(scope)] }] : []));
    const write = [{ code: [`${this.#out.use("html")}(() => `, ...html, ")"] }];
    for (const child of childrenOf(fn)) this.#rowBody(child, root, write);
  }

  /** A root template. */
  root(element: Element, scope: Scope): Segment[] {
    const outer = [this.#props, this.#instance];
    const calls = calledSpreads(element);
    const segments = this.#root(element, scope);
    [this.#props, this.#instance] = outer;
    if (calls.length === 0) return segments;
    const names = calls.map(({ once }) => once).join(", ");
    const { text } = this.#module.file;
    const objects = calls.map(
      (call) => this.#walker.called(call) ?? text.slice(call.expression.start, call.expression.end),
    );
    return [{ code: [`((${names}) => `, ...concatenation(segments), `)(${objects.join(", ")})`] }];
  }

  #root(element: Element, scope: Scope): Segment[] {
    if (scope.block === undefined && !scope.live) return this.element(element, scope.hookAttributes);
    this.#props = scope.live && this.#propsOf(scope.live);
    this.#instance = scope.live?.given;
    const attribute = this.scopeAttribute(scope);
    if (!scope.hasPortals) return this.element(element, [{ code: [attribute] }, ...scope.hookAttributes]);
    const own = this.#out.local("own");
    const html = concatenation(this.element(element, [{ code: [own] }, ...scope.hookAttributes]));
    return [{ code: [`((${own}) => `, ...html, `)(${attribute})`] }];
  }

  /** Most instances have no live props, and need no call for them. */
  #propsOf({ props, given }: LiveScope): string {
    return props === given ? props : `${given}?.[${this.#out.use("LIVE")}] && ${props}`;
  }

  /** @param lead code of its first attribute. */
  element(element: Element, lead: Segment[] = []): Segment[] {
    const spread = spreadWithValue(element);
    if (!spread) return this.#element(element, lead);
    // Expressions keep their order, so the spread object is stored until the content is written.
    const field = this.#out.local("field");
    return [{ code: [`((${field}) => `, ...concatenation(this.#element(element, lead, spread)), ")({})"] }];
  }

  /** @param spread whose `value` is the content. `field` is the variable that stores it. */
  #element(element: Element, lead: Segment[], spread?: SpreadAttribute): Segment[] {
    const out: Segment[] = [`<${element.tag}`, ...lead];
    if (element.portal) out.push(this.#portal(element.portal));
    if (typeof element.key === "string" && !holdsBoundSpread(element))
      out.push({ code: [`(${this.#instance}?.[${this.#out.use("LIVE")}] ? ' ${DOM.key}="${element.key}"' : "")`] });
    else if (element.key !== undefined) out.push(` ${DOM.key}="${element.key}"`);
    let inside: Segment[] = [];
    const selected = selectedValue(element);
    /** Attributes that the next spread may override. */
    const before: Attribute[] = [];
    for (const attribute of element.attributes) {
      if (element.tag === "textarea" && attribute.kind === "value" && attribute.name === "value") {
        inside = [{ code: [`${this.#out.use("t")}(`, attribute.expression, ")"] }];
      } else if (element.tag === "textarea" && attribute.kind === "field") {
        inside = [{ code: [`${this.#out.use("t")}(${this.#kept(attribute)})`] }];
      } else if (selected && attribute === selected) {
        if (!selected.live) this.#walker.still(selected.expression);
      } else if (attribute === spread)
        out.push(this.#spread(attribute, [...attribute.skip, "value"], `${this.#out.local("field")}.given = `));
      else if (attribute.kind === "spread") out.push(this.#spreadOver(attribute, before.splice(0)));
      else if (isBeforeSpread(element, attribute)) before.push(attribute);
      else out.push(...this.#attribute(attribute, element.tag));
    }
    if (spread && element.tag === "textarea") inside = [{ code: [`${this.#out.use("t")}(${this.#given()})`] }];
    out.push(losesLineEnd(element) ? ">\n" : ">");
    if (VOID_TAGS.has(element.tag)) return out;
    if (element.rawHtml) {
      this.#walker.rewrite(element.rawHtml.expression);
      inside = [{ code: [`${this.#out.use("raw")}(`, element.rawHtml.expression, ")"] }];
    }
    return [...out, ...inside, ...this.#content(element, spread !== undefined), `</${element.tag}>`];
  }

  #portal({ to, content }: NonNullable<Element["portal"]>): Segment {
    const mark = this.#out.local("mark");
    const target = to === undefined || typeof to === "string" ? [String(JSON.stringify(to))] : [to];
    if (to !== undefined && typeof to !== "string") this.#walker.rewrite(to);
    const html = concatenation(this.element(content, [{ code: [mark] }]));
    return {
      code: [`${this.#out.use("portal")}(${this.#out.local("own")}, `, ...target, `, (${mark}) => `, ...html, ")"],
    };
  }

  /** The `value` of the spread object. */
  #given(): string {
    return `${this.#out.local("field")}.given?.value`;
  }

  /** @param keep code that stores the spread object */
  #spread(attribute: SpreadAttribute, skip: readonly string[], keep = ""): Segment {
    return {
      code: [
        `${this.#out.use(isBound(attribute) ? "boundSpread" : "spread")}(${keep}`,
        this.#spreadObject(attribute),
        `, ${JSON.stringify(skip)}${tagCode(attribute)})`,
      ],
    };
  }

  #spreadObject(attribute: SpreadAttribute): string | Node {
    if (attribute.once !== undefined) return attribute.once;
    if (!attribute.live) this.#walker.stillSpread(attribute);
    this.#walker.rewrite(attribute.expression);
    return attribute.expression;
  }

  /** A spread behind attributes that it may override. */
  #spreadOver(spread: SpreadAttribute, before: readonly Attribute[]): Segment {
    if (before.length === 0) return this.#spread(spread, spread.skip);
    const items = before.flatMap((attribute) => {
      const html = concatenation(this.#attribute(attribute, ""));
      return [`${JSON.stringify(spreadName(attribute))}: `, ...html, ", "];
    });
    const skip = JSON.stringify(spread.skip) + tagCode(spread);
    return {
      code: [
        `${this.#out.use(isBound(spread) ? "boundOver" : "over")}({ `,
        ...items,
        "}, ",
        this.#spreadObject(spread),
        `, ${skip})`,
      ],
    };
  }

  /** A bound `<select>`, or one with a spread, marks its options as selected, even those of other components. */
  #content(element: Element, isSpread: boolean): Segment[] {
    const items = element.items.flatMap((item) => this.item(item));
    if (isSpread && element.tag === "select")
      // Without a value it marks none, because no option has an object as its value.
      return [{ code: [`${this.#out.use("options")}(${this.#given()} ?? {}, `, ...concatenation(items), ")"] }];
    const selected = selectedValue(element);
    if (selected) {
      this.#walker.rewrite(selected.expression);
      return [{ code: [`${this.#out.use("options")}((`, selected.expression, "), ", ...concatenation(items), ")"] }];
    }
    const field = element.tag === "select" && element.attributes.find((item) => item.kind === "field");
    if (!field) return items;
    return [{ code: [`${this.#out.use("options")}(${this.#kept(field)}, `, ...concatenation(items), ")"] }];
  }

  /** Source of the target of a bound field. It is a name or a member access, so it may be evaluated twice. */
  #kept({ target, access }: FieldAttribute): string {
    const source = this.#module.file.text.slice(target.start, target.end);
    return `${this.#out.use(access === "" ? "keptField" : "kept")}(${source})`;
  }

  #field(field: FieldAttribute, tag: string): Segment[] {
    if (field.property === "files" || tag !== "input") return [];
    const value = this.#kept(field);
    if (field.property === "group") return [{ code: [`${this.#out.use("chosen")}(${value}, ${field.own})`] }];
    const open = JSON.stringify(` ${field.property}="`);
    return [{ code: [`${this.#out.use("at")}(${open}, ${field.property === "checked" ? `!!${value}` : value})`] }];
  }

  /** A handler that the component gets may have flags, such as that of `event.preventDefault()`. */
  #static({ html, handler }: Attribute & { kind: "static" }): Segment[] {
    if (!handler) return [html];
    const { start, end } = handler.expression;
    const flags = `${this.#out.use(handler.isMade ? "madeFlagsOf" : "flagsOf")}(${this.#module.file.text.slice(start, end)})`;
    return [html.slice(0, handler.at), { code: [flags] }, html.slice(handler.at)];
  }

  #attribute(attribute: Attribute, tag: string): Segment[] {
    if (attribute.kind === "static") return this.#static(attribute);
    if (attribute.kind === "ref" || attribute.kind === "autofocus") return [];
    if (attribute.kind === "field") return this.#field(attribute, tag);
    if (attribute.kind === "spread") return [this.#spread(attribute, attribute.skip)];
    // HTML has no attribute for it.
    const isWritten = attribute.name !== "indeterminate";
    if (!attribute.live) this.#walker.still(attribute.expression, isWritten);
    return isWritten ? attributePieces(attribute, this.#pieces) : [];
  }

  item(item: Item): Segment[] {
    switch (item.kind) {
      case "text":
        return [item.html];
      case "element":
        return this.element(item);
      case "run":
        return this.#run(item);
      case "component":
        if (item.key === undefined) return this.#walker.root(item.node);
        return this.#walker.replaced(() => [
          RANGE_START,
          ...this.#walker.root(item.node),
          RANGE_END,
          `<!--${item.key}-->`,
        ]);
      case "piece":
        return this.#piece(item);
      case "insert":
        return this.#pieceSegments(item.expression);
      case "list":
        return this.#list(item);
      default:
        return [...this.#branch(item), `<!--${item.key}-->`];
    }
  }

  #piece({ expression, props, key, part, host, rows }: Piece): Segment[] {
    const own = this.#props;
    const isRange =
      part !== undefined || (host !== undefined && livenessOfContent(this.#module, expression) !== "static");
    const emit = (): Segment[] => this.#pieceSegments(expression, isRange);
    // The browser removes the content of the server, with its portals.
    const isReplaced = host !== undefined || part !== undefined || (props !== undefined && own !== undefined);
    const segments = isReplaced ? this.#walker.replaced(emit) : emit();
    this.#props = own;
    if (host !== undefined)
      return [{ code: [`${this.#out.use("hosted")}(${host}, `, ...concatenation(segments), ")"] }];
    if (part !== undefined) return [RANGE_START, ...segments, RANGE_END, `<!--${DOM.childPart}${part}-->`];
    if (props === undefined || own === undefined || segments.length === 0) return segments;
    const live = `${own}, ${JSON.stringify(props)}, `;
    for (const row of rows ? returnsOf(rows.row) : []) this.#out.wrap(row, `${this.#out.use("liveRow")}(${live}`, ")");
    const open = `${this.#out.use(rows ? "liveRows" : "liveRange")}(${live}${JSON.stringify(key)}, `;
    return [{ code: [open, ...concatenation(segments), ")"] }];
  }

  #run(run: Run): Segment[] {
    const out: Segment[] = run.needsSeparator ? ["<!---->"] : [];
    for (const part of run.parts) {
      if (typeof part === "string") out.push(escapeText(part));
      else out.push(...textPieces(part, this.#pieces));
    }
    if (run.key !== undefined) out.push(`<!--${run.key}-->`);
    return out;
  }

  #pieceSegments(node: Node, isRange = false): Segment[] {
    const inner = unwrap(node);
    if (inner.type === "JSXElement") {
      const builtin = svcName(inner.openingElement.name, this.#module.scopes);
      if (builtin === "For") return this.#forElement(inner, isRange);
      if (builtin === "Show") return this.#showElement(inner, isRange);
      if (builtin === "Match") return this.#matchElement(inner);
      return this.#walker.root(inner);
    }
    if (isRange) this.#walker.range(node);
    else this.#walker.piece(node);
    // Everything else is a call or parenthesized already.
    return [{ code: node.type === "ConditionalExpression" ? ["(", node, ")"] : [node] }];
  }

  #list(list: List): Segment[] {
    this.#walker.rewrite(list.each);
    const [root] = returnsOf(list.row);
    if (list.element) {
      const html = this.element(list.element);
      for (const child of childrenOf(list.row)) this.#rowBody(child, root, html);
    } else
      this.#walker.replaced(() => {
        this.#walker.row(list.row, true);
        return [];
      });
    const key = this.#keyOf(list);
    const items: Code = [list.before, list.each, list.behind].filter((part) => part !== "");
    const each: Code = key ? [`${this.#out.use("unique")}(`, ...items, `, ${key})`] : items;
    const { virtual } = list;
    const options = virtual === true ? "true" : virtual && this.#module.file.text.slice(virtual.start, virtual.end);
    const write = options === undefined ? this.#out.useEach() : this.#out.use("virtual");
    return [
      { code: [`${write}(`, ...each, ", ", list.row, options === undefined ? ")" : `, ${options})`] },
      list.key === undefined ? "" : `<!--${list.key}-->`,
    ];
  }

  /** The row key and its position as arguments. The key contains no JSX, so its source is copied. */
  #keyOf(list: List): string | undefined {
    const { by, row } = list;
    const { file } = this.#module;
    const source = ({ start, end }: Node): string => file.text.slice(start, end);
    const key = keyExpression(list);
    const [param, index] = row.params;
    const place = by ?? key;
    if (!place || (!by && !param)) return undefined;
    const { line, column } = placeIn(file, place.start);
    const code =
      by || !param ? source(place) : `(${source(param)}${index ? `, ${source(index)}` : ""}) => (${source(place)})`;
    return `${code}, ${JSON.stringify(`${file.path}:${line}:${column}`)}`;
  }

  #rowBody(node: Node, root: Node | undefined, html: Segment[]): void {
    if (node === root) this.#out.write(unwrap(node), html);
    else if (isJsx(node) || isFunction(node)) this.#walker.rewrite(node);
    else for (const child of childrenOf(node)) this.#rowBody(child, root, html);
  }

  #branch(branch: Branch): Segment[] {
    if (!branch.branches)
      return this.#walker.replaced(() => [RANGE_START, ...this.#pieceSegments(branch.node, true), RANGE_END]);
    const left = [...branch.branches];
    const { node } = branch;
    if (node.type !== "JSXElement") {
      this.#branchPiece(node, left);
      return [{ code: ["(", node, ")"] }];
    }
    if (svcName(node.openingElement.name, this.#module.scopes) === "Match") {
      return this.#cases(node, (each) => {
        const child = onlyChild(each);
        if (child) this.#branchPiece(child, left);
        return child ? [child] : ['""'];
      });
    }
    const when = attributeExpression(node, "when");
    const fallback = attributeExpression(node, "fallback");
    const child = onlyChild(node);
    if (!when || !child) return [];
    this.#walker.rewrite(when);
    if (fallback) this.#branchPiece(fallback, left);
    this.#branchPiece(child, left);
    const otherwise: Code = fallback ? ["(", fallback, ")"] : ['""'];
    return [{ code: ["(!(", when, ") ? ", ...otherwise, " : ", child, ")"] }];
  }

  /** Emits the branches of a condition in the order of extraction. */
  #branchPiece(node: Node, left: Element[]): void {
    if (node.type === "ParenthesizedExpression") return this.#branchPiece(node.expression, left);
    const inner = unwrap(node);
    if (inner.type === "ConditionalExpression") {
      this.#walker.rewrite(inner.test);
      this.#branchPiece(inner.consequent, left);
      return this.#branchPiece(inner.alternate, left);
    }
    if (inner.type === "LogicalExpression") {
      this.#walker.rewrite(inner.left);
      this.#branchPiece(inner.right, left);
      this.#out.replace(inner.left.end, inner.right.start, " ? ");
      return this.#out.wrap(inner, "(", ' : "")');
    }
    if (!isJsx(inner)) return this.#out.replace(node.start, node.end, '""');
    const element = left.shift();
    if (element) this.#out.write(inner, this.element(element));
  }

  /** A `<For>` whose list never changes in the browser, or only as a whole. */
  #forElement(node: ESTree.JSXElement, isRange: boolean): Segment[] {
    const each = attributeExpression(node, "each");
    const row = onlyChild(node);
    if (!each || !row || !isFunction(row)) return [];
    if (!isRange) this.#walker.still(each);
    this.#walker.rewrite(each);
    this.#walker.row(row);
    return [{ code: [`${this.#out.useEach()}(`, each, ", ", row, ")"] }];
  }

  /** A `<Show>` whose condition never changes in the browser. */
  #showElement(node: ESTree.JSXElement, isRange: boolean): Segment[] {
    const when = attributeExpression(node, "when");
    const fallback = attributeExpression(node, "fallback");
    if (!when) return [];
    if (!isRange) this.#walker.still(when);
    this.#walker.rewrite(when);
    if (fallback) this.#walker.piece(fallback);
    const children = concatenation(this.#walker.loose(node.children));
    return [{ code: ["(!(", when, ") ? ", ...(fallback ? ["(", fallback, ")"] : ['""']), " : ", ...children, ")"] }];
  }

  /** A `<Match>` whose conditions never change in the browser. */
  #matchElement(node: ESTree.JSXElement): Segment[] {
    return this.#cases(node, ({ children }) => ["(", ...concatenation(this.#walker.loose(children)), ")"]);
  }

  /** The cases of a `<Match>` as nested conditions. @param write makes a case's children HTML */
  #cases(node: ESTree.JSXElement, write: (node: ESTree.JSXElement) => Code): Segment[] {
    const code: Code = ["("];
    let otherwise: Code = ['""'];
    for (const { when, node: each } of casesOf(node, this.#module.scopes) ?? []) {
      if (when) this.#walker.rewrite(when);
      const html = write(each);
      if (when) code.push("(", when, ") ? ", ...html, " : ");
      else otherwise = html;
    }
    return [{ code: [...code, ...otherwise, ")"] }];
  }
}

/** Whether a plain spread comes behind an attribute that it may override. */
function isBeforeSpread({ attributes, tag }: Element, attribute: Attribute): boolean {
  if (tag === "select" || tag === "textarea" || spreadName(attribute) === undefined) return false;
  return attributes.slice(attributes.indexOf(attribute)).some(({ kind }) => kind === "spread");
}

/** The spread of a field whose value is its content in HTML, if no other attribute sets the value. */
function spreadWithValue({ tag, attributes, items }: Element): SpreadAttribute | undefined {
  if (tag !== "select" && (tag !== "textarea" || items.length > 0)) return undefined;
  const spread = attributes.findLast((attribute) => attribute.kind === "spread");
  return spread?.skip.includes("value") ? undefined : spread;
}

/** The last argument of `spread`: only for elements whose names may hide members. */
function tagCode({ tag, live, again }: SpreadAttribute): string {
  const code = membersBehind("name", tag) ? JSON.stringify(tag) : "undefined";
  if (live) return `, ${code}, true`;
  if (again !== undefined) return `, ${code}, ${again}`;
  return code === "undefined" ? "" : `, ${code}`;
}

/** Whether the browser may bind a spread in an element, also in instances without live props. */
function holdsBoundSpread({ attributes, items }: Element): boolean {
  return (
    attributes.some((attribute) => attribute.kind === "spread" && attribute.own !== undefined) ||
    items.some((item) => item.kind === "element" && holdsBoundSpread(item))
  );
}

/** Spreads in a root template of objects that calls make. */
function calledSpreads({ attributes, items }: Element): SpreadAttribute[] {
  const own = attributes.filter(
    (attribute): attribute is SpreadAttribute => attribute.kind === "spread" && attribute.once !== undefined,
  );
  return [...own, ...items.flatMap((item) => (item.kind === "element" ? calledSpreads(item) : []))];
}

/** Whether the browser binds the props of a spread. */
function isBound({ live, own }: SpreadAttribute): boolean {
  return live || own !== undefined;
}
