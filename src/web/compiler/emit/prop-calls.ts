/** Collects the props in calls of components that may change. The components may keep them (analyze/kept-props.ts). */
import type { ESTree } from "vite";
import { ALL_PROPS } from "../../../platform/shared/wire.ts";
import { passesStateOn, type Module } from "../analyze/analyze.ts";
import { functionOf } from "../analyze/declaration-kinds.ts";
import type { PropCall } from "../analyze/prop-places.ts";
import { bindingAt } from "../analyze/prop-names.ts";
import { readsStore } from "../analyze/store-items.ts";
import { componentOf, propReads } from "../analyze/prop-reads.ts";
import { isJsx, unwrap, type FunctionNode, type Node } from "../parse/ast.ts";
import type { LivePropsEmitter } from "./emit-live-props.ts";

export class PropCalls {
  readonly #module: Module;
  readonly #live: LivePropsEmitter;
  readonly found: PropCall[] = [];

  constructor(module: Module, live: LivePropsEmitter) {
    this.#module = module;
    this.#live = live;
  }

  /**
   * Adds a prop or spread of a call.
   * @param isReplaced whether the browser creates components that can't follow their props anew
   */
  add(attribute: ESTree.JSXAttributeItem, expression: Node, isReplaced: boolean): void {
    const element = this.#module.parentOf(attribute);
    if (element?.type !== "JSXOpeningElement" || element.name.type !== "JSXIdentifier") return;
    if (this.#live.serverTagOf(element) !== undefined || (isReplaced && !this.#live.followsProps(element))) return;
    const isSpread = attribute.type === "JSXSpreadAttribute";
    const from = this.#isLive(expression) && !isSpread ? undefined : this.#readsOf(expression);
    if (from === "") return;
    const behind = element.attributes.slice(element.attributes.indexOf(attribute) + 1);
    this.found.push({
      node: attribute,
      tag: element.name.name,
      target: this.#targetOf(element.name),
      name: isSpread ? ALL_PROPS : String(attribute.name.name),
      from,
      isReplaced,
      without: behind.flatMap((item) => (item.type === "JSXAttribute" ? [String(item.name.name)] : [])),
    });
  }

  /** Adds a call with children that change. */
  addChildren({ openingElement: { name } }: ESTree.JSXElement): void {
    if (name.type !== "JSXIdentifier") return;
    const target = this.#targetOf(name);
    this.found.push({
      node: name,
      tag: name.name,
      target,
      name: "children",
      from: undefined,
      isReplaced: false,
      without: [],
    });
  }

  /** JSX stays the same and follows what it shows. */
  #isLive(expression: Node): boolean {
    const inner = unwrap(expression);
    if (isJsx(inner)) return false;
    if (readsStore(this.#module, inner)) return true;
    return this.#module.liveness(inner) === "live" && !passesStateOn(this.#module, inner);
  }

  #readsOf(expression: Node): string {
    return componentOf(this.#module, expression) ? propReads(this.#module, expression) : "";
  }

  #targetOf(name: Node): FunctionNode | undefined {
    const binding = bindingAt(this.#module, name);
    return binding && functionOf(binding);
  }
}
