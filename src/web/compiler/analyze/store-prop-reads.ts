/**
 * Development only: finds props in expressions that are written once. A prop may be a store, which the syntax cannot show, so
 * `still` checks its value while rendering (web/ssr/resume/store-prop-reads.ts, SVC204).
 */
import type { Module } from "./analyze.ts";
import { isFunction, isJsx, memberName, unwrap, walk, type Node } from "../parse/ast.ts";
import { positionOf } from "../diagnostics.ts";
import { svcName } from "./declaration-kinds.ts";
import type { ServerOutput } from "../emit/server-output.ts";

export class StorePropReads {
  readonly #module: Module;
  readonly #out: ServerOutput;
  readonly #watched = new Set<Node>();

  constructor(module: Module, out: ServerOutput) {
    this.#module = module;
    this.#out = out;
  }

  /** @param expression of a text, attribute, list or condition that the browser will not write again. */
  watch(expression: Node): void {
    if (this.#isProp(unwrap(expression))) return this.#wrap(unwrap(expression));
    walk(expression, (node) => {
      if (isFunction(node) || isJsx(node)) return false;
      if (node.type === "CallExpression" && svcName(node.callee, this.#module.scopes) === "untrack") return false;
      if (node.type === "MemberExpression" && this.#isProp(unwrap(node.object))) this.#wrap(unwrap(node.object));
      return undefined;
    });
  }

  #wrap(prop: Node): void {
    if (this.#watched.has(prop)) return;
    this.#watched.add(prop);
    const { text, path } = this.#module.file;
    const { line, column } = positionOf(text, prop.start);
    const where = JSON.stringify(`${path}:${line}:${column}`);
    const source = JSON.stringify(text.slice(prop.start, prop.end));
    this.#out.wrap(prop, `${this.#out.use("still")}(`, `, ${where}, ${source})`);
  }

  /** `props.list`, or `list` of a component that takes `{ list }`. */
  #isProp(node: Node): boolean {
    if (node.type === "MemberExpression") {
      const object = unwrap(node.object);
      return memberName(node) !== undefined && object.type === "Identifier" && this.#kindOf(object) === "props";
    }
    return node.type === "Identifier" && this.#kindOf(node) === "taken";
  }

  #kindOf(name: Node): "props" | "taken" | undefined {
    const binding = this.#module.scopes.within(name)[0]?.binding;
    if (!binding?.owner || binding.declared !== "param" || !this.#module.components.has(binding.owner))
      return undefined;
    return this.#module.kind(binding) === "props" ? "props" : "taken";
  }
}
