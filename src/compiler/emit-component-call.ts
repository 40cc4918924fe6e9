/** Step 4, server half: `<Shell current="/">…</Shell>` as a call of the component. */
import type { ESTree } from "vite";
import { onlyChild } from "./jsx-forms.ts";
import { isFunction, isJsx, tagName, unwrap, walk, type Node } from "./ast.ts";
import type { Walker } from "./emit-items.ts";
import { fail, type Extraction } from "./extraction.ts";
import { decodeEntities } from "./jsx-text.ts";
import type { Code } from "./model.ts";
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
    const code: Code = [`${this.#out.use("component")}(${tagName(name)}, { `];
    for (const attribute of attributes) code.push(...this.#prop(attribute), ", ");
    const child = onlyChild(node);
    if (child && isFunction(child)) {
      this.#walker.rewrite(child);
      code.push("children: ", child, " ");
    } else if (node.children.length > 0) {
      const segments = this.#walker.loose(node.children);
      for (const inner of node.children) refuseAwait(this.#extraction, inner);
      if (segments.length > 0) {
        code.push(`get children() { return ${this.#out.use("html")}(() => `, ...concatenation(segments), "); } ");
      }
    }
    code.push("})");
    return [{ code }];
  }

  #prop(attribute: ESTree.JSXAttributeItem): Code {
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
    this.#refuseReactiveProp(value.expression, name);
    this.#walker.rewrite(value.expression);
    return [key, value.expression];
  }

  #refuseBind(attribute: Node): never {
    throw fail(
      this.#extraction,
      "SVC110",
      attribute,
      "Names with a colon are for host elements. Pass the signal as a prop, and let the component bind it to its own field.",
    );
  }

  /** SVC121: a component runs once, so it would see the first value only. */
  #refuseReactiveProp(expression: Node, name: string): void {
    const inner = unwrap(expression);
    if (inner.type === "Identifier" || isFunction(inner) || isJsx(inner)) return;
    if (this.#extraction.module.liveness(inner) !== "live") return;
    throw fail(
      this.#extraction,
      "SVC121",
      expression,
      `The prop "${name}" is given an expression that changes in the browser, but a component runs once and would keep the first value. Pass the signal or store itself and read it inside the component.`,
    );
  }
}

/** SVC106: HTML that is handed around is written later, in a function of its own. */
export function refuseAwait(extraction: Extraction, root: Node): void {
  walk(root, (node) => {
    if (isFunction(node)) return false;
    if (node.type === "AwaitExpression" || node.type === "YieldExpression") {
      throw fail(
        extraction,
        "SVC106",
        node,
        "This JSX is handed to a component, which writes it later, so nothing can be awaited in it. Await before: const value = await …; and use {value}.",
      );
    }
    return undefined;
  });
}
