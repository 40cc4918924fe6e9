/** Step 4, server code: emits `<Shell current="/">…</Shell>` as a call of the component. */
import type { ESTree } from "vite";
import { isDirect } from "../analyze/direct-calls.ts";
import { onlyChild } from "../extract/jsx-forms.ts";
import { isFunction, isJsx, returnsOf, tagName, unwrap, walk, type FunctionNode, type Node } from "../parse/ast.ts";
import type { Walker } from "./emit-server-parts.ts";
import { fail, looseRegion, type Extraction } from "../extract/extraction.ts";
import { isFunctionProp } from "../extract/handlers.ts";
import { decodeEntities } from "../parse/jsx-text.ts";
import { svcName } from "../analyze/declaration-kinds.ts";
import type { Code } from "../model.ts";
import { bySlot, componentAround, slotNameOf } from "../extract/slots.ts";
import { concatenation, type Segment, type ServerOutput } from "./server-output.ts";

export class ComponentCallEmitter {
  readonly #extraction: Extraction;
  readonly #out: ServerOutput;
  readonly #walker: Walker;

  constructor(extraction: Extraction, out: ServerOutput, walker: Walker) {
    this.#extraction = extraction;
    this.#out = out;
    this.#walker = walker;
  }

  emit(node: ESTree.JSXElement): Segment[] {
    const { name, attributes } = node.openingElement;
    // An empty node: it writes nothing, but maps the call to the position of the tag.
    const place: Node = { ...node, end: node.start };
    const tag = tagName(name);
    const isPlain = isDirect(this.#extraction.module, name);
    const code: Code = [place, isPlain ? `${tag}({ ` : `${this.#out.use("component")}(${tag}, { `];
    const builtin = svcName(name, this.#extraction.module.scopes);
    if (builtin === "Slot") code.push(`of: ${this.#out.useProps(componentAround(this.#extraction, node))}, `);
    for (const attribute of attributes) {
      // This `slot` belongs to the surrounding component.
      if (slotNameOf(this.#extraction, node) !== "" && isNamed(attribute, "slot")) continue;
      code.push(...this.#prop(attribute, builtin), ", ");
    }
    const child = onlyChild(node);
    if (child && isFunction(child)) {
      if (builtin === "Await") this.#refuseLoose(child);
      this.#walker.rewrite(child);
      code.push("children: ", child, " ");
    } else code.push(...this.#children(node));
    code.push("})");
    return [{ code }];
  }

  /** SVC109: the children of `<Await>` have no element of this component around them, so a loose value in them can't update. */
  #refuseLoose(children: FunctionNode): void {
    for (const result of returnsOf(children)) {
      if (!isJsx(unwrap(result)) && this.#extraction.module.liveness(result) === "live")
        throw looseRegion(this.#extraction, result);
    }
  }

  #children(node: ESTree.JSXElement): Code {
    for (const inner of node.children) refuseAwait(this.#extraction, inner);
    const runs = bySlot(this.#extraction, node.children).flatMap(({ name, children }) => {
      const segments = this.#walker.loose(children);
      const html: Code = [`${this.#out.use("html")}(() => `, ...concatenation(segments), ")"];
      return segments.length === 0 ? [] : [{ name, html }];
    });
    if (runs.length === 0) return [];
    if (runs.every(({ name }) => name === ""))
      return ["get children() { return ", ...runs.flatMap(({ html }) => html), "; } "];
    const named = runs.flatMap(({ name, html }) => [`${JSON.stringify(name)}, `, ...html, ", "]);
    return [`...${this.#out.use("named")}(`, ...named, ") "];
  }

  #prop(attribute: ESTree.JSXAttributeItem, builtin: string | undefined): Code {
    if (attribute.type === "JSXSpreadAttribute") {
      this.#walker.rewrite(attribute.argument);
      return ["...", attribute.argument];
    }
    const name = attribute.name.type === "JSXNamespacedName" ? this.#refuseBind(attribute) : attribute.name.name;
    const key = `${/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name)}: `;
    const { value } = attribute;
    if (!value) return [`${key}true`];
    if (isJsx(value)) {
      this.#walker.rewrite(value);
      return [key, value];
    }
    if (value.type === "Literal") return [key + JSON.stringify(decodeEntities(String(value.value)))];
    if (value.type !== "JSXExpressionContainer" || value.expression.type === "JSXEmptyExpression")
      return [`${key}undefined`];
    const end =
      builtin === "ErrorBoundary" && name === "fallback" ? this.#walker.fallback(value.expression) : undefined;
    if (end !== undefined) return [key, value.expression, `, end: () => ${end}`];
    const handed = isFunctionProp(name) ? this.#walker.functionProp(value.expression) : undefined;
    if (handed) return [key, ...handed];
    if (!this.#walker.isReplaced()) this.#refuseReactiveProp(value.expression, name);
    this.#walker.rewrite(value.expression);
    return [key, value.expression];
  }

  #refuseBind(attribute: Node): never {
    throw fail(
      this.#extraction,
      "SVC110",
      attribute,
      "Only host elements have names with a colon. Pass the signal as a prop, and let the component bind it to its own field.",
    );
  }

  /** SVC121: a component runs once, so it would keep the first value. */
  #refuseReactiveProp(expression: Node, name: string): void {
    const inner = unwrap(expression);
    if (inner.type === "Identifier" || isFunction(inner) || isJsx(inner)) return;
    if (this.#extraction.module.liveness(inner) !== "live") return;
    throw fail(
      this.#extraction,
      "SVC121",
      expression,
      `The prop "${name}" has a value that changes in the browser, but a component runs once and would keep the first value. Pass the signal or store itself and read it inside the component.`,
    );
  }
}

function isNamed(attribute: ESTree.JSXAttributeItem, name: string): boolean {
  return attribute.type === "JSXAttribute" && attribute.name.name === name;
}

/** SVC106: JSX in a prop is written later, in a function of its own, so it cannot contain `await`. */
export function refuseAwait(extraction: Extraction, root: Node): void {
  walk(root, (node) => {
    if (isFunction(node)) return false;
    if (node.type === "AwaitExpression" || node.type === "YieldExpression") {
      throw fail(
        extraction,
        "SVC106",
        node,
        "This JSX is passed to a component, which renders it later, so it can't contain await. Await before: const value = await …; and use {value}.",
      );
    }
    return undefined;
  });
}
