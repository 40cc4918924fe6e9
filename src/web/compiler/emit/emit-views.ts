/**
 * Step 4, browser code: emits JSX as views, from which the browser creates nodes (src/web/client/bindings/create.ts). A view may contain
 * components. The code of a component that the browser creates is in a module of its own (emit-create.ts).
 */
import type { ESTree } from "vite";
import { isFunction, isJsx, isComponentTag, tagName, unwrap, walk, type Node } from "../parse/ast.ts";
import { isInside, passesStateOn, type Module } from "../analyze/analyze.ts";
import { chosenName, mayChange } from "../analyze/chosen-components.ts";
import { svcName } from "../analyze/declaration-kinds.ts";
import { isMethod } from "../analyze/jsx-values.ts";
import { propReads } from "../analyze/prop-reads.ts";
import { extractElement, extractItems, refuseServerComponent } from "../extract/extract.ts";
import { fail, type Extraction, type Position } from "../extract/extraction.ts";
import { hasHostRoot, isDecided } from "../extract/regions.ts";
import { isGivenJsx } from "../extract/given-jsx.ts";
import { attributeText, onlyChild } from "../extract/jsx-forms.ts";
import type { Captures, Place } from "../extract/captures.ts";
import { bySlot, componentAround, slotNameOf } from "../extract/slots.ts";
import { readCode, type TakenRead } from "../extract/taken-reads.ts";
import { propsName } from "../extract/prop-codes.ts";
import { PATHS } from "../../../platform/shared/wire.ts";
import { decodeEntities, normaliseText } from "../parse/jsx-text.ts";
import type { ClientModule } from "./client-module.ts";
import type { Code, Element, Scope } from "../model.ts";

/** Components of the framework that the scope of the element around them binds. */
const BOUND: ReadonlySet<string> = new Set(["For", "Show", "Match", "Case", "Dynamic"]);

/** Emits the elements of views. */
export interface ElementEmitter {
  /** @returns the function that creates the element or fragment, and the function that binds it, or `0`. */
  content(element: Element, place: Place): { make: string; bind: Code };
}

/** What calls of components pass beside the values of their props. */
export interface LiveCalls {
  /** @returns undefined for a prop that is never live. `isSure`: it is live in any case, not only if a prop that it reads is. */
  passedProp(attribute: ESTree.JSXAttribute, expression: Node): { isSure: boolean } | undefined;
  /** Whether a component follows live props. Others are created anew when one changes. */
  followsProps(tag: ESTree.JSXOpeningElement): boolean;
}

export class ViewEmitter {
  readonly #module: Module;
  readonly #client: ClientModule;
  readonly #captures: Captures;
  readonly #extraction: Extraction;
  readonly #elements: ElementEmitter;
  /** Set where a file may pass live props. */
  calls: LiveCalls | undefined;

  constructor(
    module: Module,
    client: ClientModule,
    captures: Captures,
    extraction: Extraction,
    elements: ElementEmitter,
  ) {
    this.#module = module;
    this.#client = client;
    this.#captures = captures;
    this.#extraction = extraction;
    this.#elements = elements;
  }

  /** Code of a view. Outside of other views, it also reads what the server made the content from. */
  view(node: Node, place: Place): string {
    const { takes, ...around } = place;
    const deps = place.isCreated ? this.#taken(node, takes, place) : this.#deps(node, place);
    const inner: Place = { ...around, isBinding: false, isCreated: true, within: place.within ?? node };
    if (node.type === "JSXElement" && this.#isComponent(node)) return this.#component(node, inner, deps);
    const children = node.type === "JSXFragment" ? node.children : [node];
    return this.#markup(children, node, inner, deps);
  }

  /** Code of a view that is made anew, and follows its source from then on, when one of `reads` changes. */
  following(node: Node, reads: readonly Node[], place: Place): string {
    for (const read of reads) this.#captures.capture(read, place);
    const deps = `() => [${reads.map((read) => this.text([read], place.scope)).join(", ")}]`;
    return this.#markup([node], node, { ...place, isBinding: false, isCreated: true }, deps);
  }

  /**
   * Code of a view of what a component is given as its children.
   * @param reads what decides the parts of them that change: the server's content was made from its first values
   */
  childrenOf(node: ESTree.JSXElement, reads: readonly Node[], place: Place): string {
    const inner: Place = { ...place, isBinding: false, isCreated: true, within: node };
    for (const read of reads) this.#captures.capture(read, inner);
    const deps = reads.length === 0 ? "" : `() => [${reads.map((read) => this.text([read], place.scope)).join(", ")}]`;
    const child = onlyChild(node);
    if (deps === "" && child?.type === "JSXElement") return this.view(child, inner);
    return this.#markup(node.children, node, inner, deps);
  }

  /** Code of JSX as a view, or of a function that returns views. */
  valueOf(node: Node, place: Place): string {
    const inner: Place = { ...place, isCreated: true, within: node };
    if (isJsx(node)) return this.view(node, inner);
    this.#captures.capture(node, inner);
    const code = this.text([node], place.scope);
    return isMethod(this.#module, node) ? `function ${code}` : code;
  }

  /** Source text of emitted code. */
  text(code: Code, scope: Scope): string {
    return code
      .map((item) => (typeof item === "string" ? item : scope.edits.snip(item.start, item.end).toString()))
      .join("");
  }

  #isComponent(node: ESTree.JSXElement): boolean {
    const { name } = node.openingElement;
    const builtin = svcName(name, this.#module.scopes);
    if (!isComponentTag(tagName(name)) || ["For", "Show", "Match"].includes(builtin ?? "")) return false;
    if (builtin === "Portal" && hasHostRoot(this.#extraction, node)) return false;
    refuseServerComponent(this.#extraction, node, builtin);
    return true;
  }

  #part(name: string, scope: Scope): string {
    return this.#client.createPart(name, scope);
  }

  #markup(children: readonly Node[], node: Node, place: Place, deps: string): string {
    const { scope } = place;
    const position: Position = {
      scope,
      template: { lastKey: 0 },
      level: place.level,
      isRegion: true,
      isView: true,
      ancestors: [],
    };
    const isHost =
      children[0] === node && node.type === "JSXElement" && !isComponentTag(tagName(node.openingElement.name));
    const element = isHost
      ? extractElement(this.#extraction, node, position)
      : this.#fragment(children, node, position);
    const { make, bind } = this.#elements.content(element, place);
    const end = deps === "" ? "" : `, ${deps}`;
    const view = `${this.#part("V", scope)}(`;
    if (bind.length === 1 && bind[0] === "0")
      return `${view}${isHost ? make : `() => [...${make}().childNodes]`}${end})`;
    const { root } = this.#client.names;
    const slots = scope.isClosure && place.level === 0 ? "0" : this.#client.names.slots;
    const nodes = isHost ? root : `${this.#part("Loose", scope)}(${root})`;
    return `${view}() => {\nconst ${root} = ${make}();\n(${this.text(bind, scope)})(${slots}, ${root});\nreturn ${nodes};\n}${end})`;
  }

  #fragment(children: readonly Node[], node: Node, position: Position): Element {
    const inside: Position = { ...position, isLoose: true };
    return {
      kind: "element",
      node,
      tag: "",
      scope: position.scope,
      template: position.template,
      level: position.level,
      attributes: [],
      items: extractItems(this.#extraction, children, inside),
      rawHtml: undefined,
      key: undefined,
      foreign: undefined,
      created: [],
    };
  }

  #component(node: ESTree.JSXElement, place: Place, deps: string): string {
    const { name, attributes } = node.openingElement;
    const parts: string[] = [];
    let own = svcName(name, this.#module.scopes) === "Slot" ? [`of: ${this.#propsAround(node, place)}`] : [];
    if (this.#isChosen(node.openingElement)) own.push(`get is() { return ${this.#captures.tag(name, place)}; }`);
    const isSlotted = slotNameOf(this.#extraction, node) !== "";
    const close = (): void => {
      if (own.length > 0) parts.push(`{ ${own.join(", ")} }`);
      own = [];
    };
    for (const attribute of attributes) {
      if (attribute.type !== "JSXSpreadAttribute") own.push(...this.#prop(attribute, tagName(name), isSlotted, place));
      else {
        close();
        this.#captures.capture(attribute.argument, place);
        parts.push(this.text(["(", attribute.argument, ")"], place.scope));
      }
    }
    own.push(...this.#children(node, place));
    close();
    const props =
      parts.length === 1 && attributes.every(({ type }) => type === "JSXAttribute")
        ? parts[0]
        : parts.length === 0
          ? "{}"
          : `${this.#part("Q", place.scope)}(${parts.join(", ")})`;
    const tag = this.#isChosen(node.openingElement)
      ? this.#client.runtime(PATHS.dynamic, "Dynamic")
      : this.#captures.tag(name, place);
    return `${this.#part("New", place.scope)}(${tag}, ${props}${deps === "" ? "" : `, ${deps}`})`;
  }

  /** Whether a value that may change in the browser chooses the component. */
  #isChosen(tag: ESTree.JSXOpeningElement): boolean {
    const name = chosenName(this.#module, tag);
    return name !== undefined && mayChange(this.#module, name);
  }

  /**
   * Name of the props of the component around a `<Slot>`.
   * @throws SvcError SVC109 in a row or branch of a component that came from the server, where only single props exist in the browser
   */
  #propsAround(slot: ESTree.JSXElement, { scope }: Place): string {
    if (!scope.isClosure) {
      const name = attributeText(slot, "name");
      const fix =
        name === undefined
          ? "Write {props.children ?? fallback}, with what <Slot> contains as the fallback."
          : `Pass that content as a prop, ${name}={<b>…</b>}, and write {props.${name}}.`;
      throw fail(
        this.#extraction,
        "SVC109",
        slot,
        `The browser creates this row or branch, where it has no <Slot>. ${fix}`,
      );
    }
    const [param] = componentAround(this.#extraction, slot).params;
    return param?.type === "Identifier" ? param.name : propsName(this.#client);
  }

  /** SVC121: components read a context once. */
  #refuseLiveContext(value: Node): void {
    const inner = unwrap(value);
    if (passesStateOn(this.#module, inner) || this.#module.liveness(inner) !== "live") return;
    throw fail(
      this.#extraction,
      "SVC121",
      value,
      "The provided value changes in the browser, but components read a context once. Provide the signal or store itself, and read it inside the components.",
    );
  }

  #prop(attribute: ESTree.JSXAttribute, tag: string, isSlotted: boolean, place: Place): string[] {
    if (attribute.name.type === "JSXNamespacedName") {
      throw fail(
        this.#extraction,
        "SVC110",
        attribute,
        "Only host elements have names with a colon. Pass the signal as a prop, and let the component bind it to its own field.",
      );
    }
    const { name } = attribute.name;
    const { value } = attribute;
    if (name === "key" || (name === "slot" && isSlotted)) return [];
    const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
    if (!value) return [`${key}: true`];
    if (value.type === "Literal") return [`${key}: ${JSON.stringify(decodeEntities(String(value.value)))}`];
    const expression = value.type === "JSXExpressionContainer" ? value.expression : value;
    if (expression.type === "JSXEmptyExpression") return [];
    if (name === "value" && tag.endsWith(".Provider")) this.#refuseLiveContext(expression);
    const inner: Place = { ...place, usesAll: true };
    this.#captures.capture(expression, isFunction(unwrap(expression)) ? inner : { ...inner, isRead: true });
    // The component may show it as a component.
    this.#client.takesComponents ||= !place.scope.isClosure && !isFunction(unwrap(expression));
    const code = this.text([expression], place.scope);
    return [isFunction(unwrap(expression)) ? `${key}: ${code}` : `get ${key}() { return (${code}); }`];
  }

  #children(node: ESTree.JSXElement, place: Place): string[] {
    const child = onlyChild(node);
    if (!child) {
      const groups = bySlot(this.#extraction, node.children);
      if (groups.some(({ name }) => name !== "")) return this.#slotted(groups, node, place);
      const isEmpty = node.children.every((item) => item.type === "JSXText" && item.value.trim() === "");
      if (isEmpty) return [];
      return [`get children() { return ${this.#markup(node.children, node, place, "")}; }`];
    }
    if (child.type === "JSXEmptyExpression") return [];
    if (isFunction(child)) {
      this.#captures.capture(child, place);
      return [`children: ${this.text([child], place.scope)}`];
    }
    const slot = slotNameOf(this.#extraction, child);
    if (slot !== "") return this.#slotted([{ name: slot, children: [child] }], node, place);
    if (isJsx(child)) return [`get children() { return ${this.view(child, place)}; }`];
    if (child.type === "JSXText") return [`children: ${JSON.stringify(decodeEntities(child.value.trim()))}`];
    this.#captures.capture(child, place);
    return [`get children() { return (${this.text([child], place.scope)}); }`];
  }

  /** Children of which some name a slot: a getter for each name, and `children` for the others. */
  #slotted(groups: ReturnType<typeof bySlot>, node: ESTree.JSXElement, place: Place): string[] {
    const names = [...new Set(groups.map(({ name }) => name))];
    const getters = names.flatMap((name) => {
      const children = groups.filter((group) => group.name === name).flatMap((group) => group.children);
      if (children.every((item) => item.type === "JSXText" && normaliseText(item.value).trim() === "")) return [];
      const key = name === "" ? "children" : JSON.stringify(name);
      return [{ name, code: `get ${key}() { return ${this.#markup(children, node, place, "")}; }` }];
    });
    const named = getters.filter(({ name }) => name !== "").map(({ code }) => code);
    const symbol = this.#client.runtime(PATHS.builtins, "Named");
    return [
      ...getters.filter(({ name }) => name === "").map(({ code }) => code),
      `[${symbol}]: { ${named.join(", ")} }`,
    ];
  }

  /** Code that reads the values of a row in a view: the server's content was made from the first ones. */
  #taken(view: Node, takes: readonly TakenRead[] = [], place: Place): string {
    const reads = takes
      .filter(({ node }) => isInside(node, view))
      .map((read) => readCode(read, this.#captures.rowName(read.binding, place)));
    return reads.length === 0 ? "" : `() => [${[...new Set(reads)].join(", ")}]`;
  }

  /** Props of the components in a view that may change: the server's content was made from their first values. */
  #deps(root: Node, place: Place): string {
    const found: Node[] = [];
    const tags: string[] = [];
    const created: Node[] = [];
    const spreads: Node[] = [];
    const isOfFramework = (attribute: ESTree.JSXAttribute | undefined): boolean => {
      const tag = attribute && this.#module.parentOf(attribute);
      return tag?.type === "JSXOpeningElement" && svcName(tag.name, this.#module.scopes) !== undefined;
    };
    const add = (expression: Node, follows: boolean, attribute?: ESTree.JSXAttribute, into = found): void => {
      const inner = unwrap(expression);
      if (isFunction(inner) || inner.type === "JSXEmptyExpression" || isJsx(inner)) return;
      const passed = attribute && this.calls?.passedProp(attribute, expression);
      const rowReads = this.#module.scopes.within(inner).filter(({ node }) => this.#isRowParam(node, place.scope));
      // A component that follows a live prop itself needs another instance only for another row.
      if (passed?.isSure && follows) into.push(...rowReads.map(({ node }) => node));
      else if (rowReads.length > 0 || (passed && !follows)) into.push(expression);
      else if (inner.type !== "Identifier" && this.#module.liveness(inner) !== "static") into.push(expression);
      else if (this.calls && isOfFramework(attribute) && propReads(this.#module, inner) !== "") into.push(expression);
    };
    walk(root, (node) => {
      if (isFunction(node)) return false;
      if (node.type !== "JSXOpeningElement" || !isComponentTag(tagName(node.name))) return undefined;
      if (this.#isChosen(node))
        tags.push(this.#captures.tag(node.name, { ...place, isBinding: true, isCreated: true }));
      if (this.#isBoundByElement(node, root, place.scope)) return undefined;
      const follows = this.calls?.followsProps(node) ?? false;
      const isDynamic = svcName(node.name, this.#module.scopes) === "Dynamic";
      for (const attribute of node.attributes) {
        const isOwnSpread = isDynamic && this.calls && attribute.type === "JSXSpreadAttribute";
        // Each member of the props counts, and not only the object.
        if (isOwnSpread && propReads(this.#module, attribute.argument) !== "") spreads.push(attribute.argument);
        else if (attribute.type === "JSXSpreadAttribute") add(attribute.argument, follows);
        else if (attribute.value?.type === "JSXExpressionContainer") {
          // A component is its create function here, as in created content.
          const into = isDynamic && attribute.name.name === "is" ? created : found;
          add(attribute.value.expression, follows, attribute, into);
        }
      }
      return undefined;
    });
    // The server made its content from the parts of the children that change.
    walk(root, (node) => {
      if (isFunction(node)) return false;
      if (node.type === "JSXExpressionContainer" && isGivenJsx(this.#module, unwrap(node.expression)))
        created.push(node.expression);
      return undefined;
    });
    const plain = found.filter((expression) => {
      let holds = false;
      walk(expression, (node) => void (holds ||= isJsx(node)));
      return !holds;
    });
    if (plain.length + created.length + tags.length + spreads.length === 0) return "";
    for (const expression of plain) this.#captures.capture(expression, { ...place, isBinding: true });
    for (const expression of [...created, ...spreads])
      this.#captures.capture(expression, { ...place, isBinding: true, isCreated: true });
    const reads = [...plain, ...created].map((expression) => this.text([expression], place.scope));
    const members = spreads.map((object) => `{ ...${this.text([object], place.scope)} }`);
    return `() => [${[...tags, ...reads, ...members].join(", ")}]`;
  }

  /**
   * Whether the scope of an element in a view binds a list, condition or `<Dynamic>`. The element stays when that changes, with what was
   * typed into it.
   */
  #isBoundByElement(tag: ESTree.JSXOpeningElement, view: Node, scope: Scope): boolean {
    const { scopes } = this.#module;
    if (!BOUND.has(svcName(tag.name, scopes) ?? "")) return false;
    const values = tag.attributes.flatMap((attribute) => {
      const { value } = attribute.type === "JSXAttribute" ? attribute : {};
      return value?.type === "JSXExpressionContainer" ? [value.expression] : [];
    });
    if (values.some((value) => scopes.within(value).some(({ node }) => this.#isRowParam(node, scope)))) return false;
    let around = this.#module.parentOf(tag);
    while (around && around !== view && !this.#isElement(around)) around = this.#module.parentOf(around);
    const isInElement = around?.type === "JSXElement" && !isComponentTag(tagName(around.openingElement.name));
    return isInElement && values.some((value) => isDecided(this.#module, [value], true));
  }

  /** Whether a node is an element or a component, not a list or condition. */
  #isElement(node: Node): boolean {
    return node.type === "JSXElement" && !BOUND.has(svcName(node.openingElement.name, this.#module.scopes) ?? "");
  }

  #isRowParam(node: Node, scope: Scope): boolean {
    const binding = this.#module.scopes.within(node).find((reference) => reference.node === node)?.binding;
    return (
      binding?.declared === "param" &&
      scope.frames.some(({ fn }) => fn === binding.owner && fn.params.some((param) => isInside(binding.node, param)))
    );
  }
}
